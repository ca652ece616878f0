"""Rows of a sheet as nearly all writers write them, read without a call for each element.

A cell has its name, its style and its type, in this order, and a value; no formula, no text of its own, no references
to characters. Everything else is left to the parser of XML. It is given what stands around plain items too, and in
their place as little as shows whether they may stand there: that they are sound, the expressions have seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from xml.parsers import expat

from knowledge_base.adapters.parsing.xlsx.alike_rows import HEAD, VALUE, Shapes
from knowledge_base.adapters.parsing.xlsx.cells import COLUMNS, RawRow, RawRun

_LONGEST_HELD = 1 << 20
_VALUE = f"{VALUE}*+"
_CELL_TEXT = rf'<c r="[A-Z]{{1,3}}[0-9]{{1,7}}"(?: s="[0-9]{{1,9}}")?(?: t="\w++")?(?:/>|>(?:<v>{_VALUE}</v>)?</c>)'
_ROW = re.compile(rf"{HEAD}(?:/>|>((?:{_CELL_TEXT})*+)</row>)")
_CELL = re.compile(
    rf'<c r="([A-Z]{{1,3}})[0-9]++"(?: s="([0-9]++)")?(?: t="(\w++)")?(?:/>|>(?:<v>({_VALUE})</v>)?</c>)'
)
_SHARED = re.compile(rf'<si><t(?: xml:space="preserve")?>({_VALUE})</t></si>')
_SIGNS_OF_SHARED = 4
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-8[\"'])", re.I)
_UNSOUND = ("]]>", "\ufffe", "\uffff")
"""What no text of an XML file may hold, beside signs and control characters."""

Item = TypeVar("Item")
Read = Callable[[str], "tuple[str, list[Item]] | None"]


class PlainRows:
    """Reads the plain rows of a sheet."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._sound: set[str] = set()

    def whole(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, list[RawRow | RawRun] | None]]:
        """Yield bytes in pieces that end where a row ends, and None where the parser has to read them.

        Else the rows of each piece, and what the parser has to check instead.
        """
        return _whole(pieces, b"</row>", self._read)

    def _read(self, text: str) -> tuple[str, list[RawRow | RawRun]] | None:
        start = place = text.find("<row")
        if start < 0 or "<c " in text[:start] or _is_unsound(text):
            return None
        rows: list[RawRow | RawRun] = []
        attributes: set[str] = set()
        while found := _ROW.match(text, place):
            cells = _CELL.findall(found[3] or "")
            alike = self._shapes.alike(text, place, cells)
            if alike:
                rows.append(alike.run)
                attributes |= alike.attributes
                place = alike.end
            else:
                rows.append(_row(found[1], cells))
                attributes.add(found[2])
                place = found.end()
        return (f"{text[:start]}<row/>", rows) if place == len(text) and self._are_sound(attributes) else None

    def _are_sound(self, attributes: set[str]) -> bool:
        """Whether rows may have all these attributes; few are different, so each is looked at once."""
        sound = set(filter(_is_element, attributes - self._sound))
        self._sound |= sound
        return attributes <= self._sound


def whole_texts(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, list[str] | None]]:
    """Yield bytes in pieces that end where a shared text ends, and None where the parser has to read them.

    Else the texts of each piece, and what the parser has to check instead.
    """
    return _whole(pieces, b"</si>", _plain_texts)


def _whole(pieces: Iterable[bytes], end: bytes, read: Read[Item]) -> Iterator[tuple[bytes, list[Item] | None]]:
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
            yield _read(rest[:cut], read)
            rest = rest[cut:]
    yield rest, None


def _read(piece: bytes, read: Read[Item]) -> tuple[bytes, list[Item] | None]:
    try:
        found = read(piece.decode())
    except UnicodeDecodeError:
        return piece, None
    return (found[0].encode(), found[1]) if found else (piece, None)


def _plain_texts(text: str) -> tuple[str, list[str]] | None:
    place = text.find("<si>")
    if place < 0 or "<t" in text[:place] or "&" in text or _is_unsound(text):
        return None
    start, signs = text[:place] + "<si/>", text.count("<", place)
    for find in (_texts_alike, _SHARED.findall):
        texts = find(text[place:])
        if len(texts) * _SIGNS_OF_SHARED == signs:
            return start, texts
    return None


def _texts_alike(text: str) -> list[str]:
    """Return shared texts told by what stands between them, where all of them are written without anything else."""
    begin, end = "<si><t>", "</t></si>"
    is_alike = text.startswith(begin) and text.endswith(end) and text.isprintable()
    return text[len(begin) : -len(end)].split(end + begin) if is_alike else []


def _row(number: str, cells: Iterable[tuple[str, str, str, str]]) -> RawRow:
    stored = [(COLUMNS[letters], kind or "n", int(style or 0), value, "") for letters, style, kind, value in cells]
    return RawRow(int(number), stored)


def _is_element(attributes: str) -> bool:
    try:
        expat.ParserCreate().Parse(f'<row r="1"{attributes}/>', True)
    except expat.ExpatError:
        return False
    return True


def _is_unsound(text: str) -> bool:
    return any(sign in text for sign in _UNSOUND)
