"""The engineering contract: documents with permissions, and search."""
