"""Storing chunks: the rows of one batch, and what is derived from them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from knowledge_base.adapters.chunk_details import details_of
from knowledge_base.adapters.embedded import pages, segments
from knowledge_base.adapters.embedded.lucene import stored_length
from knowledge_base.adapters.embedded.schema import ID_BITS
from knowledge_base.adapters.embedded.vectors import encode
from knowledge_base.adapters.words import count_words, words_of
from knowledge_base.domain.chunks import IndexedChunk

if TYPE_CHECKING:
    from apsw import Connection

_KNOWLEDGE_BASE = """
INSERT INTO knowledge_bases (kb_id, tenant) VALUES (?, ?) ON CONFLICT DO UPDATE SET kb_id = kb_id RETURNING number
"""
_DOCUMENT = """
INSERT INTO documents (document_id) VALUES (?) ON CONFLICT DO UPDATE SET document_id = document_id RETURNING number
"""
_READER_SET = """
INSERT INTO reader_sets (members) VALUES (?) ON CONFLICT DO UPDATE SET members = members RETURNING number
"""
_READER_MARKS = "INSERT OR IGNORE INTO reader_marks SELECT value, ? FROM json_each(?)"
_TAKE_IDS = "UPDATE knowledge_bases SET next_id = next_id + ? WHERE number = ? RETURNING next_id"
_REMOVE = """
DELETE FROM chunks WHERE document = (SELECT number FROM documents WHERE document_id = ?) AND ordinal = ? AND place = ?
RETURNING id
"""
_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_TEXT = "INSERT INTO texts VALUES (?, ?, ?)"
_VECTOR = "INSERT INTO vectors VALUES (?, ?)"


def store(connection: Connection, chunks: Sequence[IndexedChunk]) -> list[int]:
    """Store chunks with distinct ids in place of those with the same ids; return the rows that are gone."""
    shelves: dict[tuple[str, str], list[IndexedChunk]] = defaultdict(list)
    for item in chunks:
        shelves[item.kb_id, item.tenant].append(item)
    keys = [(item.chunk.document_id, item.chunk.ordinal, item.chunk.index) for item in chunks]
    replaced = [id_ for (id_,) in connection.executemany(_REMOVE, keys)]
    forget(connection, replaced)
    for owner, items in shelves.items():
        _store_on_shelf(connection, connection.execute(_KNOWLEDGE_BASE, owner).get, items)
    return replaced


def forget(connection: Connection, ids: Sequence[int]) -> None:
    """Let what is derived from chunks that have been deleted follow them."""
    if ids:
        pages.refresh(connection, ids)
        for knowledge_base in {id_ >> ID_BITS for id_ in ids}:
            segments.forget(connection, [id_ for id_ in ids if id_ >> ID_BITS == knowledge_base])


def reader_set_number(connection: Connection, readers: frozenset[str]) -> int:
    """Return the number of a set of readers, which is stored if it is new."""
    members = json.dumps(sorted(readers))
    number: int = connection.execute(_READER_SET, (members,)).get
    connection.execute(_READER_MARKS, (number, members))
    return number


def _store_on_shelf(connection: Connection, shelf: int, items: Sequence[IndexedChunk]) -> None:
    documents = {name: connection.execute(_DOCUMENT, (name,)).get for name in {i.chunk.document_id for i in items}}
    readers = {marks: reader_set_number(connection, marks) for marks in {item.readers for item in items}}
    keys = [(documents[item.chunk.document_id], item.chunk.ordinal, item.chunk.index) for item in items]
    end = (shelf << ID_BITS) + connection.execute(_TAKE_IDS, (len(items), shelf)).get
    ids = range(end - len(items), end)
    texts = [words_of(item.chunk.text) for item in items]
    vectors = encode([item.vector for item in items])
    connection.executemany(
        _CHUNK,
        [
            (id_, *key, item.from_rev, item.to_rev, readers[item.readers], _length(item))
            for id_, key, item in zip(ids, keys, items, strict=True)
        ],
    )
    connection.executemany(_VECTOR, zip(ids, map(bytes, vectors.low_bytes), strict=True))
    connection.executemany(_TEXT, [(id_, i.chunk.text, _details(i)) for id_, i in zip(ids, items, strict=True)])
    pages.refresh(connection, ids, pages.Added(np.array(ids, dtype=np.int64), vectors))
    segments.add(connection, ids[0], texts)


def _length(item: IndexedChunk) -> int:
    return stored_length(count_words(item.chunk.text))


def _details(item: IndexedChunk) -> str:
    return json.dumps(details_of(item.chunk), ensure_ascii=False, separators=(",", ":"))
