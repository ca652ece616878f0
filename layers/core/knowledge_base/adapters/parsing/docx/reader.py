"""DOCX: paragraphs, headings, lists, tables, notes and text boxes, in reading order."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.docx.lists import Lists
from knowledge_base.adapters.parsing.docx.package import DocxPackage, is_docx
from knowledge_base.adapters.parsing.docx.runs import Found, NoteMarks, paragraph_text, preferred
from knowledge_base.adapters.parsing.docx.styles import Styles
from knowledge_base.adapters.parsing.docx.tables import cells_of, is_layout, read_rows, table_lines
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_TRANSPARENT = frozenset(
    ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "body", "document", "txbxContent", "hdr", "ftr")
)
_LAST_LEVEL = 9


class _Reader:
    """Walks a document and writes its text."""

    def __init__(self, package: DocxPackage) -> None:
        self._out = TextBuilder()
        self._styles = Styles(_first(package.related("styles")))
        self._lists = Lists(_first(package.related("numbering")))
        self._notes = {kind: _notes_by_id(_first(package.related(kind))) for kind in ("footnotes", "endnotes")}
        self._marks = NoteMarks({(kind, note) for kind, notes in self._notes.items() for note in notes})
        self._written: set[tuple[str, str]] = set()
        self._in_list = False
        self.title = ""

    def read(self, package: DocxPackage) -> ParsedDocument:
        self._write_blocks(package.main_part())
        if not self._out.text().strip():
            raise without_text("the document has no text, only pictures or empty paragraphs")
        for part in (*package.related("header"), *package.related("footer")):
            self._write_margin(part)
        title = package.core_title() or self.title
        return ParsedDocument(self._out.text(), MEDIA_TYPE, self._out.spans(), title)

    def _write_blocks(self, container: Element) -> None:
        for child in container:
            if child.tag == "p":
                self._write_paragraph(child)
            elif child.tag == "tbl":
                self._write_table(child)
            elif child.tag in _TRANSPARENT:
                self._write_blocks(child)
            elif child.tag == "AlternateContent":
                self._write_blocks(preferred(child))

    def _write_paragraph(self, paragraph: Element) -> None:
        found = Found()
        text = paragraph_text(paragraph, found, self._marks)
        if text:
            self._write_text(paragraph, text)
        self._write_attached(found)

    def _write_text(self, paragraph: Element, text: str) -> None:
        level = self._styles.heading_level(paragraph)
        place = self._styles.list_place(paragraph)
        label = self._lists.next_label(place) if place else ""
        labelled = f"{label} {text}" if label else text
        if place and not level:
            self._write_item(f"{'  ' * min(place.level, _LAST_LEVEL)}{labelled}")
            return
        self._in_list = False
        self.title = self.title or (text if self._styles.is_title(paragraph) else "")
        self._out.add_block(labelled, SpanKind.HEADING if level else None, level)

    def _write_item(self, text: str) -> None:
        """Items of one list follow each other without a blank line."""
        if self._in_list:
            self._out.add(f"\n{text}")
        else:
            self._out.add_block(text)
        self._in_list = True

    def _write_attached(self, found: Found) -> None:
        for box in found.boxes:
            self._in_list = False
            self._write_blocks(box)
        for note in found.notes:
            self._write_note(note)

    def _write_note(self, note: tuple[str, str]) -> None:
        element = self._notes[note[0]].get(note[1])
        if element is None or note in self._written:
            return
        self._written.add(note)
        text = self._flat_text(element)
        if text:
            self._in_list = False
            self._out.add_block(f"{self._marks.mark(note)}: {text}")

    def _write_table(self, table: Element) -> None:
        self._in_list = False
        if is_layout(table):
            for cell in cells_of(table):
                self._write_blocks(cell)
            return
        found = Found()
        rows = read_rows(table, lambda cell: self._flat_text(cell, found))
        lines = [line.replace("\n", " ") for line in table_lines(rows)]
        if lines:
            self._out.add_block("\n".join(lines), SpanKind.TABLE)
        self._write_attached(found)

    def _write_margin(self, part: Element) -> None:
        """Headers and footers come last, each once, since they interrupt the text of no page."""
        text = self._flat_text(part)
        if any(letter.isalpha() for letter in text) and text not in self._out.text():
            self._in_list = False
            self._out.add_block(text)

    def _flat_text(self, container: Element, found: Found | None = None) -> str:
        """The text of all paragraphs inside on one line, nested tables too; text boxes if nobody collects them."""
        collected = Found() if found is None else found
        texts = [self._labelled(paragraph, collected) for paragraph in _paragraphs(container)]
        texts += [] if found else [self._flat_text(box) for box in collected.boxes]
        return " ".join(text for text in texts if text)

    def _labelled(self, paragraph: Element, found: Found) -> str:
        text = paragraph_text(paragraph, found, self._marks)
        place = self._styles.list_place(paragraph) if text else None
        label = self._lists.next_label(place) if place else ""
        return f"{label} {text}" if label else text


def _paragraphs(container: Element) -> list[Element]:
    """Paragraphs in reading order, but not those of text boxes, which their paragraph announces itself."""
    found: list[Element] = []
    for child in container:
        if child.tag == "p":
            found.append(child)
        elif child.tag == "AlternateContent":
            found.extend(_paragraphs(preferred(child)))
        elif child.tag not in ("del", "moveFrom", "tcPr", "trPr", "tblPr"):
            found.extend(_paragraphs(child))
    return found


def _notes_by_id(part: Element | None) -> dict[str, Element]:
    notes = list(part) if part is not None else []
    return {note.get("id", ""): note for note in notes if note.get("type", "normal") == "normal"}


def _first(parts: list[Element]) -> Element | None:
    return parts[0] if parts else None


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    package = DocxPackage(content)
    return _Reader(package).read(package)


def _claims(content: bytes, hints: Hints) -> bool:
    return content.startswith(archives.SIGNATURE) and (is_docx(content) or hints.say("docx"))


FORMAT = Format("a Word document", _claims, _read, ("zipfile", "xml.etree.ElementTree"))
