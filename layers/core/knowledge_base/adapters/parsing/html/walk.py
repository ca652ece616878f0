"""The walk through an HTML page that turns its elements into blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.html.inline import BREAK, text_instead_of
from knowledge_base.adapters.parsing.html.page_parts import BLOCKS
from knowledge_base.adapters.parsing.html.tables import OpenTable
from knowledge_base.adapters.parsing.html.vocabulary import words
from knowledge_base.adapters.parsing.list_numbers import format_number
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import SpanKind

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE = words("pre xmp listing plaintext textarea")
_ORDERED = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_HAN = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff5e"
_BREAK_IN_HAN = re.compile(rf"(?<=[{_HAN}])[ \t]*\n\s*(?=[{_HAN}])")
_SPACES = re.compile(r"[ \t\n\r\f\xa0\u200b]+")
_DEEPEST_INDENT = 9
_MAX_TABLES = 100


@dataclass(slots=True)
class _List:
    """A list that is being read; `number` is that of its next item."""

    form: str = ""
    number: int = 1


class Walk:
    """Goes through elements in their order, without recursion: pages nest as deep as they like."""

    def __init__(self, is_unseen: Callable[[LexborNode], bool]) -> None:
        self._is_unseen = is_unseen
        self._blocks: list[Block] = []
        self._outer: list[list[Block]] = []
        self._pieces: list[str] = []
        self._lists: list[_List] = []
        self._tables: list[OpenTable] = []
        self._label = ""
        self._terms = 0
        self._defines = False
        self._heading = 0
        self._code = 0

    def blocks_of(self, root: LexborNode) -> list[Block]:
        """Return the blocks of an element."""
        node, end = root, root.mem_id
        while True:
            is_seen = self._enter(node)
            following = (node.first_child if is_seen else None) or self._next(node, end, is_seen)
            if following is None:
                self._flush()
                return self._blocks
            node = following

    def _next(self, node: LexborNode, end: int, is_entered: bool) -> LexborNode | None:
        """Leave elements until one has a neighbour; None at the end of the walk."""
        while True:
            if is_entered:
                self._leave(node.tag or "", node)
            parent, neighbour = node.parent, node.next
            if node.mem_id == end or neighbour is not None or parent is None:
                return None if node.mem_id == end else neighbour
            node, is_entered = parent, True

    def _enter(self, node: LexborNode) -> bool:
        tag = node.tag or ""
        if tag == "-text":
            self._pieces.append(node.text_content or "")
            return False
        if self._is_unseen(node):
            if tag in BLOCKS:
                self._flush()
            return False
        instead = text_instead_of(node)
        if instead is not None:
            self._pieces.append("\n" if self._code and instead == BREAK else instead)
            return False
        if tag in BLOCKS:
            self._flush()
            self._open(tag, node)
        elif tag == "q":
            self._pieces.append("“")
        self._code += tag in _CODE
        return True

    def _open(self, tag: str, node: LexborNode) -> None:  # noqa: C901 - one line for each kind of element
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in ("ul", "ol", "menu", "dir"):
            self._lists.append(_new_list(tag, node))
        elif tag == "li":
            self._label = self._next_label(node)
        elif tag == "dd":
            self._defines = self._terms == len(self._blocks) > 0
        elif tag == "table":
            if len(self._tables) >= _MAX_TABLES:
                raise IngestionFailed(FailureCode.TOO_COMPLEX, "the page nests its tables too deep to be read")
            self._tables.append(OpenTable(is_layout=node.attributes.get("role") in ("presentation", "none")))
        elif tag in ("td", "th") and self._tables:
            self._outer.append(self._blocks)
            self._blocks = []
        elif tag == "thead" and self._tables:
            self._tables[-1].in_head = True

    def _leave(self, tag: str, node: LexborNode) -> None:
        if tag in BLOCKS:
            self._flush()
            self._close(tag, node)
        elif tag == "q":
            self._pieces.append("”")
        self._code -= tag in _CODE

    def _close(self, tag: str, node: LexborNode) -> None:  # noqa: C901 - one line for each kind of element
        if tag in _HEADINGS:
            self._heading = 0
        elif tag in ("ul", "ol", "menu", "dir") and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._label = ""
        elif tag == "dt":
            self._terms = len(self._blocks)
        elif tag in ("td", "th") and self._outer:
            self._end_cell(tag, node)
        elif tag == "tr" and self._tables:
            self._tables[-1].end_row()
        elif tag == "thead" and self._tables:
            self._tables[-1].in_head = False
        elif tag == "table" and self._tables:
            self._blocks += self._tables.pop().blocks()

    def _end_cell(self, tag: str, node: LexborNode) -> None:
        inner, self._blocks = self._blocks, self._outer.pop()
        text = "\n".join(block.text for block in inner)
        self._tables[-1].inner += inner
        self._tables[-1].add_cell(text, node.attributes, is_header=tag == "th")

    def _next_label(self, node: LexborNode) -> str:
        if not self._lists or not self._lists[-1].form:
            return "•"
        current = self._lists[-1]
        value = node.attributes.get("value") or ""
        number = int(value) if value.isdecimal() and len(value) < 8 else current.number
        current.number = number + 1
        return f"{format_number(number, current.form)}."

    def _flush(self) -> None:
        """Close the paragraph that is being read."""
        if not self._pieces:
            return
        raw = "".join(self._pieces)
        self._pieces = []
        text = clean(raw).strip("\n") if self._code else _collapsed(raw)
        if not text.strip():
            return
        kind = SpanKind.HEADING if self._heading else SpanKind.CODE if self._code else None
        defines, self._defines = self._defines, False
        if defines and not kind and not self._label and not self._blocks[-1].kind:
            self._blocks[-1] = replace(self._blocks[-1], text=f"{self._blocks[-1].text}\n{text}")
            return
        label, self._label = self._label, ""
        indent = "  " * min(max(0, len(self._lists) - 1), _DEEPEST_INDENT) if label else ""
        self._blocks.append(Block(f"{indent}{label} {text}" if label else text, kind, self._heading, bool(label)))


def _collapsed(raw: str) -> str:
    """Return text with spaces as a browser shows them; lines broken between ideographs join without one."""
    text = _SPACES.sub(" ", _BREAK_IN_HAN.sub("", raw))
    return "\n".join(line for line in (part.strip() for part in clean(text.replace(BREAK, "\n")).split("\n")) if line)


def _new_list(tag: str, node: LexborNode) -> _List:
    if tag != "ol":
        return _List()
    start = node.attributes.get("start") or "1"
    form = _ORDERED.get(node.attributes.get("type") or "", "decimal")
    return _List(form, int(start) if start.isdecimal() and len(start) < 8 else 1)
