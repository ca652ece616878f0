"""HTML pages and saved web archives."""
