"""PPTX: a page for each slide, with its title, texts, tables, charts, notes and comments.

Hidden slides are read like others and counted as pages; dates and slide numbers are left out, and a
footer stands on the first slide that has it.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.office_package import OfficePackage, Relation, is_package_of
from knowledge_base.adapters.parsing.pptx.shapes import Shape, in_reading_order, shapes_of
from knowledge_base.adapters.parsing.pptx.text import body_text, chart_lines, diagram_lines, flat_text, table_text
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_MAIN_PART = "ppt/presentation.xml"
_CONTENT_TYPES = (
    b"presentationml.presentation.main+xml",
    b"presentationml.slideshow.main+xml",
    b"presentationml.template.main+xml",
    b"ms-powerpoint.presentation.macroenabled.main+xml",
    b"ms-powerpoint.slideshow.macroenabled.main+xml",
)
_UNREAD = ("dt", "sldNum", "hdr", "sldImg")


class _Reader:
    """Writes the text of a presentation."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._out = TextBuilder()
        self._relations: dict[str, Relation] = {}
        self._layouts: dict[str, list[Shape]] = {}
        self._footers: set[str] = set()
        self._title = ""

    def read(self) -> ParsedDocument:
        for number, name in enumerate(self._slides(), start=1):
            slide = self._package.part(name)
            if slide is not None:
                self._relations = self._package.relations(name)
                self._write_page(slide, number)
        if not self._out.length:
            raise without_text("the presentation has no text, only pictures or empty slides")
        title = self._package.core_title()
        is_default = title in ("", "PowerPoint Presentation")
        return ParsedDocument(
            self._out.text(), MEDIA_TYPE, self._out.spans(), self._title or title if is_default else title
        )

    def _slides(self) -> list[str]:
        """The slides in the order of the presentation; in that of the file where it says nothing."""
        relations = self._package.relations(self._package.main)
        slides = {key: relation.target for key, relation in relations.items() if relation.kind == "slide"}
        listed = [slide.get("id", "") for slide in self._package.main_part().iter("sldId")]
        return [slides[key] for key in dict.fromkeys(listed) if key in slides] or list(slides.values())

    def _write_page(self, slide: Element, number: int) -> None:
        before = self._out.length
        for shape in in_reading_order(shapes_of(slide), self._layout()):
            self._write_shape(shape)
        for kind, label in (("notesSlide", "Notes"), ("comments", "Comment")):
            self._write_remarks(kind, label)
        if self._out.length > before:
            self._out.mark(SpanKind.PAGE, before + 2 if before else 0, number)

    def _layout(self) -> list[Shape]:
        name = next((relation.target for relation in self._relations.values() if relation.kind == "slideLayout"), "")
        if name not in self._layouts:
            part = self._package.part(name) if name else None
            self._layouts[name] = shapes_of(part) if part is not None else []
        return self._layouts[name]

    def _write_shape(self, shape: Shape) -> None:
        if shape.role in _UNREAD:
            return
        if shape.element.tag == "graphicFrame":
            self._write_graphic(shape.element)
            return
        body = shape.element.find("txBody")
        text = body_text(body) if body is not None else ""
        if not text or (shape.role == "ftr" and text in self._footers):
            return
        if shape.role == "ftr":
            self._footers.add(text)
        if shape.is_title:
            text = " ".join(text.split())
            self._title = self._title or text
        self._write(text, SpanKind.HEADING if shape.is_title else None)

    def _write_graphic(self, frame: Element) -> None:
        for table in frame.iter("tbl"):
            self._write("\n".join(table_text(table)), SpanKind.TABLE)
        for chart in self._parts_named(frame, "chart", "id"):
            self._write("\n".join(chart_lines(chart)))
        for diagram in self._parts_named(frame, "relIds", "dm"):
            self._write("\n".join(diagram_lines(diagram)))

    def _parts_named(self, frame: Element, tag: str, attribute: str) -> list[Element]:
        relations = [self._relations.get(element.get(attribute, "")) for element in frame.iter(tag)]
        parts = [self._package.part(relation.target) for relation in relations if relation]
        return [part for part in parts if part is not None]

    def _write_remarks(self, kind: str, label: str) -> None:
        for relation in self._relations.values():
            part = self._package.part(relation.target) if relation.kind == kind else None
            if part is not None:
                for text in _notes(part) if kind == "notesSlide" else _comments(part):
                    self._write(f"{label}: {text}")

    def _write(self, text: str, kind: SpanKind | None = None) -> None:
        if text:
            self._out.add_block(text, kind, 1 if kind is SpanKind.HEADING else 0)
            check_length(self._out)


def _notes(part: Element) -> list[str]:
    bodies = [shape.element.find("txBody") for shape in shapes_of(part) if shape.role == "body"]
    return [text for body in bodies if body is not None and (text := body_text(body))]


def _comments(part: Element) -> list[str]:
    """Comments of either kind: the older has its text as it is, the newer in paragraphs."""
    texts = [" ".join(clean(comment.findtext("text") or flat_text(comment)).split()) for comment in part.iter("cm")]
    return [text for text in texts if text]


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    return _Reader(OfficePackage(content, _MAIN_PART)).read()


def _claims(content: bytes, _hints: Hints) -> bool:
    return content.startswith(archives.SIGNATURE) and is_package_of(content, _MAIN_PART, _CONTENT_TYPES)


FORMAT = Format("a PowerPoint presentation", _claims, _read, ("zipfile", "xml.etree.ElementTree"))
