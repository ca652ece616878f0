"""The big parts of a workbook, read as a stream: rows and shared texts, never a whole tree.

A sheet may have a million rows; trees of them would take gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from xml.parsers import expat

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.sheets import MAX_CELLS, Merges
from knowledge_base.adapters.parsing.xlsx.plain_rows import PlainRow, whole_rows, whole_texts
from knowledge_base.adapters.parsing.xml_parts import feed
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_COLUMNS = 16_384
MAX_SHARED_TEXTS = 2_000_000
MAX_SHARED_CHARACTERS = 60_000_000
_LETTERS = re.compile(r"[A-Za-z]{1,3}")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MERGE = re.compile(
    rb"<(?:\w{1,20}:)?mergeCell\s[^>]{0,200}?ref\s*=\s*[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']"
)
_MERGE_WORD = b"mergeCell "
_LONGEST_MERGE = 300


WholeItems = Callable[[Iterable[bytes]], Iterator[tuple[bytes, list[Any] | None]]]
"""Parts bytes where items end, and reads the items where all of a piece are plain."""


class RawCell(NamedTuple):
    """A cell as it is stored: `kind` is its `t` attribute, `style` the number of its look."""

    column: int
    kind: str
    style: int
    value: str
    formula: str = ""


AnyCell = tuple[int, str, int, str, str]
"""A `RawCell`, or a plain tuple of the same: those are made in a third of the time."""


class RawRow(NamedTuple):
    """The stored cells of the row with this number from 1."""

    number: int
    cells: Sequence[AnyCell]


_TEXTS = frozenset(("v", "f", "t"))
_NAMES = {
    f"{prefix}:{name}": name for prefix in ("x", "ns0", "main", "s") for name in ("row", "c", "si", "rPh", "r", *_TEXTS)
}
"""The names as those few writers have them that put a prefix before."""


class _Columns(dict[str, int]):
    """Columns from 0 by their letters."""

    def __missing__(self, letters: str) -> int:
        column = 0
        for letter in letters.upper():
            column = column * 26 + ord(letter) - ord("A") + 1
        return self.setdefault(letters, column - 1)


_COLUMNS = _Columns()


class TextStore:
    """The texts that cells share, each on one line."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._length = 0

    def add(self, text: str) -> None:
        """Add a text.

        Raises:
            IngestionFailed: there are more than can be held.
        """
        self.texts.append(one_line(text))
        self._length += len(text)
        if len(self.texts) > MAX_SHARED_TEXTS or self._length > MAX_SHARED_CHARACTERS:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the workbook has too many texts to be read")


class _Texts:
    """The shared texts, without the readings that stand above Asian characters."""

    def __init__(self) -> None:
        self.store = TextStore()
        self._pieces: list[str] = []
        self._is_text = False
        self._readings = 0

    def take(self, text: str) -> None:
        """Take a text that has been read already."""
        self.store.add(unescape(text))

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        if name == "rPh":
            self._readings += 1
        self._is_text = name == "t" and not self._readings

    def end(self, name: str) -> None:
        self._is_text = False
        if name == "rPh":
            self._readings -= 1
        elif name == "si":
            self.store.add(unescape("".join(self._pieces)))
            self._pieces = []

    def data(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)


