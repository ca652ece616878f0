"""Bringing a file of an older format to this one, in one transaction: whoever opens it first does it, others wait.

Format 1 held vectors in single precision, and their words in a table of FTS5. All that it told of a chunk is kept.
Format 2 is this one, but for the parts of identifiers, which its segments do not hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from knowledge_base.adapters.chunk_details import DETAILS, chunk_of
from knowledge_base.adapters.embedded import segments
from knowledge_base.adapters.embedded.schema import FORMAT, SCHEMA
from knowledge_base.adapters.embedded.writing import store
from knowledge_base.adapters.words import words_of
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.errors import IndexUnavailable

if TYPE_CHECKING:
    from apsw import Connection

_BATCH = 500
_FORGET_WORDS = f"""
DELETE FROM segments; DELETE FROM postings; DELETE FROM frequencies; UPDATE totals SET chunks = 0, words = 0;
PRAGMA user_version = {FORMAT};
"""  # noqa: S608
_TEXTS = "SELECT id, text FROM texts WHERE id > ? ORDER BY id LIMIT ?"
_TABLES = ("knowledge_bases", "documents", "reader_sets", "reader_marks", "chunks", "texts", "vectors")
_PUT_ASIDE = "".join(
    (
        "DROP TRIGGER forget; DROP TABLE vocabulary; DROP TABLE words;",
        *(f"ALTER TABLE {table} RENAME TO old_{table};" for table in _TABLES),
    )
)
_DROP_OLD = "".join(f"DROP TABLE old_{table};" for table in _TABLES)
_OLD_CHUNKS = """
SELECT c.id, d.document_id, c.ordinal, c.place, t.text, t.details, v.vector, k.tenant, k.kb_id, c.from_rev, c.to_rev,
  r.members
FROM old_chunks AS c CROSS JOIN old_documents AS d ON d.number = c.document CROSS JOIN old_texts AS t ON t.id = c.id
LEFT JOIN old_vectors AS v ON v.id = c.id CROSS JOIN old_knowledge_bases AS k ON k.number = c.id >> 32
CROSS JOIN old_reader_sets AS r ON r.number = c.reader_set
WHERE c.id > ? ORDER BY c.id LIMIT ?
"""


def upgrade(connection: Connection, dimensions: int) -> None:
    """Bring a file to this format, if it is of an older one.

    Raises:
        IndexUnavailable: the file is of a newer format.
    """
    if _format(connection) == FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if (found := _format(connection)) > FORMAT:
            raise IndexUnavailable("the vector index was written by a newer version")
        if found == 1:
            _rewrite(connection, dimensions)
        elif found < FORMAT:
            _index_words_anew(connection)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _format(connection: Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").get
    return version


def _rewrite(connection: Connection, dimensions: int) -> None:
    for _ in connection.execute(_PUT_ASIDE + SCHEMA):
        pass
    for batch in _batches(connection, dimensions):
        store(connection, batch)
    connection.execute(_DROP_OLD)


def _index_words_anew(connection: Connection) -> None:
    for _ in connection.execute(_FORGET_WORDS):
        pass
    last = -1
    while rows := _texts_after(connection, last):
        last = rows[-1][0]
        for _, run in groupby(enumerate(rows), lambda placed: placed[1][0] - placed[0]):
            consecutive = [row for _, row in run]
            segments.add(connection, consecutive[0][0], [words_of(text) for _, text in consecutive])


def _texts_after(connection: Connection, last: int) -> list[tuple[int, str]]:
    rows: list[tuple[Any, ...]] = connection.execute(_TEXTS, (last, _BATCH)).fetchall()
    return [(id_, text) for id_, text in rows]


def _batches(connection: Connection, dimensions: int) -> Iterator[list[IndexedChunk]]:
    last = -1
    while rows := _rows_after(connection, last):
        last = rows[-1][0]
        yield [_chunk(row, dimensions) for row in rows]


def _rows_after(connection: Connection, last: int) -> list[tuple[Any, ...]]:
    return connection.execute(_OLD_CHUNKS, (last, _BATCH)).fetchall()


def _chunk(row: tuple[Any, ...], dimensions: int) -> IndexedChunk:
    _, document_id, ordinal, place, text, details, vector, tenant, kb_id, from_rev, to_rev, members = row
    named = json.loads(details)
    return IndexedChunk(
        chunk_of(document_id, ordinal, place, text, [named[name] for name in DETAILS]),
        np.frombuffer(vector, dtype=np.float32).tolist() if vector else [0.0] * dimensions,
        tenant,
        kb_id,
        from_rev,
        to_rev,
        frozenset(json.loads(members)),
    )
