"""What each command does once its options are read; every one returns its exit code."""

from knowledge_base_cli.commands import ask, delete, ingest, mcp, status

__all__ = ["ask", "delete", "ingest", "mcp", "status"]
