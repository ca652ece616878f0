"""Rows of a sheet as nearly all writers write them, read without a call for each element.

A cell has its name, its style and its type, in this order, and a value; no formula, no text of its own, no references
to characters. Everything else is left to the parser of XML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

_LONGEST_HELD = 1 << 20
_VALUE = r"[^<&\x00-\x1f]*+"
_CELL_TEXT = rf'<c r="[A-Z]{{1,3}}\d{{1,7}}"(?: s="\d{{1,9}}")?(?: t="\w++")?(?:/>|>(?:<v>{_VALUE}</v>)?</c>)'
_ROW = re.compile(rf'\s*+<row r="(\d{{1,9}})"(?: [\w:]++="[^"<>&]*+")*+(?:/>|>((?:{_CELL_TEXT})*+)</row>)')
_CELL = re.compile(rf'<c r="([A-Z]{{1,3}})\d++"(?: s="(\d++)")?(?: t="(\w++)")?(?:/>|>(?:<v>({_VALUE})</v>)?</c>)')
_SHARED = re.compile(rf'<si><t(?: xml:space="preserve")?>({_VALUE})</t></si>')
_SIGNS_OF_SHARED = 4
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-8[\"'])", re.I)


Item = TypeVar("Item")


class PlainRow(NamedTuple):
    """A row's number from 1, and its cells: the letters of the column, style, type and value of each."""

    number: int
    cells: list[tuple[str, str, str, str]]


def whole_rows(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, list[PlainRow] | None]]:
    """Yield bytes in pieces that end where a row ends, with their rows; None where the parser has to read them."""
    return _whole(pieces, b"</row>", _plain_rows)


def whole_texts(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, list[str] | None]]:
    """Yield bytes in pieces that end where a shared text ends, with the texts; None where the parser has to read."""
    return _whole(pieces, b"</si>", _plain_texts)


def _whole(
    pieces: Iterable[bytes], end: bytes, read: Callable[[str], list[Item] | None]
) -> Iterator[tuple[bytes, list[Item] | None]]:
    rest, is_usual, is_first = b"", True, True
    for piece in pieces:
        rest += piece
        cut = rest.rfind(end) + len(end)
        is_usual = is_usual and b"<!" not in rest and not (is_first and _OTHER_ENCODING.match(rest))
        is_first = False
        if not is_usual or len(rest) > _LONGEST_HELD:
            yield rest, None
            rest = b""
        elif cut >= len(end):
            yield rest[:cut], _decoded(rest[:cut], read)
            rest = rest[cut:]
    yield rest, None


def _decoded(piece: bytes, read: Callable[[str], list[Item] | None]) -> list[Item] | None:
    try:
        return read(piece.decode())
    except UnicodeDecodeError:
        return None


def _plain_texts(text: str) -> list[str] | None:
    place = text.find("<si>")
    if place < 0 or "<t" in text[:place]:
        return None
    texts = _SHARED.findall(text, place)
    return texts if len(texts) * _SIGNS_OF_SHARED == text.count("<", place) and "&" not in text else None


def _plain_rows(text: str) -> list[PlainRow] | None:
    place = text.find("<row")
    if place < 0 or "<c " in text[:place]:
        return None
    rows: list[PlainRow] = []
    while match := _ROW.match(text, place):
        rows.append(PlainRow(int(match[1]), _CELL.findall(match[2] or "")))
        place = match.end()
    return rows if place == len(text) else None
