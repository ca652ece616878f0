"""Places where windows begin anew, chosen by the text around them, so that an edit moves only the windows near it."""

from __future__ import annotations

import re
from zlib import crc32

WINDOWS = 4
"""From one place to the next there are at least this many windows, and about twice as many at most."""
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_LINE = re.compile(r"\n[^\S\n]*")
_SIGNATURE = 32


class Anchors:
    """Follows the windows that are laid on a text, and tells where the next one has to end.

    Among the paragraphs (else the lines) in some stretch the one is taken whose first characters have
    the least checksum. That choice does not depend on where the windows before it stand, so the
    windows after a changed passage are soon the same as before the change.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._begin = 0
        self._windows = 0
        self.limit = len(text)

    def note(self, end: int) -> None:
        """Take notice of a window that ends there."""
        self._windows += 1
        if end >= self.limit:
            self._begin, self._windows, self.limit = end, 0, len(self._text)
        elif self.limit == len(self._text) and self._windows >= WINDOWS:
            self.limit = self._choose(end, 2 * end - self._begin)
            self._begin, self._windows = end, 0

    def _choose(self, low: int, high: int) -> int:
        for boundary in (_PARAGRAPH, _LINE):
            places = [match.end() for match in boundary.finditer(self._text, low, high)]
            if places:
                return min(places, key=lambda place: (self._checksum(place), place))
        return len(self._text)

    def _checksum(self, place: int) -> int:
        return crc32(self._text[place : place + _SIGNATURE].encode(errors="replace"))
