"""EPUB books."""
