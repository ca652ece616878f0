"""The guarded HTTP client for addresses that callers name."""
