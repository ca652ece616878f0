"""Parsed text to chunks."""
