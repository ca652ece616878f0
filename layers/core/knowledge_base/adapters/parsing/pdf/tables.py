"""Tables of a PDF page, told by the columns that their cells keep to.

Only what is surely a table becomes one: rows below each other, most of them with as many cells, in columns that
no cell crosses. Everything else stays the lines that it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.pdf.lines import Line, Piece, merged, pieces_of
from knowledge_base.adapters.parsing.tables import Cell, Row, column_names, named_lines, table_lines

FEWEST_ROWS = 3
LEAST_REGULAR = 0.6
"""Share of the rows that must have as many cells as most have."""
_ALIKE = 0.3
_WIDEST_PITCH, _TIGHT_PITCH = 3.2, 1.5
_SAME_EDGE = 4.0
_SLACK, _FAR = 0.5, 1.5
_LEADERS = re.compile(r"[.·…_]{4,}|(?:\. ){4,}")
_VALUE = re.compile(r"[\s$€£¥(+\-–—]*\d[\d\s]*[.,%][\d.,%)\s]*")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_PROSE_ROWS, _LONG, _MIDDLING, _GOING_ON = 4, 25, 12, 0.35

Columns = tuple[tuple[float, float], ...]
"""The left and right edges of columns, from left to right."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table's rows, each a line that can be read by itself; heights and size are those of a `Line`.

    `edges` are where its columns begin, `names` what they are called, `cells` the rows as they stand there.
    """

    rows: tuple[str, ...]
    first: float = 0
    last: float = 0
    size: float = 0
    edges: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    cells: tuple[Row, ...] = ()

    @classmethod
    def of(cls, cells: Sequence[Row], lines: Sequence[Line], edges: Iterable[float]) -> Table:
        """Return the table of some rows, which stood in these lines."""
        rows, names = tuple(table_lines(list(cells))), column_names(list(cells))
        return cls(rows, lines[0].first, lines[-1].last, lines[0].size, tuple(edges), names, tuple(cells))

    def going_on(self, above: Table) -> Table:
        """Return it as what goes on from a table on the page before, whose names it has where it has none itself."""
        is_alike = len(self.edges) == len(above.edges) and all(
            abs(own - other) <= _SAME_EDGE for own, other in zip(self.edges, above.edges, strict=True)
        )
        if not is_alike or not above.names or self.names:
            return self
        return replace(self, names=above.names, rows=tuple(named_lines(self.cells, above.names)))

    @property
    def text(self) -> str:
        """The rows, one below the other."""
        return "\n".join(self.rows)


def find_tables(parts: Sequence[Line | Table], is_bold: Callable[[int], bool]) -> list[Line | Table]:
    """Return the parts of a page with tables in place of the lines that make one.

    Lines that go straight across columns of prose, as some files have them, are parted into the columns.
    `is_bold` tells of the letter at a place whether it is bold.
    """
    found: list[Line | Table] = []
    place = 0
    while place < len(parts):
        block = _block_at(parts, place)
        found += _read_block(block, is_bold) if len(block) >= FEWEST_ROWS else block or [parts[place]]
        place += max(1, len(block))
    return found


def _block_at(parts: Sequence[Line | Table], place: int) -> list[Line]:
    """Return the rows that begin at a place with the lines that stand among them, none where none begin."""
    block: list[Line] = []
    row = parts[place]
    while place < len(parts):
        part = parts[place]
        if not isinstance(part, Line) or not isinstance(row, Line) or not row.cells:
            break
        if block and not _extends(block[-1], row, part):
            break
        block.append(part)
        row = part if part.cells else row
        place += 1
    while block and not block[-1].cells:
        block.pop()
    return block[:1] if _heads_page(block) else block


def _heads_page(block: Sequence[Line]) -> bool:
    """Whether the first line is much farther from the second than lines are from each other below."""
    gaps = [(line.last - after.first) / after.size for line, after in pairwise(block)]
    return len(gaps) > 1 and gaps[0] > _FAR * max(gaps[1:])


def _extends(before: Line, row: Line, line: Line) -> bool:
    if line.turn != row.turn or not line.size or abs(line.size - row.size) > _ALIKE * row.size:
        return False
    pitch = (before.last - line.first) / line.size
    return 0 < pitch <= _WIDEST_PITCH and (bool(line.cells) or _cell_below(row, line) is not None)


def _cell_below(row: Line, line: Line) -> int | None:
    """Return the number of the cell of a row that a line stands below, None where it reaches into others."""
    slack = _SLACK * line.size
    for number, cell in enumerate(row.cells):
        after = row.cells[number + 1].left if number + 1 < len(row.cells) else float("inf")
        if cell.left - slack <= line.left and line.right < after:
            return number
    return None


def _read_block(block: list[Line], is_bold: Callable[[int], bool]) -> Sequence[Line | Table]:
    columns = _columns(block)
    if not columns or sum(bool(_LEADERS.search(line.text)) for line in block) > len(block) // 3:
        return block
    if _is_prose(block, columns):
        return [line for column in range(len(columns)) for line in _unbroken(_lines_within(block, columns, column))]
    edges = _edges(columns)
    first = next(place for place, line in enumerate(block) if line.cells and _fits(line.cells, edges))
    captions, lines = block[:first], block[first:]
    rows = _rows(lines, edges, is_bold)
    if len(rows) < FEWEST_ROWS:
        return block
    return [*captions, Table.of(rows, lines, (left for left, _right in columns))]


def _columns(block: Sequence[Line]) -> Columns:
    """Return the columns that the cells of most rows keep to, none where they do not."""
    counts = Counter(len(line.cells) for line in block if line.cells)
    usual, often = counts.most_common(1)[0]
    if often < FEWEST_ROWS or often < LEAST_REGULAR * counts.total():
        return ()
    rows = [sorted(line.cells, key=lambda cell: cell.left) for line in block if len(line.cells) == usual]
    columns = tuple(
        (min(cell.left for cell in column), max(cell.right for cell in column)) for column in zip(*rows, strict=True)
    )
    is_clear = all(left[1] < right[0] for left, right in pairwise(columns))
    return columns if is_clear else ()


def _is_prose(block: Sequence[Line], columns: Columns) -> bool:
    """Whether every column is one of running text: its lines are long, or many of them go on with a small letter."""
    rows = [line.cells for line in block if len(line.cells) == len(columns)]
    if len(rows) < _PROSE_ROWS:
        return False
    shortest = min(sum(len(cell.text) for cell in column) for column in zip(*rows, strict=True)) / len(rows)
    going_on = sum(cell.text[0].islower() for row in rows for cell in row)
    return shortest >= _LONG or (shortest >= _MIDDLING and going_on >= _GOING_ON * len(rows) * len(columns))


def _lines_within(block: Sequence[Line], columns: Columns, column: int) -> list[Line]:
    edges = _edges(columns)
    return [
        line._replace(text=piece.text, left=piece.left, right=piece.right, cells=(), start=piece.start, end=piece.end)
        for line in block
        for piece in pieces_of(line)
        if _column_of(piece, edges) == column
    ]


def _unbroken(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines of a column, those made one that a hyphen parts, as PDFium does where it knows the columns."""
    return merged(lines, _whole_word)


