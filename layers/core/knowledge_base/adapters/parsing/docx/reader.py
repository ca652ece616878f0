"""DOCX: paragraphs, headings, lists, tables, notes, comments and text boxes, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.blocks import Block, BlockWriter, flat
from knowledge_base.adapters.parsing.docx.chunks import read_chunk
from knowledge_base.adapters.parsing.docx.lists import Lists
from knowledge_base.adapters.parsing.docx.parts import PackageParts, Parts
from knowledge_base.adapters.parsing.docx.runs import Found, NoteMarks, as_shown, preferred, read_paragraph
from knowledge_base.adapters.parsing.docx.styles import Look, Styles
from knowledge_base.adapters.parsing.docx.tables import read_rows
from knowledge_base.adapters.parsing.docx.unread import PLAIN
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.list_numbers import item_text
from knowledge_base.adapters.parsing.office_graphics import chart_lines, diagram_lines
from knowledge_base.adapters.parsing.office_package import Kind, OfficePackage
from knowledge_base.adapters.parsing.tables import table_blocks
from knowledge_base.adapters.parsing.xml_parts import Around
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_KIND = Kind(
    "word/document.xml",
    (
        "wordprocessingml.document.main+xml",
        "wordprocessingml.template.main+xml",
        "ms-word.document.macroenabled.main+xml",
        "ms-word.template.macroenabledtemplate.main+xml",
    ),
)
_TRANSPARENT = frozenset(
    ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "body", "document", "txbxContent", "hdr", "ftr")
)
_PARAGRAPHS = frozenset(("p", PLAIN))
_NOTES = ("footnotes", "endnotes", "comments")
_MAX_DEPTH = 3
"""How deep documents may stand in each other."""


class DocxReader:
    """Walks a document and finds its blocks."""

    def __init__(self, parts: Parts, depth: int = 0) -> None:
        self._parts, self._depth = parts, depth
        self._styles = Styles(_first(parts.related("styles")))
        self._lists = Lists(_first(parts.related("numbering")))
        self._notes = {kind: _notes_by_id(_first(parts.related(kind))) for kind in _NOTES}
        self._marks = NoteMarks({(kind, note) for kind, notes in self._notes.items() for note in notes})
        self._written: set[tuple[str, str]] = set()
        self._has_pictures = False
        self._title = ""

    def read(self) -> ParsedDocument:
        """Return the text of the document.

        Raises:
            IngestionFailed: it is damaged, too complex, or has no text.
        """
        writer = BlockWriter()
        for block in self._main_blocks():
            writer.add(block)
        for part in (*self._parts.related("header"), *self._parts.related("footer")):
            writer.add_margin(flat(block.text for block in self._blocks_in(part)))
        title = self._parts.title() or self._title
        return writer.finish(MEDIA_TYPE, title=title, has_pictures=self._has_pictures)

    def _main_blocks(self) -> Iterator[Block]:
        """The rows of a long table come one by one, and last the table with those that are left."""
        for table, group in groupby(self._parts.main(_is_container), key=_table_of):
            elements = (element for _around, element in group)
            yield from self._blocks_in(elements) if table is None else self._table(elements)

    def _blocks_in(self, container: Iterable[Element]) -> Iterator[Block]:
        for child in container:
            if child.tag in _PARAGRAPHS:
                yield from self._plain(child) if child.tag == PLAIN else self._paragraph(child)
            elif child.tag == "tbl":
                yield from self._table(child)
            elif child.tag in _TRANSPARENT:
                yield from self._blocks_in(child)
            elif child.tag == "AlternateContent":
                yield from self._blocks_in(preferred(child))
            elif child.tag == "altChunk":
                yield from self._chunk(child)

    def _table(self, table: Iterable[Element]) -> list[Block]:
        return table_blocks(read_rows(table, self._blocks_in))

    def _plain(self, paragraph: Element) -> tuple[Block, ...]:
        text = as_shown(paragraph.text or "")
        return (self._block(self._styles.look_named(paragraph.get("style", "")), text),) if text else ()

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        found = read_paragraph(paragraph, self._marks)
        text = found.text()
        if text:
            yield self._block(self._styles.look_of(paragraph.find("pPr")), text)
        yield from self._attached(found)

    def _block(self, look: Look, text: str) -> Block:
        label = self._lists.next_label(look.place) if look.place else ""
        if look.place and not look.level:
            return Block(item_text(label, text, look.place.level), is_item=True)
        self._title = self._title or (text if look.is_title else "")
        labelled = f"{label} {text}" if label else text
        return Block(labelled, SpanKind.HEADING if look.level else None, look.level)

    def _attached(self, found: Found) -> Iterator[Block]:
        """What hangs on a paragraph follows it."""
        self._has_pictures = self._has_pictures or found.has_pictures
        for box in found.boxes:
            yield from (block._replace(is_aside=True) for block in self._blocks_in(box))
        yield from (Block(text, is_aside=True) for text in (*found.word_art, *self._graphics(found.graphics)))
        for note in found.notes:
            yield from self._note(note)

    def _note(self, note: tuple[str, str]) -> Iterator[Block]:
        element = self._notes[note[0]].get(note[1])
        if element is None or note in self._written:
            return
        self._written.add(note)
        text = flat(block.text for block in self._blocks_in(element))
        label = self._marks.mark(note) or "Comment"
        yield Block(f"{label}: {text}" if text else "", is_aside=True)

    def _graphics(self, graphics: list[Element]) -> Iterator[str]:
        for element in graphics:
            is_chart = element.tag == "chart"
            for part in self._parts.named_by(element, "r:id" if is_chart else "r:dm"):
                yield "\n".join(chart_lines(part) if is_chart else diagram_lines(part))

    def _chunk(self, chunk: Element) -> Iterator[Block]:
        """A part in another format stands for its content."""
        file = self._parts.file_of(chunk) if self._depth < _MAX_DEPTH else None
        inside = read_chunk(*file, _format_inside(self._depth + 1)) if file else None
        if inside:
            yield Block("", inside=inside)


def _is_container(element: Element) -> bool:
    return element.tag in _TRANSPARENT or element.tag == "tbl"


def _table_of(pair: tuple[Around, Element]) -> Element | None:
    """Return the table that an element of the document is, or is in."""
    around, element = pair
    return element if element.tag == "tbl" else next((outer for outer in around if outer.tag == "tbl"), None)


def _notes_by_id(part: Element | None) -> dict[str, Element]:
    notes = list(part) if part is not None else []
    return {note.get("id", ""): note for note in notes if note.get("type", "normal") == "normal"}


def _first(parts: list[Element]) -> Element | None:
    return parts[0] if parts else None


def _read_at(content: bytes, depth: int) -> ParsedDocument:
    return DocxReader(PackageParts(OfficePackage(content, _KIND)), depth).read()


def _format_inside(depth: int) -> Format:
    return Format(FORMAT.name, FORMAT.claims, lambda content, _hints: _read_at(content, depth))


def _claims(content: bytes, hints: Hints) -> bool:
    return content.startswith(archives.SIGNATURE) and (_KIND.holds(content) or hints.say("docx"))


FORMAT = Format(
    "a Word document",
    _claims,
    lambda content, _hints: _read_at(content, 0),
    ("zipfile", "xml.etree.ElementTree", "xml.parsers.expat"),
)
