"""The demonstration that `make run` gives."""
