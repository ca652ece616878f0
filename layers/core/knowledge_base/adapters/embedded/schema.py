"""The tables of the embedded vector index.

A chunk's id holds the number of its knowledge base in the upper 31 bits and a running number in the
lower 32, so every table, and every list of the full-text index, keeps the chunks of a knowledge base
together: a search reads a range. `chunks` is narrow, for it is read whole; `code` is the vector in one
byte a dimension, near enough to find candidates, whose order the vectors themselves decide.
"""

SCHEMA = """
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
  id INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  place INTEGER NOT NULL,
  from_rev INTEGER NOT NULL,
  to_rev INTEGER NOT NULL,
  reader_set INTEGER NOT NULL,
  code BLOB,
  UNIQUE (document, ordinal, place)
) STRICT;

CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL, details TEXT NOT NULL) STRICT;

CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'ascii');

-- Without this, deleting a tenth of the chunks makes FTS5 rewrite its lists, for seconds on end.
INSERT INTO words (words, rank) VALUES ('deletemerge', 60);

CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);

CREATE TRIGGER forget AFTER DELETE ON chunks BEGIN
  DELETE FROM texts WHERE id = old.id;
  DELETE FROM vectors WHERE id = old.id;
  DELETE FROM words WHERE rowid = old.id;
END;
"""
