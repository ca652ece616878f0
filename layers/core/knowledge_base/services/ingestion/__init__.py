"""The pipeline: fetch, parse, chunk, embed, publish; and how a version ends."""
