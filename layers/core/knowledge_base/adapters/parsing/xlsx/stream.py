"""The big parts of a workbook, read as a stream: rows and shared texts, never a whole tree.

A sheet may have a million rows; trees of them would take gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_CELLS = 3_000_000
"""Cells and rows of a sheet together."""
MAX_COLUMNS = 16_384
_PIECE = 65_536
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
_LETTERS = re.compile(r"[A-Za-z]{1,3}")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


@dataclass(slots=True)
class RawCell:
    """A cell as it is stored: `kind` is its `t` attribute, `style` the number of its look."""

    column: int
    kind: str
    style: int
    value: str = ""
    formula: str = ""


@dataclass(slots=True)
class RawRow:
    """The stored cells of the row with this number from 1."""

    number: int
    cells: list[RawCell] = field(default_factory=list)


class _LocalNames(dict[str, str]):
    """Names of elements without their prefixes."""

    def __missing__(self, name: str) -> str:
        return self.setdefault(name, name.rpartition(":")[2])


class _Columns(dict[str, int]):
    """Columns from 0 by their letters."""

    def __missing__(self, letters: str) -> int:
        column = 0
        for letter in letters.upper():
            column = column * 26 + ord(letter) - ord("A") + 1
        return self.setdefault(letters, column - 1)


_LOCAL, _COLUMNS = _LocalNames(), _Columns()


class _Handler:
    """Gathers what a stream says."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        raise NotImplementedError

    def end(self, name: str) -> None:
        raise NotImplementedError

    def data(self, text: str) -> None:
        raise NotImplementedError


class _Texts(_Handler):
    """The shared texts, without the readings that stand above Asian characters."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._pieces: list[str] = []
        self._is_text = False
        self._readings = 0

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        name = _LOCAL[name]
        if name == "rPh":
            self._readings += 1
        self._is_text = name == "t" and not self._readings

    def end(self, name: str) -> None:
        name = _LOCAL[name]
        self._is_text = False
        if name == "rPh":
            self._readings -= 1
        elif name == "si":
            self.texts.append(unescape("".join(self._pieces)))
            self._pieces = []

    def data(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)


class _Rows(_Handler):
    """The rows of a sheet; whoever feeds the stream takes them away."""

    def __init__(self) -> None:
        self.rows: list[RawRow] = []
        self._row = RawRow(0)
        self._cell = RawCell(-1, "", 0)
        self._pieces: list[str] = []
        self._is_text = False
        self._readings = 0
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = _LOCAL[name]
        if name == "c":
            self._start_cell(attributes)
        elif name == "row":
            self._count_one()
            number = attributes.get("r", "")
            self._row = RawRow(int(number) if number.isdecimal() else self._row.number + 1)
            self._cell = RawCell(-1, "", 0)
        elif name == "rPh":
            self._readings += 1
        elif name in ("v", "f", "t") and not self._readings:
            self._is_text = True
            self._pieces = []

    def end(self, name: str) -> None:
        name = _LOCAL[name]
        if name in ("v", "t") and self._is_text:
            self._cell.value += "".join(self._pieces)
        elif name == "f" and self._is_text:
            self._cell.formula = "".join(self._pieces)
        elif name == "row":
            self.rows.append(self._row)
        elif name == "rPh":
            self._readings -= 1
        if name in ("v", "t", "f"):
            self._is_text = False

    def data(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)

    def _count_one(self) -> None:
        self._count += 1
        if self._count > MAX_CELLS:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a sheet has more than {MAX_CELLS} cells")

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._count_one()
        if len(self._row.cells) >= MAX_COLUMNS:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a row has more than {MAX_COLUMNS} cells")
        style = attributes.get("s", "")
        column = column_of(attributes.get("r", ""))
        self._cell = RawCell(
            self._cell.column + 1 if column is None else column,
            attributes.get("t", "n"),
            int(style) if style.isdecimal() else 0,
        )
        self._row.cells.append(self._cell)


def shared_texts(data: bytes) -> list[str]:
    """Return the texts that the cells of a workbook point to.

    Raises:
        IngestionFailed: they are not well-formed.
    """
    handler = _Texts()
    for _piece in _feed(data, handler):
        pass
    return handler.texts


def sheet_rows(data: bytes) -> Iterator[RawRow]:
    """Yield the rows of a sheet, those above a damaged place too.

    Raises:
        IngestionFailed: it is not well-formed, or has too many cells.
    """
    handler = _Rows()
    try:
        for _piece in _feed(data, handler):
            yield from handler.rows
            handler.rows = []
    except IngestionFailed:
        yield from handler.rows
        raise


def column_of(reference: str) -> int | None:
    """Return the column from 0 of a cell such as `B3`, or None where it is no cell."""
    letters = reference.rstrip("0123456789")
    return _COLUMNS[letters] if letters in _COLUMNS or _LETTERS.fullmatch(letters) else None


def unescape(text: str) -> str:
    """Return a stored text with its `_x000D_` signs as the characters they stand for."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _feed(data: bytes, handler: _Handler) -> Iterator[None]:
    """Feed piece by piece; with a default handler, expat neither expands nor fetches entities."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.data
    parser.DefaultHandler = lambda _data: None
    if b"\x00" not in data[:4]:
        data = data.translate(None, _CONTROLS)
    try:
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
            yield
        parser.Parse(b"", True)
        yield
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise corrupt("a part of it is not well-formed") from error
