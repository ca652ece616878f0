"""The vector index in OpenSearch: one index there for each embedding model."""
