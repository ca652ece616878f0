"""The tables of OpenDocument texts and presentations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.tables import MAX_COLUMNS, Cell, Row, cell_of, merged_down

_GROUPS = ("table-header-rows", "table-rows", "table-row-group")
_CELLS = ("table-cell", "covered-table-cell")
_REPEATED, _WIDE, _HIGH = "number-columns-repeated", "number-columns-spanned", "number-rows-spanned"
_SPANS = frozenset((_REPEATED, _WIDE, _HIGH))


class _Rows:
    """Reads rows one after the other, and knows which columns are covered by cells above."""

    def __init__(
        self,
        read_blocks: Callable[[Iterable[Element]], Iterable[Block]],
        plain_text: Callable[[Element], str | None],
    ) -> None:
        self._read_blocks, self._plain_text = read_blocks, plain_text
        self._covered: dict[int, int] = {}
        self.rows: list[Row] = []

    def read(self, container: Element, *, is_header: bool = False) -> None:
        for child in container:
            if child.tag == "table-row":
                cells = tuple(self._cells(child))
                self.rows.append(Row(merged_down(cells, self.rows), is_header))
            elif child.tag in _GROUPS:
                self.read(child, is_header=child.tag == "table-header-rows")

    def _cells(self, row: Element) -> Iterator[Cell]:
        place = 0
        for element in row:
            if element.tag == "table-cell" and not self._covered and _SPANS.isdisjoint(element.attrib):
                if place < MAX_COLUMNS:
                    yield self._contents(element, 1)
                    place += 1
            elif element.tag in _CELLS and place < MAX_COLUMNS:
                cell = self._cell(element, place)
                repeated = min(number_of(element, _REPEATED), MAX_COLUMNS - place) if cell.text else 1
                yield from [cell] * repeated
                place += repeated

    def _cell(self, element: Element, place: int) -> Cell:
        """A cell that is covered continues the one above, unless it is covered by the one before."""
        left = self._covered.pop(place, 0)
        if element.tag == "covered-table-cell":
            if left > 1:
                self._covered[place] = left - 1
            return Cell("", continues=left > 0)
        rows = number_of(element, _HIGH)
        if rows > 1:
            self._covered[place] = rows - 1
        return self._contents(element, min(number_of(element, _WIDE), MAX_COLUMNS))

    def _contents(self, element: Element, columns: int) -> Cell:
        text = self._plain_text(element)
        return cell_of(self._read_blocks(element), columns=columns) if text is None else Cell(text, columns)


def read_rows(
    table: Element,
    read_blocks: Callable[[Iterable[Element]], Iterable[Block]],
    plain_text: Callable[[Element], str | None],
) -> list[Row]:
    """Return a table's rows; cells merged downwards repeat their text in each row.

    `plain_text` returns the text of a cell that is one line of body text, None for others.
    """
    reader = _Rows(read_blocks, plain_text)
    reader.read(table)
    return reader.rows


def number_of(element: Element, name: str) -> int:
    """Return how often a cell or row stands there, or how many it covers: 1 where nothing is said."""
    value = element.get(name)
    return max(1, int(value[:9])) if value and value.isdecimal() else 1
