"""Storing chunks: the rows of one batch."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.chunk_details import details_of
from knowledge_base.adapters.storable import has_direction
from knowledge_base.adapters.words import separate_words
from knowledge_base.domain.chunks import IndexedChunk, Vector

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
_NEXT_ID = "SELECT coalesce(max(id) + 1, ?1 << 32) FROM chunks WHERE id BETWEEN ?1 << 32 AND (?1 << 32) | 4294967295"
_REMOVE = "DELETE FROM chunks WHERE document = ? AND ordinal = ? AND place = ?"
_CHUNK = """
INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?,
  CASE WHEN ?8 IS NULL THEN NULL ELSE vec_quantize_int8(vec_normalize(?8), 'unit') END)
"""
_TEXT = "INSERT INTO texts VALUES (?, ?, ?)"
_VECTOR = "INSERT INTO vectors VALUES (?, ?)"
_WORDS = "INSERT INTO words (rowid, text) VALUES (?, ?)"


def pack(vector: Vector) -> bytes | None:
    """Return a vector as SQLite holds it; one that points nowhere is not held."""
    return array("f", vector).tobytes() if has_direction(vector) else None


def store(connection: Connection, chunks: Iterable[IndexedChunk]) -> None:
    """Store chunks with distinct ids in place of those with the same ids."""
    shelves: dict[tuple[str, str], list[IndexedChunk]] = defaultdict(list)
    for item in chunks:
        shelves[item.kb_id, item.tenant].append(item)
    for owner, items in shelves.items():
        _store_on_shelf(connection, connection.execute(_KNOWLEDGE_BASE, owner).get, items)


def _store_on_shelf(connection: Connection, shelf: int, items: Sequence[IndexedChunk]) -> None:
    documents = {name: connection.execute(_DOCUMENT, (name,)).get for name in {i.chunk.document_id for i in items}}
    readers = {marks: reader_set_number(connection, marks) for marks in {item.readers for item in items}}
    keys = [(documents[item.chunk.document_id], item.chunk.ordinal, item.chunk.index) for item in items]
    connection.executemany(_REMOVE, keys)
    first = connection.execute(_NEXT_ID, (shelf,)).get
    rows = list(zip(range(first, first + len(items)), keys, items, map(_packed, items), strict=True))
    connection.executemany(
        _CHUNK,
        [(id_, *key, item.from_rev, item.to_rev, readers[item.readers], vector) for id_, key, item, vector in rows],
    )
    connection.executemany(_VECTOR, [(id_, vector) for id_, _, _, vector in rows if vector is not None])
    connection.executemany(
        _TEXT, [(id_, item.chunk.text, _compact(details_of(item.chunk))) for id_, _, item, _ in rows]
    )
    connection.executemany(_WORDS, [(id_, separate_words(item.chunk.text)) for id_, _, item, _ in rows])


def _packed(item: IndexedChunk) -> bytes | None:
    return pack(item.vector)


def _compact(details: dict[str, Any]) -> str:
    return json.dumps(details, ensure_ascii=False, separators=(",", ":"))


def reader_set_number(connection: Connection, readers: frozenset[str]) -> int:
    """Return the number of a set of readers, which is stored if it is new."""
    members = json.dumps(sorted(readers))
    number: int = connection.execute(_READER_SET, (members,)).get
    connection.execute(_READER_MARKS, (number, members))
    return number
