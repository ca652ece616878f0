"""PDF files as typesetting programs write them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from io import BytesIO
from itertools import pairwise

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from tests.bench.reader_facets import Facet
from tests.bench.reader_files.languages import CHINESE, ENGLISH
from tests.bench.reader_files.made import Made, Section, facets_of, sections, tables, text_of

WIDTH, HEIGHT = 595, 842
LEFT, TOP, BOTTOM = 60, 780, 60
GUTTER = 22
_SHORTEST_PART = 3
_UNIT = re.compile(r"[0-9]+|.")


class Page:
    """A canvas with a place on it that goes down, and on to the next page."""

    def __init__(self, font: str, size: float) -> None:
        self._target = BytesIO()
        self.canvas = Canvas(self._target, pagesize=(WIDTH, HEIGHT), invariant=True)
        self.font, self.size = font, size
        self.height: float = TOP
        self.number = 1

    def line(self, text: str, *, size: float = 0) -> None:
        """Draw a line and go down by its height."""
        size = size or self.size
        if self.height - size * 1.35 < BOTTOM:
            self.turn()
        self.height -= size * 1.35
        self.canvas.setFont(self.font, size)
        self.canvas.drawString(LEFT, self.height, text)

    def wrapped(self, text: str) -> None:
        """Draw a paragraph."""
        for line in _wrap(text.split(), WIDTH - 2 * LEFT, self.font, self.size):
            self.line(line)

    def turn(self) -> None:
        """Go on to the next page."""
        self.canvas.showPage()
        self.number += 1
        self.height = TOP

    def content(self) -> bytes:
        """Close the file and return it."""
        self.canvas.save()
        return self._target.getvalue()


def plain(seed: int, *, count: int = 12) -> Made:
    """Headings and ragged paragraphs, in an embedded font."""
    parts = sections(seed, count)
    page = Page(_vera(), 10.5)
    pages = []
    for part in parts:
        _write_section(page, part, lambda text, size: _wrap(text.split(), WIDTH - 2 * LEFT, _vera(), size))
        pages.append(Facet("pages", " ".join(part.paragraphs[-1].split()[-3:]), str(page.number)))
    return Made(f"plain-{seed}.pdf", page.content(), text_of(parts), facets=(*facets_of(parts), *pages))


def chinese(seed: int) -> Made:
    """Chinese, by a font that viewers bring along."""
    parts = sections(seed, 10, language=CHINESE, paragraphs=5)
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    page = Page("STSong-Light", 10.5)
    for part in parts:
        _write_section(page, part, lambda text, size: _pieces(text, int((WIDTH - 2 * LEFT) / size)))
    return Made(f"chinese-{seed}.pdf", page.content(), text_of(parts), facets=facets_of(parts))


def long(seed: int) -> Made:
    """Three hundred pages and a few more."""
    return plain(seed, count=520)


def tabular(seed: int) -> Made:
    """Tables with ruled cells."""
    parts = tables(seed, 6, rows=36)
    page = Page("Helvetica", 9)
    for part in parts:
        page.line(part.title, size=14)
        page.wrapped(part.paragraphs[0])
        for row in part.rows:
            draw_row(page, row, is_header=row is part.rows[0])
    return Made(f"tables-{seed}.pdf", page.content(), text_of(parts), facets=facets_of(parts))


def two_columns(seed: int, *, by_rows: bool = False) -> Made:
    """Two justified columns with hyphens and a running head; `by_rows` draws them line by line across the page."""
    parts = sections(seed, 16)
    lines = list(_column_lines(parts))
    page, depth, head = Page("Times-Roman", 9.5), 58, f"Running head {ENGLISH.title(random.Random(seed))}"
    for start in range(0, len(lines), 2 * depth):
        page.canvas.setFont("Times-Roman", 8)
        page.canvas.drawString(LEFT, TOP + 20, f"{head} {1 + start // (2 * depth)}")
        columns = lines[start : start + depth], lines[start + depth : start + 2 * depth]
        places = [(column, row) for column in (0, 1) for row in range(len(columns[column]))]
        for column, row in sorted(places, key=lambda place: place[1]) if by_rows else places:
            _justify(page, column, row, columns[column][row])
        page.turn()
    name = f"{'rows' if by_rows else 'columns'}-{seed}.pdf"
    return Made(
        name,
        page.content(),
        text_of(parts),
        unwanted=" ".join([head] * (page.number - 1)),
        facets=tuple(_parted_words(lines)),
    )


def _write_section(page: Page, part: Section, wrap: Callable[[str, float], list[str]]) -> None:
    page.height -= 8
    page.line(part.title, size=15)
    for paragraph in part.paragraphs:
        page.height -= 6
        for line in wrap(paragraph, page.size):
            page.line(line)


def _wrap(words: list[str], width: float, font: str, size: float) -> list[str]:
    lines: list[str] = []
    line: list[str] = []
    used = 0.0
    space = pdfmetrics.stringWidth(" ", font, size)
    for word in words:
        needed = pdfmetrics.stringWidth(word, font, size)
        if line and used + needed > width:
            lines.append(" ".join(line))
            line, used = [], 0.0
        line.append(word)
        used += needed + space
    return [*lines, " ".join(line)]


def _pieces(text: str, length: int) -> list[str]:
    """Break Chinese after any character, but not inside numbers."""
    lines = [""]
    for unit in _UNIT.findall(text):
        if len(lines[-1]) + len(unit) > length:
            lines.append("")
        lines[-1] += unit
    return lines


def draw_row(page: Page, row: tuple[str, ...], *, is_header: bool) -> None:
    """Draw the cells of a row, each in a ruled box."""
    height, width = 16, (WIDTH - 2 * LEFT) / len(row)
    if page.height - height < BOTTOM:
        page.turn()
    page.height -= height
    page.canvas.setFont(f"{page.font}-Bold" if is_header else page.font, page.size)
    for place, text in enumerate(row):
        page.canvas.rect(LEFT + place * width, page.height - 4, width, height)
        page.canvas.drawString(LEFT + place * width + 4, page.height, text)


def _column_width() -> float:
    return (WIDTH - 2 * LEFT - GUTTER) / 2


def _column_lines(parts: tuple[Section, ...]) -> Iterator[tuple[list[str], bool]]:
    """Yield lines of words, and whether a line goes on in the next."""
    for part in parts:
        yield part.title.split(), False
        for paragraph in part.paragraphs:
            lines = _hyphenated(paragraph.split(), _column_width(), "Times-Roman", 9.5)
            yield from ((line, place < len(lines) - 1) for place, line in enumerate(lines))


def _hyphenated(words: list[str], width: float, font: str, size: float) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    room, space = width, pdfmetrics.stringWidth(" ", font, size)
    for word in words:
        rest = word
        if pdfmetrics.stringWidth(rest, font, size) > room:
            part = _fitting_part(rest, room, font, size)
            lines[-1] += [f"{part}-"] if part else []
            rest = rest[len(part) :]
            lines.append([])
            room = width
        lines[-1].append(rest)
        room -= pdfmetrics.stringWidth(rest, font, size) + space
    return lines


def _parted_words(lines: Sequence[tuple[list[str], bool]]) -> Iterator[Facet]:
    """Yield the words that a hyphen parts at the end of a line."""
    for (line, goes_on), (following, _goes_on) in pairwise(lines):
        if goes_on and line[-1].endswith("-"):
            yield Facet("hyphens", line[-1][:-1] + following[0])


def _fitting_part(word: str, room: float, font: str, size: float) -> str:
    """Return the longest beginning of a word that fits with a hyphen; short words are not parted."""
    for length in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        if word[:length].isalpha() and pdfmetrics.stringWidth(f"{word[:length]}-", font, size) <= room:
            return word[:length]
    return ""


def _justify(page: Page, column: int, row: int, line: tuple[list[str], bool]) -> None:
    words, goes_on = line
    text = " ".join(words)
    spare = _column_width() - pdfmetrics.stringWidth(text, page.font, page.size)
    drawn = page.canvas.beginText(LEFT + column * (_column_width() + GUTTER), TOP - row * 12)
    drawn.setFont(page.font, page.size)
    drawn.setWordSpace(spare / (len(words) - 1) if goes_on and len(words) > 1 else 0)
    drawn.textOut(text)
    page.canvas.drawText(drawn)


@cache
def _vera() -> str:
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    return "Vera"
