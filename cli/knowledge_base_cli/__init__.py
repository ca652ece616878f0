"""kb: read documents into a knowledge base, and ask it, from the command line."""

__version__ = "0.1.0"
