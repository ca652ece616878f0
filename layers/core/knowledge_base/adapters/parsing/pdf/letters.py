"""The letters of a loaded PDF page, and where they stand.

PDFium tells of one letter a call, and a page has some three thousand: so it is asked about few of them, in one go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ctypes import byref, c_double, c_int, c_void_p, create_string_buffer
from itertools import repeat
from math import hypot
from operator import mul
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from knowledge_base.adapters.parsing.pdf.pdfium_calls import Question, address, quick
from knowledge_base.adapters.parsing.pdf.unnamed_glyphs import UNNAMED

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in points."""

_BOLD = 600
_FONT_NAME = 128
_HYPHEN = "\ufffe"
_EVERY_HYPHEN = re.compile(_HYPHEN)
_BOX = Question("FPDFText_GetLooseCharBox", c_void_p, c_int, code="f", per_answer=4)
_MATRIX = Question("FPDFText_GetMatrix", c_void_p, c_int, code="f", per_answer=6)
_ORIGIN = Question("FPDFText_GetCharOrigin", c_void_p, c_int, code="d", per_answer=2, pointers=2)


class Styles(NamedTuple):
    """How letters are set: their sizes in points, their lines' quarter turns against the clock, the heights that
    they stand on, seen as their lines run."""

    sizes: Sequence[float]
    turns: Sequence[int]
    bases: Sequence[float]


class Letters:
    """A page's text as PDFium orders it, one letter for each of PDFium's places."""

    def __init__(self, textpage: Any) -> None:
        self._textpage = textpage
        self._page = textpage.raw
        self._address = address(textpage.raw)
        count: int = textpage.count_chars()
        text: str = textpage.get_text_range(errors="surrogatepass")
        self.text = self._with_unnamed(text) if len(text) == count else self._letter_by_letter(count)

    def boxes(self, places: Sequence[int]) -> Sequence[float]:
        """Return the boxes of letters, as wide as their font says: four numbers for each."""
        return _BOX.ask(len(places), repeat(self._address), places)

    def count_pieces(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Return in how many pieces letters [start, end) were drawn, for each such span."""
        starts = [start for start, _end in spans]
        lengths = [end - start for start, end in spans]
        return list(
            map(quick("FPDFText_CountRects", c_int, c_void_p, c_int, c_int), repeat(self._address), starts, lengths)
        )

    def styles(self, places: Sequence[int]) -> Styles:
        """Return how letters are set."""
        sizes = list(map(quick("FPDFText_GetFontSize", c_double, c_void_p, c_int), repeat(self._address), places))
        matrices = _MATRIX.ask(len(places), repeat(self._address), places)
        origins = _ORIGIN.ask(len(places), repeat(self._address), places)
        sizes = list(map(mul, sizes, map(hypot, matrices[2::6], matrices[3::6])))
        if not any(matrices[1::6]) and min(matrices[0::6], default=1) > 0:
            return Styles(sizes, [0] * len(places), origins[1::2])
        turns = list(map(_quarter_turns, matrices[0::6], matrices[1::6]))
        return Styles(sizes, turns, list(map(_base, turns, origins[0::2], origins[1::2])))

    def width_at(self, place: int) -> float:
        """Return how wide a letter is, in sizes of its font."""
        left, top, right, bottom = self.boxes([place])
        size, turn = (column[0] for column in self.styles([place])[:2])
        left, _top, right, _bottom = turned((left, top, right, bottom), int(turn))
        return (right - left) / max(1.0, size)

    def ink(self, place: int) -> Box:
        """Return the box of what is seen of a letter."""
        left, right, bottom, top = (c_double() for _ in range(4))
        pdfium.FPDFText_GetCharBox(self._page, place, left, right, bottom, top)
        return left.value, top.value, right.value, bottom.value

    def height(self, start: int, end: int) -> float:
        """Return how high letters [start, end) are as they are drawn."""
        left, top, right, bottom = (c_double() for _ in range(4))
        if not pdfium.FPDFText_CountRects(self._page, start, end - start):
            return 0
        pdfium.FPDFText_GetRect(self._page, 0, byref(left), byref(top), byref(right), byref(bottom))
        return top.value - bottom.value

    def is_bold(self, place: int) -> bool:
        """Whether a letter is bold by the weight or the name of its font."""
        if pdfium.FPDFText_GetFontWeight(self._page, place) >= _BOLD:
            return True
        return b"bold" in self.font_at(place).lower()

    def font_at(self, place: int) -> bytes:
        """Return the name of a letter's font."""
        name = create_string_buffer(_FONT_NAME)
        pdfium.FPDFText_GetFontInfo(self._page, place, name, _FONT_NAME, None)
        return name.value

    def _with_unnamed(self, text: str) -> str:
        """PDFium's text has the same sign for a hyphen at a line's end and for a letter that it cannot name."""
        if _HYPHEN not in text:
            return text
        return _EVERY_HYPHEN.sub(lambda match: match[0] if self._code(match.start()) else UNNAMED, text)

    def _letter_by_letter(self, count: int) -> str:
        """PDFium's text leaves letters out that it cannot name, and counts halves of long characters."""
        return "".join(chr(self._code(place)) for place in range(count)).replace("\x02", _HYPHEN)

    def _code(self, place: int) -> int:
        code: int = pdfium.FPDFText_GetUnicode(self._page, place)
        return code


def turned(box: Box, turn: int) -> Box:
    """Return a box as it is seen where lines run that make so many quarter turns against the clock."""
    if turn == 0:
        return box
    left, top, right, bottom = box
    if turn == 1:
        return bottom, -left, top, -right
    return (-right, -bottom, -left, -top) if turn == 2 else (-top, right, -bottom, left)


def _base(turn: int, x: float, y: float) -> float:
    return (y, -x, -y, x)[turn]


def _quarter_turns(along: float, across: float) -> int:
    if abs(along) >= abs(across):
        return 0 if along >= 0 else 2
    return 1 if across > 0 else 3
