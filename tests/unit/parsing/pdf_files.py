"""PDF files drawn for the tests, letter by letter where they have to."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], None]
WIDTH, HEIGHT = 595, 842


def drawn(*pages: Draw, **options: Any) -> bytes:
    """A PDF with a page for each function that draws it."""
    target = BytesIO()
    canvas = Canvas(target, pagesize=(WIDTH, HEIGHT), **options)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def lines(*texts: str, left: float = 72, top: float = 760, pitch: float = 13) -> Draw:
    """Draw lines below each other."""

    def draw(canvas: Canvas) -> None:
        for number, text in enumerate(texts):
            canvas.drawString(left, top - number * pitch, text)

    return draw


def together(*parts: Draw) -> Draw:
    """Draw one thing after the other on the same page."""

    def draw(canvas: Canvas) -> None:
        for part in parts:
            part(canvas)

    return draw


def rows(
    *table: Sequence[str], lefts: Sequence[float] = (72, 220, 340), top: float = 700, pitch: float = 14, bold: int = 0
) -> Draw:
    """Draw the cells of a table row by row, the first `bold` rows in bold letters."""

    def draw(canvas: Canvas) -> None:
        for number, row in enumerate(table):
            canvas.setFont("Helvetica-Bold" if number < bold else "Helvetica", 10)
            for left, cell in zip(lefts, row, strict=True):
                canvas.drawString(left, top - number * pitch, cell)

    return draw


def grid(xs: Sequence[float], ys: Sequence[float]) -> Draw:
    """Draw the ruled lines of a table."""
    return lambda canvas: canvas.grid(list(xs), list(ys))


def in_font(size: float, draw: Draw, name: str = "Helvetica") -> Draw:
    """Draw something in a font."""

    def draw_it(canvas: Canvas) -> None:
        canvas.setFont(name, size)
        draw(canvas)
        canvas.setFont("Helvetica", 10)

    return draw_it


def from_objects(*objects: bytes) -> bytes:
    """A PDF of raw objects; the first is its catalogue."""
    content = b"%PDF-1.5\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    content += b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\n" % (count, table, count)
    return content + b"startxref\n%d\n%%%%EOF\n" % start


def a_stream(data: bytes, entries: bytes = b"") -> bytes:
    """A stream object."""
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)


def with_content(*content: bytes, font: bytes = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>") -> bytes:
    """A PDF with a page for each content stream, all in the font /F; the streams are compressed."""
    count = len(content)
    kids = b" ".join(b"%d 0 R" % (4 + number) for number in range(count))
    pages = [
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>"
        % (4 + count + number)
        for number in range(count)
    ]
    streams = [a_stream(zlib.compress(data, 9), b"/Filter/FlateDecode") for data in content]
    catalogue = b"<</Type/Catalog/Pages 2 0 R>>"
    return from_objects(catalogue, b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids), font, *pages, *streams)