def _whole_word(before: Line, line: Line) -> Line | None:
    if not _HYPHENATED.search(before.text) or not line.text[0].islower():
        return None
    return line._replace(text=before.text[:-1] + line.text, first=before.first, start=before.start)


def _rows(lines: Sequence[Line], edges: Sequence[float], is_bold: Callable[[int], bool]) -> list[Row]:
    """Return the rows; a line below a cell of the row above, but not below the first, goes on in that cell.

    The cells of a row that does not keep to the columns stay in their order.
    """
    rows: list[list[list[Piece]]] = []
    before: Line | None = None
    for line in lines:
        pieces = pieces_of(line)
        column = _column_of(pieces[0], edges)
        goes_on = not line.cells and column and before and before.last - line.first < _TIGHT_PITCH * line.size
        if goes_on and column < len(rows[-1]):
            rows[-1][column].append(pieces[0])
        elif _fits(pieces, edges):
            places = {_column_of(piece, edges): piece for piece in pieces}
            rows.append([[places[place]] if place in places else [] for place in range(len(edges) + 1)])
        else:
            rows.append([[piece] for piece in pieces])
        before = line
    return [Row(tuple(_cell(pieces, is_bold) for pieces in row)) for row in rows]


def _cell(pieces: Sequence[Piece], is_bold: Callable[[int], bool]) -> Cell:
    """A value is never taken for a name, as bold as it may be."""
    text = clean(" ".join(piece.text for piece in pieces)).strip()
    return Cell(text, is_bold=bool(pieces) and not _VALUE.fullmatch(text) and is_bold(pieces[0].start))


def _edges(columns: Columns) -> list[float]:
    """Return what parts the columns: the middles between them."""
    return [(left[1] + right[0]) / 2 for left, right in pairwise(columns)]


def _column_of(piece: Piece, edges: Sequence[float]) -> int:
    return bisect_left(edges, (piece.left + piece.right) / 2)


def _fits(pieces: Sequence[Piece], edges: Sequence[float]) -> bool:
    """Whether each piece stands in a column of its own."""
    columns = [bisect_left(edges, piece.left) for piece in pieces]
    ends = [bisect_left(edges, piece.right) for piece in pieces]
    return columns == ends and len(set(columns)) == len(columns)
