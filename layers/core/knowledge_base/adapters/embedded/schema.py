"""The tables of the embedded vector index.

A chunk's id holds the number of its knowledge base in the upper 31 bits and a running number, never given
twice, in the lower 32. `chunks` says what is there. Two things are derived from it, in the same transaction,
in the form that a search reads: a *page* holds what filters and the scan need of 1,024 consecutive ids, and
a *segment* holds which words stand where among some consecutive ids of one knowledge base.

`stamp` counts the changes of a knowledge base; a page keeps the stamp of its last change, so that a process
that has read it before knows whether to read it again.
"""

FORMAT = 3
"""Raised with every change of the tables or of what their blobs hold; `upgrading.py` brings older files here."""

SCHEMA = f"""
PRAGMA user_version = {FORMAT};

CREATE TABLE knowledge_bases (
  number INTEGER PRIMARY KEY,
  kb_id TEXT NOT NULL,
  tenant TEXT NOT NULL,
  stamp INTEGER NOT NULL DEFAULT 0,
  next_id INTEGER NOT NULL DEFAULT 0,
  UNIQUE (kb_id, tenant)
) STRICT;

CREATE TABLE documents (number INTEGER PRIMARY KEY, document_id TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE reader_sets (number INTEGER PRIMARY KEY, members TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE reader_marks (
  reader TEXT NOT NULL, reader_set INTEGER NOT NULL, PRIMARY KEY (reader, reader_set)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  place INTEGER NOT NULL,
  from_rev INTEGER NOT NULL,
  to_rev INTEGER NOT NULL,
  reader_set INTEGER NOT NULL,
  length INTEGER NOT NULL,
  UNIQUE (document, ordinal, place)
) STRICT;

CREATE INDEX chunks_by_reader_set ON chunks (reader_set);

CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL, details TEXT NOT NULL) STRICT;

CREATE TABLE vectors (id INTEGER PRIMARY KEY, low_bytes BLOB NOT NULL) STRICT;

CREATE TRIGGER forget_chunk AFTER DELETE ON chunks BEGIN
  DELETE FROM texts WHERE id = old.id;
  DELETE FROM vectors WHERE id = old.id;
  DELETE FROM documents WHERE number = old.document
    AND NOT EXISTS (SELECT 1 FROM chunks WHERE document = old.document);
  DELETE FROM reader_sets WHERE number = old.reader_set
    AND NOT EXISTS (SELECT 1 FROM chunks WHERE reader_set = old.reader_set);
END;

CREATE TRIGGER relabel_chunk AFTER UPDATE OF reader_set ON chunks WHEN old.reader_set <> new.reader_set BEGIN
  DELETE FROM reader_sets WHERE number = old.reader_set
    AND NOT EXISTS (SELECT 1 FROM chunks WHERE reader_set = old.reader_set);
END;

CREATE TRIGGER forget_reader_set AFTER DELETE ON reader_sets BEGIN
  DELETE FROM reader_marks
  WHERE reader_set = old.number AND reader IN (SELECT value FROM json_each(old.members));
END;

CREATE TABLE pages (first_id INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, chunks BLOB NOT NULL) STRICT;

CREATE TABLE codes (first_id INTEGER PRIMARY KEY, high_bytes BLOB NOT NULL) STRICT;

CREATE TABLE segments (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  first_id INTEGER NOT NULL UNIQUE,
  last_id INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  buckets INTEGER NOT NULL
) STRICT;

CREATE TABLE postings (bucket INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

-- How many chunks of the whole file have a word, and how many have any, with how many words in all.
CREATE TABLE frequencies (word INTEGER PRIMARY KEY, chunks INTEGER NOT NULL) STRICT;

CREATE TABLE totals (chunks INTEGER NOT NULL, words INTEGER NOT NULL) STRICT;

INSERT INTO totals VALUES (0, 0);
"""  # noqa: S608

ID_BITS = 32
PAGE = 1024
"""How many consecutive ids share a page."""


def ids_of(knowledge_base: int) -> tuple[int, int]:
    """Return the first and the last id that chunks of a knowledge base may have."""
    return knowledge_base << ID_BITS, (knowledge_base + 1 << ID_BITS) - 1