class _Rows:
    """The rows of a sheet; whoever feeds the stream takes them away."""

    def __init__(self) -> None:
        self.rows: list[RawRow] = []
        self._number, self._cells = 0, list[AnyCell]()
        self._column, self._kind, self._style = -1, "", 0
        self._value = self._formula = ""
        self._pieces: list[str] = []
        self._is_text = False
        self._readings = self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._start_cell(attributes)
        elif name in _TEXTS:
            self._is_text, self._pieces = not self._readings, []
        elif name == "row":
            number = attributes.get("r", "")
            self._number = int(number[:9]) if number.isdecimal() else self._number + 1
            self._cells, self._column = [], -1
            self._count_one()
        elif name == "rPh":
            self._readings += 1

    def end(self, name: str) -> None:
        if name == "c":
            self._cells.append(RawCell(self._column, self._kind, self._style, self._value, self._formula))
        elif name in _TEXTS:
            self._end_text(name)
        elif name == "row":
            self.rows.append(RawRow(self._number, self._cells))
        elif name == "rPh":
            self._readings -= 1

    def data(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)

    def take(self, row: PlainRow) -> None:
        """Take a row that has been read already."""
        self._number = row.number
        self._count_one(1 + len(row.cells))
        _check_columns(len(row.cells))
        cells: list[AnyCell] = [
            (_COLUMNS[letters], kind or "n", int(style) if style else 0, value, "")
            for letters, style, kind, value in row.cells
        ]
        self.rows.append(RawRow(row.number, cells))

    def _end_text(self, name: str) -> None:
        if self._is_text and name == "f":
            self._formula = "".join(self._pieces)
        elif self._is_text:
            self._value += "".join(self._pieces)
        self._is_text = False

    def _count_one(self, by: int = 1) -> None:
        self._count += by
        if self._count > MAX_CELLS:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a sheet has more than {MAX_CELLS} cells")

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._count_one()
        _check_columns(len(self._cells) + 1)
        column, style = column_of(attributes.get("r", "")), attributes.get("s", "")
        self._column = self._column + 1 if column is None else column
        self._kind = attributes.get("t", "n")
        self._style = int(style[:9]) if style.isdecimal() else 0
        self._value = self._formula = ""


def shared_texts(pieces: Iterable[bytes]) -> list[str]:
    """Return the texts that the cells of a workbook point to.

    Raises:
        IngestionFailed: they are not well-formed, or more than can be held.
    """
    handler = _Texts()
    parser = _parser(handler)
    for _piece in feed(parser, _read_plainly(pieces, parser, handler, whole_texts)):
        pass
    return handler.store.texts


def sheet_rows(pieces: Iterable[bytes]) -> Iterator[RawRow]:
    """Yield the rows of a sheet, those above a damaged place too.

    Raises:
        IngestionFailed: it is not well-formed, or has too many cells.
    """
    handler = _Rows()
    parser = _parser(handler)
    try:
        for _piece in feed(parser, _read_plainly(pieces, parser, handler, whole_rows)):
            yield from handler.rows
            handler.rows = []
    except IngestionFailed:
        yield from handler.rows
        raise


def _read_plainly(
    pieces: Iterable[bytes], parser: expat.XMLParserType, handler: _Texts | _Rows, whole: WholeItems
) -> Iterator[bytes]:
    """Pass on the bytes of a part; of pieces with plain items only, the parser shall but see whether they are sound."""
    others = parser.DefaultHandler
    for piece, items in whole(pieces):
        _listen(parser, handler if items is None else None, others)
        yield piece
        for item in items or ():
            handler.take(item)


def sheet_merges(pieces: Iterable[bytes]) -> Merges:
    """Return the merged cells of a sheet: they are stored behind the rows, so the bytes are searched before."""
    merges, text = Merges(), b""
    for piece in pieces:
        text += piece
        end = 0
        for match in _MERGE.finditer(text) if _MERGE_WORD in text else ():
            left, right = (column_of(name.decode()) or 0 for name in (match[1], match[3]))
            merges.note(int(match[2]), left, int(match[4]), right)
            end = match.end()
        text = text[max(end, len(text) - _LONGEST_MERGE) :]
    return merges


def column_of(reference: str) -> int | None:
    """Return the column from 0 of a cell such as `B3`, or None where it is no cell."""
    letters = reference.rstrip("0123456789")
    return _COLUMNS[letters] if letters in _COLUMNS or _LETTERS.fullmatch(letters) else None


def unescape(text: str) -> str:
    """Return a stored text with its `_x000D_` signs as the characters they stand for."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def one_line(text: str) -> str:
    """Return a cell's text clean and on one line."""
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(clean(text).split())


def _check_columns(count: int) -> None:
    if count > MAX_COLUMNS:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a row has more than {MAX_COLUMNS} cells")


def _parser(handler: _Texts | _Rows) -> expat.XMLParserType:
    parser = expat.ParserCreate(None, None, dict(_NAMES))
    _listen(parser, handler)
    return parser


def _listen(
    parser: expat.XMLParserType, handler: _Texts | _Rows | None, others: Callable[[str], object] | None = None
) -> None:
    parser.StartElementHandler = handler.start if handler else None
    parser.EndElementHandler = handler.end if handler else None
    parser.CharacterDataHandler = handler.data if handler else None
    parser.DefaultHandler = others if handler else None
