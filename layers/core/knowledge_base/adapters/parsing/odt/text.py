"""The paragraphs, lists and tables of OpenDocument files, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.blocks import Block, flat, tidy
from knowledge_base.adapters.parsing.list_numbers import item_text
from knowledge_base.adapters.parsing.odt.lists import OdtLists
from knowledge_base.adapters.parsing.odt.tables import read_rows
from knowledge_base.adapters.parsing.tables import table_blocks
from knowledge_base.domain.parsed import SpanKind

_SPACES = re.compile(r"[ \t\r\n]+")
_UNSEEN = frozenset(
    (
        "tracked-changes",
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
        "notes",
    )
)
_PICTURES = ("image", "object", "object-ole")
_MAX_SPACES = 200
_MAX_LEVEL = 10


class TextWalker:
    """Walks through a text and finds its blocks; counts go on from one call to the next."""

    def __init__(self) -> None:
        self._lists = OdtLists()
        self._titles = {"Title"}
        self._boxes: list[Element] = []
        self._notes: list[tuple[str, Element]] = []
        self._counts = {"": 0, "e": 0}
        self.title = ""
        self.has_pictures = False

    def add_styles(self, part: Element) -> None:
        """Note the list styles of a part, and which of its paragraph styles are made from that of the title."""
        self._lists.add_styles(part)
        for style in part.iter("style"):
            if style.get("parent-style-name") == "Title":
                self._titles.add(style.get("name", ""))

    def blocks_in(self, container: Iterable[Element]) -> Iterator[Block]:
        """Yield the blocks of elements, in order."""
        for child in container:
            if child.tag == "h":
                yield from self._heading(child)
            elif child.tag == "p":
                yield from self._paragraph(child)
            elif child.tag == "list":
                yield from self._list(child, "", 0, [])
            elif child.tag == "table":
                yield from self._table(child)
            elif child.tag == "annotation":
                yield self._note("Comment", child)
            elif child.tag not in _UNSEEN and child.get("display") != "none":
                self.has_pictures = self.has_pictures or child.tag in _PICTURES
                yield from self.blocks_in(child)

    def line(self, container: Iterable[Element]) -> str:
        """Return the text of elements on one line."""
        return flat(block.text for block in self.blocks_in(container))

    def _heading(self, heading: Element) -> Iterator[Block]:
        text = self._text_of(heading)
        level = _level_of(heading)
        label = "" if heading.get("is-list-header") == "true" or not text else self._lists.heading_label(level)
        yield Block(f"{label} {text}" if label else text, SpanKind.HEADING, level)
        yield from self._attached()

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        text = self._text_of(paragraph)
        is_title = bool(text) and paragraph.get("style-name", "") in self._titles
        self.title = self.title or (text if is_title else "")
        yield Block(text, SpanKind.HEADING, 1) if is_title else Block(text)
        if self._boxes or self._notes:
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
                yield from self._item_text(child, label, level)
                is_first = False
            else:
                yield from self.blocks_in([child])

    def _item_text(self, element: Element, label: str, level: int) -> Iterator[Block]:
        text = self._text_of(element)
        if element.tag == "h" and text:
            yield Block(f"{label} {text}", SpanKind.HEADING, _level_of(element))
        else:
            yield Block(item_text(label, text, level), is_item=True)
        yield from self._attached()

    def _table(self, table: Element) -> Iterator[Block]:
        yield from table_blocks(read_rows(table, self.blocks_in, self._plain_text))

    def _plain_text(self, cell: Element) -> str | None:
        """Return the text of a cell that is one line of body text, None for others: most are, and it costs a third."""
        paragraph = cell[0] if len(cell) == 1 else None
        if paragraph is None or paragraph.tag != "p" or len(paragraph) or paragraph.get("style-name") in self._titles:
            return None
        return _tidy(paragraph.text)

    def _attached(self) -> Iterator[Block]:
        """Text boxes, notes and comments follow the paragraph that they hang on."""
        boxes, notes = self._boxes, self._notes
        self._boxes, self._notes = [], []
        for box in boxes:
            yield from (block._replace(is_aside=True) for block in self.blocks_in(box))
        for label, body in notes:
            yield self._note(label, body)

    def _note(self, label: str, body: Element) -> Block:
        text = self.line(body)
        return Block(f"{label}: {text}" if text else "", is_aside=True)

    def _text_of(self, paragraph: Element) -> str:
        if not len(paragraph):
            return _tidy(paragraph.text)
        return tidy("".join(self._characters(paragraph)))

    def _characters(self, element: Element) -> Iterator[str]:
        yield _collapsed(element.text)
        for child in element:
            yield from self._special(child)
            yield _collapsed(child.tail)

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
        elif tag == "annotation":
            self._notes.append(("Comment", element))
        elif tag == "text-box" or tag in ("p", "h", "list", "table"):
            self._boxes.append(element if tag == "text-box" else _wrapped(element))
        elif tag not in _UNSEEN:
            self.has_pictures = self.has_pictures or tag in _PICTURES
            yield from self._characters(element)

    def _note_mark(self, note: Element) -> str:
        kind = "e" if note.get("note-class") == "endnote" else ""
        body = note.find("note-body")
        if body is None:
            return ""
        self._counts[kind] += 1
        mark = f"[^{kind}{self._counts[kind]}]"
        self._notes.append((mark, body))
        return mark


def _collapsed(text: str | None) -> str:
    if not text or (text.isprintable() and "  " not in text):
        return text or ""
    return _SPACES.sub(" ", text)


def _tidy(text: str | None) -> str:
    if not text or (text.isprintable() and "  " not in text):
        return text.strip() if text else ""
    return tidy(_SPACES.sub(" ", text))


def _level_of(heading: Element) -> int:
    value = heading.get("outline-level", "1")
    return max(1, min(int(value), _MAX_LEVEL)) if value.isdecimal() else 1


def _wrapped(element: Element) -> Element:
    box = Element("text-box")
    box.append(element)
    return box
