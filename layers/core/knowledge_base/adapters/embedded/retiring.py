"""Ending, relabelling and deleting chunks: the statements, most for one knowledge base, which return the ids."""

from __future__ import annotations

from knowledge_base.domain.chunks import OPEN

TURN = 1000
"""How many chunks one statement deletes, so that another process gets its turn to write."""

_CHUNKS = """
  SELECT c.id FROM knowledge_bases AS k
  CROSS JOIN chunks AS c ON c.id BETWEEN k.number << 32 AND (k.number << 32) | 4294967295
  WHERE k.kb_id = :kb_id"""

_CHUNKS_OF_DOCUMENT = """
  SELECT c.id FROM documents AS d CROSS JOIN chunks AS c ON c.document = d.number
  CROSS JOIN knowledge_bases AS k ON k.number = c.id >> 32
  WHERE d.document_id = :document_id AND k.kb_id = :kb_id"""

CLOSE_VERSIONS = f"""
UPDATE chunks SET to_rev = :revision
WHERE id IN ({_CHUNKS_OF_DOCUMENT} AND c.ordinal < :below AND c.to_rev = {OPEN}) RETURNING id
"""  # noqa: S608

RELABEL = f"UPDATE chunks SET reader_set = :reader_set WHERE id IN ({_CHUNKS_OF_DOCUMENT}) RETURNING id"  # noqa: S608

FORGET_UNUSED_READERS = """
DELETE FROM reader_sets WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE reader_set = ?1)
"""

REOPEN = f"UPDATE chunks SET to_rev = {OPEN} WHERE id IN ({_CHUNKS} AND c.to_rev = :revision) RETURNING id"  # noqa: S608

DELETE_BEGUN = f"""
DELETE FROM chunks WHERE id IN ({_CHUNKS} AND c.from_rev = :revision LIMIT {TURN}) RETURNING id
"""  # noqa: S608

DELETE_CLOSED = f"""
DELETE FROM chunks WHERE id IN ({_CHUNKS} AND c.to_rev <= :through AND NOT EXISTS (
  SELECT 1 FROM json_each(:keep) AS kept WHERE c.from_rev <= kept.value AND kept.value < c.to_rev) LIMIT {TURN})
RETURNING id
"""  # noqa: S608

DELETE_DOCUMENT = f"DELETE FROM chunks WHERE id IN ({_CHUNKS_OF_DOCUMENT} LIMIT {TURN}) RETURNING id"  # noqa: S608

DELETE_KNOWLEDGE_BASE = f"DELETE FROM chunks WHERE id IN ({_CHUNKS} LIMIT {TURN}) RETURNING id"  # noqa: S608
