"""Measurements. `make bench` runs them and prints tables; nothing here passes or fails."""
