"""Excel workbooks (Office Open XML)."""
