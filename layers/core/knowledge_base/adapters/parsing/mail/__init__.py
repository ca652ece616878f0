"""Mail messages."""
