"""Serves a knowledge base to agents by the Model Context Protocol; needs the extra `mcp`."""
