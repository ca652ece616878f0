"""The big parts of a workbook, read as a stream: rows and shared texts, never a whole tree.

A sheet may have a million rows; trees of them would take gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar
from xml.parsers import expat

from knowledge_base.adapters.parsing.sheets import MAX_CELLS, Merges
from knowledge_base.adapters.parsing.xlsx.alike_rows import Shapes
from knowledge_base.adapters.parsing.xlsx.cells import AnyCell, RawCell, RawRow, RawRun, column_of, one_line, unescape
from knowledge_base.adapters.parsing.xlsx.plain_rows import PlainRows, whole_texts
from knowledge_base.adapters.parsing.xml_parts import feed
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_COLUMNS = 16_384
MAX_SHARED_TEXTS = 2_000_000
MAX_SHARED_CHARACTERS = 60_000_000
_MERGE = re.compile(
    rb"<(?:\w{1,20}:)?mergeCell\s[^>]{0,200}?ref\s*=\s*[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']"
)
_MERGE_WORD = b"mergeCell "
_LONGEST_MERGE = 300


Item = TypeVar("Item")


class _Handler(Protocol[Item]):
    """Listens to a parser, and takes what has been read without it."""

    def start(self, name: str, attributes: dict[str, str], /) -> None: ...

    def end(self, name: str, /) -> None: ...

    def data(self, text: str, /) -> None: ...

    def take(self, items: list[Item], /) -> None: ...


_TEXTS = frozenset(("v", "f", "t"))
_NAMES = {
    f"{prefix}:{name}": name for prefix in ("x", "ns0", "main", "s") for name in ("row", "c", "si", "rPh", "r", *_TEXTS)
}
"""The names as those few writers have them that put a prefix before."""


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
        self._hold([one_line(text)], len(text))

    def extend(self, texts: list[str]) -> None:
        """Add texts as they are stored.

        Raises:
            IngestionFailed: there are more than can be held.
        """
        together = "".join(texts)
        if together.isprintable() and "  " not in together and "_x" not in together:
            self._hold(list(map(str.strip, texts)), len(together))
        else:
            for text in texts:
                self.add(unescape(text))

    def _hold(self, texts: list[str], length: int) -> None:
        self.texts += texts
        self._length += length
        if len(self.texts) > MAX_SHARED_TEXTS or self._length > MAX_SHARED_CHARACTERS:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the workbook has too many texts to be read")


class _Texts:
    """The shared texts, without the readings that stand above Asian characters."""

    def __init__(self) -> None:
        self.store = TextStore()
        self._pieces: list[str] = []
        self._is_text = False
        self._readings = 0

    def take(self, texts: list[str]) -> None:
        """Take texts that have been read already."""
        self.store.extend(texts)

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
        self.rows: list[RawRow | RawRun] = []
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

    def take(self, rows: list[RawRow | RawRun]) -> None:
        """Take rows that have been read already."""
        for row in rows:
            height, width = (row.height, row.width) if isinstance(row, RawRun) else (1, len(row.cells))
            self._number = row.number + height - 1
            self._count_one(height * (1 + width))
            _check_columns(width)
        self.rows += rows

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
    for _piece in feed(parser, _read_plainly(whole_texts(pieces), parser, handler)):
        pass
    return handler.store.texts


def sheet_rows(pieces: Iterable[bytes], shapes: Shapes) -> Iterator[RawRow | RawRun]:
    """Yield the rows of a sheet, those above a damaged place too; `shapes` are those of the workbook.

    Raises:
        IngestionFailed: it is not well-formed, or has too many cells.
    """
    handler = _Rows()
    parser = _parser(handler)
    try:
        for _piece in feed(parser, _read_plainly(PlainRows(shapes).whole(pieces), parser, handler)):
            yield from handler.rows
            handler.rows = []
    except IngestionFailed:
        yield from handler.rows
        raise


def _read_plainly(
    whole: Iterable[tuple[bytes, list[Item] | None]], parser: expat.XMLParserType, handler: _Handler[Item]
) -> Iterator[bytes]:
    """Pass on the bytes of a part; what stands for plain items, the parser shall but see whether it is sound."""
    others = parser.DefaultHandler
    for piece, items in whole:
        _listen(parser, handler if items is None else None, others)
        yield piece
        if items:
            handler.take(items)


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


def _check_columns(count: int) -> None:
    if count > MAX_COLUMNS:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a row has more than {MAX_COLUMNS} cells")


def _parser(handler: _Handler[Item]) -> expat.XMLParserType:
    parser = expat.ParserCreate(None, None, dict(_NAMES))
    _listen(parser, handler)
    return parser


def _listen(
    parser: expat.XMLParserType, handler: _Handler[Item] | None, others: Callable[[str], object] | None = None
) -> None:
    parser.StartElementHandler = handler.start if handler else None
    parser.EndElementHandler = handler.end if handler else None
    parser.CharacterDataHandler = handler.data if handler else None
    parser.DefaultHandler = others if handler else None
