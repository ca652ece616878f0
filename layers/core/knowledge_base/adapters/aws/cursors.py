"""Cursors: the sort key that a page ended with, in a form that travels well in URLs."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

from knowledge_base.domain.errors import InvalidInput

_MARK = "1|"
_MAX_LENGTH = 1300


def encode_cursor(sort_key: str) -> str:
    """Return the cursor of the page that follows a sort key."""
    return urlsafe_b64encode((_MARK + sort_key).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    """Return the sort key that a cursor stands for.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    text = _decode(cursor)
    sort_key = text.removeprefix(_MARK)
    if len(cursor) > _MAX_LENGTH or not sort_key or encode_cursor(sort_key) != cursor:
        raise InvalidInput("the cursor is not valid", field="cursor")
    return sort_key


def _decode(cursor: str) -> str:
    try:
        return urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeError):
        return ""
