"""ODT: OpenDocument texts, packed or as one XML file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.archives import Package
from knowledge_base.adapters.parsing.doc.blocks import Block, table_blocks, tidy, write_document
from knowledge_base.adapters.parsing.docx.tables import MAX_COLUMNS, Cell, Row
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted
from knowledge_base.adapters.parsing.odt.lists import OdtLists
from knowledge_base.adapters.parsing.xml_parts import parse_xml
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
_KIND = MEDIA_TYPE.encode()
_FLAT = re.compile(rb"<office:document\s[^>]*office:mimetype=[\"']application/vnd\.oasis\.opendocument\.text", re.S)
_SPACES = re.compile(r"[ \t\r\n]+")
_UNSEEN = frozenset(
    (
        "tracked-changes",
        "annotation",
        "annotation-end",
        "sequence-decls",
        "variable-decls",
        "user-field-decls",
        "forms",
        "title",
        "desc",
        "ruby-text",
        "hidden-text",
        "bookmark-start",
        "bookmark-end",
        "script",
        "object-ole",
        "binary-data",
        "event-listeners",
        "alphabetical-index-auto-mark-file",
        "table-of-content-source",
        "note-citation",
    )
)
_MAX_SPACES = 200
_MAX_LEVEL = 10


class _Reader:
    """Walks a text document and finds its blocks."""

    def __init__(self, content: Element, styles: Element | None) -> None:
        parts = [part for part in (styles, content) if part is not None]
        self._lists = OdtLists(parts)
        self._titles = _titles(parts)
        self._content, self._styles = content, styles
        self._boxes: list[Element] = []
        self._notes: list[tuple[str, Element]] = []
        self._counts = {"footnote": 0, "endnote": 0}
        self.title = ""

    def blocks(self) -> Iterator[Block]:
        body = self._content.find("body/text")
        if body is None:
            raise corrupt("its text is missing")
        yield from self._blocks_in(body)

    def margins(self) -> list[str]:
        part = self._styles if self._styles is not None else self._content
        margins = [margin for master in part.iter("master-page") for margin in master]
        return [self._flat(margin) for margin in margins if margin.tag.startswith(("header", "footer"))]

    def _blocks_in(self, container: Element) -> Iterator[Block]:
        for child in container:
            if child.tag == "h":
                yield from self._heading(child)
            elif child.tag == "p":
                yield from self._paragraph(child)
            elif child.tag == "list":
                yield from self._list(child, "", 0, [])
            elif child.tag == "table":
                yield from self._table(child)
            elif child.tag not in _UNSEEN and child.get("display") != "none":
                yield from self._blocks_in(child)

    def _heading(self, heading: Element) -> Iterator[Block]:
        text = self._text_of(heading)
        value = heading.get("outline-level", "1")
        level = max(1, min(int(value), _MAX_LEVEL)) if value.isdecimal() else 1
        label = "" if heading.get("is-list-header") == "true" or not text else self._lists.heading_label(level)
        yield Block(f"{label} {text}" if label else text, SpanKind.HEADING, level)
        yield from self._attached()

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        text = self._text_of(paragraph)
        is_title = bool(text) and paragraph.get("style-name", "") in self._titles
        self.title = self.title or (text if is_title else "")
        yield Block(text, SpanKind.HEADING if is_title else None, int(is_title))
        yield from self._attached()

    def _list(self, element: Element, style: str, level: int, counts: list[int]) -> Iterator[Block]:
        style = element.get("style-name", style)
        if not level:
            goes_on = element.get("continue-numbering") == "true" or "continue-list" in element.attrib
            counts = self._lists.counts_before(style, goes_on=goes_on)
        for item in element:
            if item.tag in ("list-item", "list-header"):
                yield from self._item(item, style, level, counts)
        if not level:
            self._lists.keep(style, counts)

    def _item(self, item: Element, style: str, level: int, counts: list[int]) -> Iterator[Block]:
        is_first = item.tag == "list-item"
        for child in item:
            if child.tag == "list":
                yield from self._list(child, style, level + 1, counts)
            elif child.tag in ("p", "h") and is_first:
                label = self._lists.next_label(style, level, counts, item.get("start-value", ""))
                yield from self._item_text(child, f"{'  ' * min(level, 9)}{label} ")
                is_first = False
            else:
                yield from self._blocks_in([child])  # type: ignore[arg-type]  # any iterable of elements will do

    def _item_text(self, element: Element, label: str) -> Iterator[Block]:
        text = self._text_of(element)
        if element.tag == "h" and text:
            value = element.get("outline-level", "1")
            yield Block(f"{label.strip()} {text}", SpanKind.HEADING, int(value) if value.isdecimal() else 1)
        else:
            yield Block(f"{label}{text}" if text else "", is_item=True)
        yield from self._attached()

    def _table(self, table: Element) -> Iterator[Block]:
        rows = list(self._rows(table, is_header=False))
        attached = list(self._attached())
        yield from table_blocks(rows)
        yield from attached

    def _rows(self, container: Element, *, is_header: bool) -> Iterator[Row]:
        for child in container:
            if child.tag == "table-row":
                yield Row(tuple(self._cells(child)), is_header)
            elif child.tag in ("table-header-rows", "table-rows", "table-row-group"):
                yield from self._rows(child, is_header=child.tag == "table-header-rows")

    def _cells(self, row: Element) -> Iterator[Cell]:
        width = 0
        for cell in row:
            if cell.tag not in ("table-cell", "covered-table-cell") or width >= MAX_COLUMNS:
                continue
            text = "\n".join(block.text for block in self._blocks_in(cell) if block.text)
            times = cell.get("number-columns-repeated", "1")
            repeated = min(int(times), MAX_COLUMNS - width) if times.isdecimal() and text else 1
            for _ in range(max(1, repeated)):
                width += 1
                yield Cell(text)

    def _attached(self) -> Iterator[Block]:
        """Text boxes and notes follow the paragraph that they hang on."""
        boxes, notes = self._boxes, self._notes
        self._boxes, self._notes = [], []
        for box in boxes:
            yield from self._blocks_in(box)
        for mark, body in notes:
            text = self._flat(body)
            yield Block(f"{mark}: {text}" if text else "")

    def _flat(self, container: Element) -> str:
        return " ".join(" ".join(block.text.split()) for block in self._blocks_in(container) if block.text)

    def _text_of(self, paragraph: Element) -> str:
        return tidy("".join(self._characters(paragraph)))

    def _characters(self, element: Element) -> Iterator[str]:
        yield _SPACES.sub(" ", element.text or "")
        for child in element:
            yield from self._special(child)
            yield _SPACES.sub(" ", child.tail or "")

    def _special(self, element: Element) -> Iterator[str]:
        tag = element.tag
        if tag == "s":
            count = element.get("c", "1")
            yield " " * (min(int(count), _MAX_SPACES) if count.isdecimal() else 1)
        elif tag == "tab":
            yield "\t"
        elif tag == "line-break":
            yield "\n"
        elif tag == "note":
            yield self._note_mark(element)
        elif tag == "text-box" or tag in ("p", "h", "list", "table"):
            self._boxes.append(element if tag == "text-box" else _wrapped(element))
        elif tag not in _UNSEEN:
            yield from self._characters(element)

    def _note_mark(self, note: Element) -> str:
        kind = "endnote" if note.get("note-class") == "endnote" else "footnote"
        body = note.find("note-body")
        if body is None:
            return ""
        self._counts[kind] += 1
        mark = f"[^{'e' if kind == 'endnote' else ''}{self._counts[kind]}]"
        self._notes.append((mark, body))
        return mark


def _wrapped(element: Element) -> Element:
    box = Element("text-box")
    box.append(element)
    return box


def _titles(parts: list[Element]) -> set[str]:
    """Return the names of the styles that are the title's, or made from it."""
    parents = {s.get("name", ""): s.get("parent-style-name", "") for part in parts for s in part.iter("style")}
    return {"Title"} | {name for name, parent in parents.items() if parent == "Title"}


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    if not content.startswith(archives.SIGNATURE):
        root = parse_xml(content)
        return _written(_Reader(root, None), root)
    package = Package(content)
    manifest = package.read_optional("META-INF/manifest.xml") or b""
    if b"encryption-data" in manifest:
        raise encrypted("the OpenDocument file")
    text = parse_xml(package.read("content.xml"))
    return _written(_Reader(text, _optional(package, "styles.xml")), _optional(package, "meta.xml"))


def _written(reader: _Reader, meta: Element | None) -> ParsedDocument:
    blocks = list(reader.blocks())
    named = meta.findtext("meta/title") if meta is not None else ""
    return write_document(blocks, MEDIA_TYPE, title=named or reader.title, margins=reader.margins())


def _optional(package: Package, name: str) -> Element | None:
    data = package.read_optional(name)
    return parse_xml(data) if data else None


def _claims(content: bytes, hints: Hints) -> bool:
    if not content.startswith(archives.SIGNATURE):
        return bool(_FLAT.search(content[:4096]))
    return _KIND in content[:200] or (b"content.xml" in content and _says_text(content, hints))


def _says_text(content: bytes, hints: Hints) -> bool:
    """Whether a package whose kind is not written at its very begin holds a text all the same."""
    try:
        kind = Package(content).read_optional("mimetype")
    except IngestionFailed:
        return hints.say("odt", "ott", MEDIA_TYPE)
    return kind.startswith(_KIND) if kind else hints.say("odt", "ott", MEDIA_TYPE)


FORMAT = Format("an OpenDocument text", _claims, _read)
