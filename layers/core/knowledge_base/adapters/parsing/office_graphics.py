"""What stands in drawings of Office files: paragraphs of shapes, charts, and diagrams (SmartArt)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.xlsx.values import CellValues, read_form

MAX_POINTS = 1000
_VALUES = CellValues([], [], counts_from_1904=False)
_NODES = ("node", "asst")


def paragraph_text(paragraph: Element) -> str:
    """Return the text of a shape's paragraph."""
    pieces = []
    for child in paragraph:
        if child.tag == "r":
            pieces.append(child.findtext("t") or "")
        elif child.tag == "br":
            pieces.append("\n")
        elif child.tag not in ("pPr", "endParaRPr"):
            pieces.extend(text.text or "" for text in child.iter("t"))
    raw = "".join(pieces)
    if raw.isprintable():
        return raw.strip()
    lines = clean(raw).replace("\t", " ").split("\n")
    return "\n".join(line.strip() for line in lines).strip()


def flat_text(element: Element) -> str:
    """Return all text inside on one line."""
    return " ".join(filter(None, (" ".join(paragraph_text(paragraph).split()) for paragraph in element.iter("p"))))


def chart_lines(chart: Element) -> Iterator[str]:
    """Yield the titles of a chart and its axes, and a line of named values for each of its series."""
    for title in chart.iter("title"):
        if text := flat_text(title) or _first_value(title):
            yield text
    for series in chart.iter("ser"):
        values = _points(series.find("val")) or _points(series.find("yVal"))
        names = _points(series.find("cat")) or _points(series.find("xVal"))
        yield from _series_line(_first_value(series.find("tx")), names, values)
    for series in chart.iter("data"):
        yield from _series_line("", _points(series.find("strDim")), _points(series.find("numDim")))


def diagram_lines(diagram: Element) -> Iterator[str]:
    """Yield the texts of a diagram's nodes."""
    for point in diagram.iter("pt"):
        text = flat_text(point) if point.get("type", "node") in _NODES else ""
        if text:
            yield text


def _series_line(name: str, names: dict[str, str], values: dict[str, str]) -> Iterator[str]:
    """The values of a series by the names of their categories, or the categories alone."""
    named = [f"{names[place]}: {value}" if names.get(place) else value for place, value in values.items()]
    shown = list(filter(None, named or names.values()))
    if shown:
        yield f"{name}: {' | '.join(shown)}" if name else " | ".join(shown)


def _points(data: Element | None) -> dict[str, str]:
    if data is None:
        return {}
    form = read_form(next((code.text or "" for code in data.iter("formatCode")), ""))
    return {
        point.get("idx", ""): _VALUES.number(_one_line(point.findtext("v") or point.text), form)
        for point in islice(data.iter("pt"), MAX_POINTS)
    }


def _first_value(element: Element | None) -> str:
    value = next(element.iter("v"), None) if element is not None else None
    return "" if value is None else _one_line(value.text)


def _one_line(text: str | None) -> str:
    return " ".join(clean(text or "").split())
