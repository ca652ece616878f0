"""PPTX: a page for each slide, with its title, texts, tables, charts, notes and comments.

Hidden slides are read like others and counted as pages; dates and slide numbers are left out, and a
footer stands on the first slide that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.blocks import Block, BlockWriter
from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt
from knowledge_base.adapters.parsing.office_graphics import chart_lines, diagram_lines, flat_text
from knowledge_base.adapters.parsing.office_package import Kind, OfficePackage
from knowledge_base.adapters.parsing.pptx.shapes import Shape, in_reading_order, shapes_of
from knowledge_base.adapters.parsing.pptx.text import body_text, table_text
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
NO_TEXT = "the presentation has no text, only pictures or empty slides"
_KIND = Kind(
    "ppt/presentation.xml",
    (
        "presentationml.presentation.main+xml",
        "presentationml.slideshow.main+xml",
        "presentationml.template.main+xml",
        "ms-powerpoint.presentation.macroenabled.main+xml",
        "ms-powerpoint.slideshow.macroenabled.main+xml",
        "ms-powerpoint.template.macroenabled.main+xml",
    ),
)
_UNREAD = ("dt", "sldNum", "hdr", "sldImg")
_DEFAULT_TITLES = ("", "PowerPoint Presentation")


class _Reader:
    """Finds the blocks of a presentation's slides."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._slide = ""
        self._layouts: dict[str, list[Shape]] = {}
        self._footers: set[str] = set()
        self._title = ""

    def read(self) -> ParsedDocument:
        writer, is_damaged = BlockWriter(), False
        for number, name in enumerate(self._slides(), start=1):
            slide, self._slide = self._package.part(name), name
            is_damaged = is_damaged or slide is None
            if slide is not None:
                writer.add_page(self._page(slide), number)
        if is_damaged and writer.is_empty:
            raise corrupt("its slides cannot be read")
        title = self._package.core_title()
        return writer.finish(
            MEDIA_TYPE, title=self._title or title if title in _DEFAULT_TITLES else title, lack=NO_TEXT
        )

    def _slides(self) -> list[str]:
        """The slides in the order of the presentation; in that of the file where it says nothing."""
        relations = self._package.relations(self._package.main)
        slides = {key: relation.target for key, relation in relations.items() if relation.kind == "slide"}
        listed = [slide.get("r:id", "") for slide in self._package.main_part().iter("sldId")]
        return [slides[key] for key in dict.fromkeys(listed) if key in slides] or list(slides.values())

    def _page(self, slide: Element) -> Iterator[Block]:
        for shape in in_reading_order(shapes_of(slide), self._layout()):
            if shape.role not in _UNREAD:
                yield from self._shape(shape)
        for part in self._package.related_parts(self._slide, "notesSlide"):
            yield from (Block(f"Notes: {text}") for text in filter(None, _notes(part)))
        for part in self._package.related_parts(self._slide, "comments"):
            yield from (Block(f"Comment: {text}") for text in filter(None, _comments(part)))

    def _layout(self) -> list[Shape]:
        name = next(iter(self._package.related(self._slide, "slideLayout")), "")
        if name not in self._layouts:
            part = self._package.part(name) if name else None
            self._layouts[name] = shapes_of(part) if part is not None else []
        return self._layouts[name]

    def _shape(self, shape: Shape) -> Iterator[Block]:
        if shape.element.tag == "graphicFrame":
            yield from self._graphic(shape.element)
            return
        body = shape.element.find("txBody")
        text = body_text(body) if body is not None else ""
        if shape.role == "ftr":
            yield Block("" if text in self._footers else text)
            self._footers.add(text)
        elif shape.is_title:
            text = " ".join(text.split())
            self._title = self._title or text
            yield Block(text, SpanKind.HEADING, 1)
        else:
            yield Block(text)

    def _graphic(self, frame: Element) -> Iterator[Block]:
        for table in frame.iter("tbl"):
            yield Block("\n".join(table_text(table)), SpanKind.TABLE)
        for chart in self._parts_named(frame.iter("chart"), "r:id"):
            yield Block("\n".join(chart_lines(chart)))
        for diagram in self._parts_named(frame.iter("relIds"), "r:dm"):
            yield Block("\n".join(diagram_lines(diagram)))

    def _parts_named(self, elements: Iterable[Element], attribute: str) -> list[Element]:
        return self._package.parts_named_by(elements, attribute, self._slide)


def _notes(part: Element) -> Iterator[str]:
    for shape in shapes_of(part):
        body = shape.element.find("txBody") if shape.role == "body" else None
        yield body_text(body) if body is not None else ""


def _comments(part: Element) -> Iterator[str]:
    """Comments of either kind: the older has its text as it is, the newer in paragraphs."""
    for comment in part.iter("cm"):
        yield " ".join(clean(comment.findtext("text") or flat_text(comment)).split())


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    return _Reader(OfficePackage(content, _KIND)).read()


FORMAT = Format(
    "a PowerPoint presentation",
    lambda content, _hints: _KIND.holds(content),
    _read,
    ("zipfile", "xml.etree.ElementTree", "xml.parsers.expat"),
)
