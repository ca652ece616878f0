"""The paragraphs and tables of a presentation's shapes."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.list_numbers import BULLET, LARGEST, format_number, indent
from knowledge_base.adapters.parsing.office_graphics import flat_text, paragraph_text
from knowledge_base.adapters.parsing.tables import Cell, Row, merged_down, table_lines

_FORMS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "ea1": "chineseCounting",
    "circle": "decimalEnclosedCircle",
}
_DEEPEST = 8
_SIGNS = {"ParenBoth": "(%)", "ParenR": "%)", "Period": "%.", "Plain": "%"}


def body_text(body: Element) -> str:
    """Return the paragraphs of a text body, one a line, with the numbers and bullets they are given."""
    counts: dict[int, tuple[str, int]] = {}
    lines = []
    for paragraph in body.findall("p"):
        text = paragraph_text(paragraph)
        if text:
            lines.append(f"{_label(paragraph.find('pPr'), counts)}{text}")
    return "\n".join(lines)


def table_text(table: Element) -> list[str]:
    """Return a line for each row of a table, with the names of the columns."""
    properties = table.find("tblPr")
    has_header = properties is not None and properties.get("firstRow", "0") in ("1", "true")
    rows: list[Row] = []
    for row in table.findall("tr"):
        rows.append(Row(merged_down(map(_cell, row.findall("tc")), rows), has_header and not rows))
    return table_lines(rows)


def _label(properties: Element | None, counts: dict[int, tuple[str, int]]) -> str:
    stored = properties.get("lvl", "0") if properties is not None else "0"
    level = min(int(stored), _DEEPEST) if stored.isdecimal() else 0
    for deeper in [other for other in counts if other > level]:
        del counts[deeper]
    number = properties.find("buAutoNum") if properties is not None else None
    if number is None:
        counts.pop(level, None)
        has_bullet = properties is not None and properties.find("buChar") is not None
        return indent(level) + (f"{BULLET} " if has_bullet else "")
    return f"{indent(level)}{_next_number(number, level, counts)} "


def _next_number(number: Element, level: int, counts: dict[int, tuple[str, int]]) -> str:
    scheme, start = number.get("type", "arabicPeriod"), number.get("startAt", "1")
    known = counts.get(level)
    first = min(int(start), LARGEST) if start.isdecimal() else 1
    count = known[1] + 1 if known and known[0] == scheme + start else first
    counts[level] = (scheme + start, count)
    form = next((form for prefix, form in _FORMS.items() if scheme.startswith(prefix)), "decimal")
    sign = next(
        (sign for suffix, sign in _SIGNS.items() if scheme.endswith(suffix)), "%" if "circle" in scheme else "%."
    )
    return sign.replace("%", format_number(count, form))


def _cell(cell: Element) -> Cell:
    """A merged cell's text stands in each row it spans, and once in each row."""
    if cell.get("hMerge") in ("1", "true"):
        return Cell("")
    return Cell(flat_text(cell), continues=cell.get("vMerge") in ("1", "true"))
