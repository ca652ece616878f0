"""The paragraphs, tables, charts and diagrams of a presentation's shapes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.docx.lists import BULLET, LARGEST, format_number
from knowledge_base.adapters.parsing.docx.tables import Cell, Row, table_lines

MAX_COLUMNS = 200
MAX_POINTS = 1000
_FORMS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter"}
_MORE_FORMS = {"romanLc": "lowerRoman", "romanUc": "upperRoman", "ea1": "chineseCounting", "circle": "decimal"}
_SIGNS = {"ParenBoth": "(%)", "ParenR": "%)", "Period": "%.", "Plain": "%"}


def body_text(body: Element) -> str:
    """Return the paragraphs of a text body, one a line, with the numbers and bullets they are given."""
    counts: dict[int, tuple[str, int]] = {}
    lines = []
    for paragraph in body.findall("p"):
        text = _paragraph_text(paragraph)
        if text:
            lines.append(f"{_label(paragraph.find('pPr'), counts)}{text}")
    return "\n".join(lines)


def flat_text(element: Element) -> str:
    """Return all text inside on one line."""
    texts = (" ".join(_paragraph_text(paragraph).split()) for paragraph in element.iter("p"))
    return " ".join(text for text in texts if text)


def table_text(table: Element) -> list[str]:
    """Return a line for each row of a table, with the names of the columns."""
    properties = table.find("tblPr")
    has_header = properties is not None and properties.get("firstRow", "0") in ("1", "true")
    rows: list[Row] = []
    for row in table.findall("tr"):
        above = rows[-1].cells if rows else ()
        cells = tuple(_cell(cell, above[place : place + 1]) for place, cell in enumerate(row.findall("tc")))
        rows.append(Row(cells, has_header and not rows))
    return table_lines(rows)


def chart_lines(chart: Element) -> Iterator[str]:
    """Yield the title of a chart, and a line of named values for each of its series."""
    title = chart.find("chart/title")
    if title is not None and (text := flat_text(title) or _cached(title)):
        yield text
    for series in chart.iter("ser"):
        name = _cached(series.find("tx"))
        values = _points(series.find("val")) or _points(series.find("yVal"))
        names = _points(series.find("cat")) or _points(series.find("xVal"))
        shown = [_pair(names.get(place, ""), value) for place, value in values.items()]
        if shown:
            yield f"{name}: {' | '.join(shown)}" if name else " | ".join(shown)


def diagram_lines(diagram: Element) -> list[str]:
    """Return the texts of a diagram's nodes."""
    nodes = [point for point in diagram.iter("pt") if point.get("type", "node") in ("node", "asst")]
    return [text for node in nodes if (text := flat_text(node))]


def _paragraph_text(paragraph: Element) -> str:
    pieces = []
    for child in paragraph:
        if child.tag == "br":
            pieces.append("\n")
        elif child.tag not in ("pPr", "endParaRPr"):
            pieces.extend(text.text or "" for text in child.iter("t"))
    lines = clean("".join(pieces)).replace("\t", " ").split("\n")
    return "\n".join(line.strip() for line in lines).strip()


def _label(properties: Element | None, counts: dict[int, tuple[str, int]]) -> str:
    stored = properties.get("lvl", "0") if properties is not None else "0"
    level = min(int(stored), 8) if stored.isdecimal() else 0
    for deeper in [other for other in counts if other > level]:
        del counts[deeper]
    number = properties.find("buAutoNum") if properties is not None else None
    if number is None:
        counts.pop(level, None)
        has_bullet = properties is not None and properties.find("buChar") is not None
        return "  " * level + (f"{BULLET} " if has_bullet else "")
    return f"{'  ' * level}{_next_number(number, level, counts)} "


def _next_number(number: Element, level: int, counts: dict[int, tuple[str, int]]) -> str:
    scheme, start = number.get("type", "arabicPeriod"), number.get("startAt", "1")
    known = counts.get(level)
    first = min(int(start), LARGEST) if start.isdecimal() else 1
    count = known[1] + 1 if known and known[0] == scheme + start else first
    counts[level] = (scheme + start, count)
    forms = {**_FORMS, **_MORE_FORMS}
    form = next((form for prefix, form in forms.items() if scheme.startswith(prefix)), "decimal")
    sign = next((sign for suffix, sign in _SIGNS.items() if scheme.endswith(suffix)), "%.")
    return sign.replace("%", format_number(count, form))


def _cell(cell: Element, above: tuple[Cell, ...]) -> Cell:
    """A merged cell's text stands in each row it spans, and once in each row."""
    if cell.get("hMerge") in ("1", "true"):
        return Cell("")
    if cell.get("vMerge") in ("1", "true") and above:
        return above[0]
    return Cell(flat_text(cell))


def _points(data: Element | None) -> dict[str, str]:
    points = list(data.iter("pt"))[:MAX_POINTS] if data is not None else []
    return {point.get("idx", ""): _value(point) for point in points}


def _value(point: Element) -> str:
    return " ".join(clean(point.findtext("v") or "").split())


def _cached(element: Element | None) -> str:
    value = next(element.iter("v"), None) if element is not None else None
    return "" if value is None else " ".join(clean(value.text or "").split())


def _pair(name: str, value: str) -> str:
    return f"{name}: {value}" if name else value
