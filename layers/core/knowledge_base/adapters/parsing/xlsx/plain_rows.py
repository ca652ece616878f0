"""Rows of a sheet as nearly all writers write them, read without a call for each element.

A cell has its name, its style and its type, in this order, and a value; no formula, no text of its own, no references
to characters. Everything else is left to the parser of XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_ROW_END = b"</row>"
_LONGEST_HELD = 1 << 20
_VALUE = r"[^<&\x00-\x1f]*+"
_CELL_TEXT = rf'<c r="[A-Z]{{1,3}}\d{{1,7}}"(?: s="\d{{1,9}}")?(?: t="\w++")?(?:/>|>(?:<v>{_VALUE}</v>)?</c>)'
_ROW = re.compile(rf'\s*+<row r="(\d{{1,9}})"(?: [\w:]++="[^"<>&]*+")*+(?:/>|>((?:{_CELL_TEXT})*+)</row>)')
_CELL = re.compile(rf'<c r="([A-Z]{{1,3}})\d++"(?: s="(\d++)")?(?: t="(\w++)")?(?:/>|>(?:<v>({_VALUE})</v>)?</c>)')
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-8[\"'])", re.I)


class PlainRow(NamedTuple):
    """A row's number from 1, and its cells: the letters of the column, style, type and value of each."""

    number: int
    cells: list[tuple[str, str, str, str]]


def whole_rows(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, list[PlainRow] | None]]:
    """Yield bytes in pieces that end where a row ends, with their rows; None where the parser has to read them."""
    rest, is_usual, is_first = b"", True, True
    for piece in pieces:
        rest += piece
        cut = rest.rfind(_ROW_END) + len(_ROW_END)
        is_usual = is_usual and b"<!" not in rest and not (is_first and _OTHER_ENCODING.match(rest))
        is_first = False
        if not is_usual or len(rest) > _LONGEST_HELD:
            yield rest, None
            rest = b""
        elif cut >= len(_ROW_END):
            yield rest[:cut], _plain_rows(rest[:cut])
            rest = rest[cut:]
    yield rest, None


def _plain_rows(piece: bytes) -> list[PlainRow] | None:
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return None
    place = text.find("<row")
    if place < 0 or "<c " in text[:place]:
        return None
    rows: list[PlainRow] = []
    while match := _ROW.match(text, place):
        rows.append(PlainRow(int(match[1]), _CELL.findall(match[2] or "")))
        place = match.end()
    return rows if place == len(text) else None
