"""How the local stack fails."""

from __future__ import annotations


class StackFailure(Exception):
    """The stack cannot start or go on; the message says why and what to do, to the person at the terminal."""
