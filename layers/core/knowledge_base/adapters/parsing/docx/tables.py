"""The tables of a DOCX file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.docx.runs import as_shown, flag
from knowledge_base.adapters.parsing.docx.unread import PLAIN
from knowledge_base.adapters.parsing.tables import (
    MAX_COLUMNS,
    Cell,
    Row,
    cell_of,
    check_cells,
    merged_down,
)

_WRAPPERS = frozenset(("tbl", "sdt", "sdtContent", "customXml", "ins", "smartTag"))
_PLAIN_FILLS = ("auto", "ffffff", "none", "")


def read_rows(table: Iterable[Element], read_blocks: Callable[[Element], Iterable[Block]]) -> list[Row]:
    """Return the rows among a table's elements; cells merged downwards repeat their text in each row.

    Raises:
        IngestionFailed: there are more cells than can be read.
    """
    rows: list[Row] = []
    count = 0
    for row in _children(table, "tr"):
        properties = row.find("trPr")
        if properties is not None and properties.find("del") is not None:
            continue
        cells = (piece for cell in _children(row, "tc") for piece in _spread(cell, read_blocks))
        empty = [Cell("")] * _number(properties, "gridBefore", 0)
        is_header = properties is not None and flag(properties.find("tblHeader"))
        rows.append(Row(merged_down((*empty, *cells), rows), is_header))
        count += len(rows[-1].cells)
        check_cells(count)
    return rows


def _spread(cell: Element, read_blocks: Callable[[Element], Iterable[Block]]) -> Iterator[Cell]:
    """Yield a cell, and an empty one for each further column that it spans."""
    if len(cell) == 1 and cell[0].tag == PLAIN and not cell[0].get("style"):
        yield Cell(as_shown(cell[0].text or ""))
        return
    properties = cell.find("tcPr")
    if properties is None:
        yield cell_of(read_blocks(cell), is_bold=_is_bold(cell))
        return
    if properties.find("cellDel") is not None:
        return
    merge = properties.find("vMerge")
    columns = max(1, _number(properties, "gridSpan", 1))
    yield cell_of(
        read_blocks(cell),
        columns=columns,
        is_bold=_is_bold(cell),
        is_shaded=_is_shaded(properties),
        continues=merge is not None and merge.get("val", "continue") == "continue",
    )
    yield from [Cell("")] * (columns - 1)


def _number(properties: Element | None, name: str, otherwise: int) -> int:
    found = properties.find(name) if properties is not None else None
    value = found.get("val", "") if found is not None else ""
    return min(int(value), MAX_COLUMNS) if value.isdecimal() else otherwise


def _is_shaded(properties: Element) -> bool:
    shade = properties.find("shd")
    return shade is not None and shade.get("fill", "auto").lower() not in _PLAIN_FILLS


def _is_bold(cell: Element) -> bool:
    if any(paragraph.text for paragraph in cell.iter(PLAIN)):
        return False
    looks = [run.find("rPr") for run in cell.iter("r") if run.find("t") is not None]
    return bool(looks) and all(look is not None and flag(look.find("b")) for look in looks)


def _children(parent: Iterable[Element], tag: str) -> Iterator[Element]:
    """Yield the children with a tag, also those in content controls, insertions, and what is left of a table."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _children(child, tag)
