"""A file of the embedded index as the first version of the product wrote it."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from knowledge_base.domain.chunks import Chunk, IndexedChunk

_TABLES = """
PRAGMA user_version = 1;
CREATE TABLE knowledge_bases (
  number INTEGER PRIMARY KEY, kb_id TEXT NOT NULL, tenant TEXT NOT NULL, UNIQUE (kb_id, tenant)
) STRICT;
CREATE TABLE documents (number INTEGER PRIMARY KEY, document_id TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE reader_sets (number INTEGER PRIMARY KEY, members TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE reader_marks (
  reader TEXT NOT NULL, reader_set INTEGER NOT NULL, PRIMARY KEY (reader, reader_set)
) STRICT, WITHOUT ROWID;
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY, document INTEGER NOT NULL, ordinal INTEGER NOT NULL, place INTEGER NOT NULL,
  from_rev INTEGER NOT NULL, to_rev INTEGER NOT NULL, reader_set INTEGER NOT NULL, code BLOB,
  UNIQUE (document, ordinal, place)
) STRICT;
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL, details TEXT NOT NULL) STRICT;
CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'ascii');
INSERT INTO words (words, rank) VALUES ('deletemerge', 60);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TRIGGER forget AFTER DELETE ON chunks BEGIN
  DELETE FROM texts WHERE id = old.id;
  DELETE FROM vectors WHERE id = old.id;
  DELETE FROM words WHERE rowid = old.id;
END;
"""
_DETAILS = tuple(field.name for field in fields(Chunk) if field.name not in {"document_id", "ordinal", "index", "text"})


def write_format_1(path: Path, chunks: Iterable[IndexedChunk]) -> None:
    """Make a file with these chunks."""
    with apsw.Connection(str(path)) as file:
        file.execute(_TABLES)
        owners, documents, readers = (_Numbers() for _ in range(3))
        for row, item in enumerate(chunks):
            _write(file, (owners[item.kb_id, item.tenant] << 32) + row, item, documents, readers)
        for (kb_id, tenant), number in owners.items():
            file.execute("INSERT INTO knowledge_bases VALUES (?, ?, ?)", (number, kb_id, tenant))
        for document_id, number in documents.items():
            file.execute("INSERT INTO documents VALUES (?, ?)", (number, document_id))
        for members, number in readers.items():
            file.execute("INSERT INTO reader_sets VALUES (?, ?)", (number, members))
            file.executemany("INSERT INTO reader_marks VALUES (?, ?)", [(mark, number) for mark in json.loads(members)])


class _Numbers(dict[Any, int]):
    """Counts what it has not been asked for before."""

    def __init__(self) -> None:
        super().__init__()
        self._count: Iterator[int] = count(1)

    def __missing__(self, name: Any) -> int:
        self[name] = next(self._count)
        return self[name]


def _write(file: apsw.Connection, row: int, item: IndexedChunk, documents: _Numbers, readers: _Numbers) -> None:
    chunk, members = item.chunk, json.dumps(sorted(item.readers))
    revisions = (item.from_rev, item.to_rev)
    place = (documents[chunk.document_id], chunk.ordinal, chunk.index)
    file.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, x'00')", (row, *place, *revisions, readers[members]))
    details = json.dumps({name: getattr(chunk, name) for name in _DETAILS})
    file.execute("INSERT INTO texts VALUES (?, ?, ?)", (row, chunk.text, details))
    file.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, chunk.text))
    if any(item.vector):
        file.execute("INSERT INTO vectors VALUES (?, ?)", (row, array("f", item.vector).tobytes()))
