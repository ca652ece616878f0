"""Comma- and tab-separated values."""
