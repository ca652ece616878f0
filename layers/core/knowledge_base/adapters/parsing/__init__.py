"""Files to canonical text.

A new format is one new module with a `Format` in it, and one line in `formats.FORMATS`.
"""
