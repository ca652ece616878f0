"""The vector index inside the process: one SQLite file for each embedding model."""
