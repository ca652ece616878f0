"""Tables of a DOCX file as rows that can be read, and cited, by themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

MAX_COLUMNS = 200
LONG_CELL = 400
LONG_HEADER = 60
_NUMBER = re.compile(r"[\s\d.,:%±+\-–—€$£¥/()]*\d[\s\d.,:%±+\-–—€$£¥/()]*")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text; `is_bold` and `is_shaded` tell header cells; `continues` the cell above."""

    text: str
    columns: int = 1
    is_bold: bool = False
    is_shaded: bool = False
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells, each repeated for every column it spans (the repetitions are empty)."""

    cells: tuple[Cell, ...]
    is_header: bool = False


def read_rows(table: Element, read_cell: Callable[[Element], str]) -> list[Row]:
    """Return a table's rows; cells merged downwards repeat their text in each row."""
    rows: list[Row] = []
    for row in _children(table, "tr"):
        cells = [_read_cell(cell, read_cell) for cell in _children(row, "tc")]
        spread = [piece for cell in cells for piece in (cell, *[Cell("")] * (cell.columns - 1))]
        above = rows[-1].cells if rows else ()
        filled = tuple(_fill(cell, above[place] if place < len(above) else None) for place, cell in enumerate(spread))
        rows.append(Row(filled, _flag(row.find("trPr/tblHeader"))))
    return rows


def table_lines(rows: list[Row]) -> list[str]:
    """Return a line for each row; below a header row, every value stands with its column's name."""
    rows = [row for row in rows if any(cell.text for cell in row.cells)]
    if not _has_header(rows):
        return [" | ".join(cell.text for cell in row.cells if cell.text) for row in rows]
    names = [cell.text for cell in rows[0].cells]
    return [" | ".join(filter(None, names)), *(_named_values(row, names) for row in rows[1:])]


def is_layout(table: Element) -> bool:
    """Whether a table only places paragraphs on the page: one column, or cells as long as pages."""
    rows = [[cell for cell in _children(row, "tc") if _length(cell)] for row in _children(table, "tr")]
    widest = max((len(row) for row in rows), default=0)
    return widest < 2 or any(_length(cell) > LONG_CELL and len(cell.findall("p")) > 1 for row in rows for cell in row)


def cells_of(table: Element) -> list[Element]:
    """Return the cells of a table in reading order."""
    return [cell for row in _children(table, "tr") for cell in _children(row, "tc")]


def _length(cell: Element) -> int:
    return sum(len((text.text or "").strip()) for text in cell.iter("t"))


def _named_values(row: Row, names: list[str]) -> str:
    values = []
    for place, cell in enumerate(row.cells):
        name = names[place] if place < len(names) else ""
        if cell.text:
            values.append(f"{name}: {cell.text}" if name and name != cell.text else cell.text)
    return " | ".join(values)


def _has_header(rows: list[Row]) -> bool:
    if len(rows) < 2 or len(rows[0].cells) < 2:
        return False
    first, second = rows[0], rows[1]
    if first.is_header:
        return True
    names = [cell.text for cell in first.cells]
    if not all(0 < len(name) <= LONG_HEADER for name in names) or len(set(names)) < len(names):
        return False
    stands_out = _all_bold(first) > _all_bold(second) or _all_shaded(first) > _all_shaded(second)
    return stands_out or (len(names) > 2 and _heads_numbers(rows))


def _heads_numbers(rows: list[Row]) -> bool:
    """Whether the first row has words only and some column below it numbers only."""
    if any(_NUMBER.fullmatch(cell.text) for cell in rows[0].cells):
        return False
    columns = zip(*(row.cells for row in rows[1:] if len(row.cells) == len(rows[0].cells)), strict=True)
    return any(all(_NUMBER.fullmatch(cell.text) for cell in column) for column in columns)


def _all_bold(row: Row) -> bool:
    return all(cell.is_bold for cell in row.cells)


def _all_shaded(row: Row) -> bool:
    return all(cell.is_shaded for cell in row.cells)


def _fill(cell: Cell, above: Cell | None) -> Cell:
    return above if cell.continues and above is not None else cell


def _read_cell(cell: Element, read_cell: Callable[[Element], str]) -> Cell:
    span, merge, shade = (cell.find(f"tcPr/{name}") for name in ("gridSpan", "vMerge", "shd"))
    columns = span.get("val", "1") if span is not None else "1"
    fill = shade.get("fill", "auto").lower() if shade is not None else "auto"
    return Cell(
        text=read_cell(cell),
        columns=max(1, min(int(columns), MAX_COLUMNS)) if columns.isdigit() else 1,
        is_bold=_is_bold(cell),
        is_shaded=fill not in ("auto", "ffffff", "none"),
        continues=merge is not None and merge.get("val", "continue") == "continue",
    )


def _is_bold(cell: Element) -> bool:
    runs = [run for run in cell.iter("r") if run.find("t") is not None]
    return bool(runs) and all(_flag(run.find("rPr/b")) for run in runs)


def _flag(element: Element | None) -> bool:
    return element is not None and element.get("val", "1") not in ("0", "false", "off")


def _children(parent: Element, tag: str) -> list[Element]:
    """Children with a tag, also those inside content controls and tracked insertions."""
    found: list[Element] = []
    for child in parent:
        if child.tag == tag:
            found.append(child)
        elif child.tag in ("sdt", "sdtContent", "customXml", "ins", "smartTag"):
            found.extend(_children(child, tag))
    return [row for row in found if row.find("trPr/del") is None]
