"""A knowledge base as event-driven functions: documents in, cited answers out."""
