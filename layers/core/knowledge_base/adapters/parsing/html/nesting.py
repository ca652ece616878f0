"""Whether the tree of a page can be built in bounded time and memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.html.machinery import without_machinery
from knowledge_base.adapters.parsing.html.vocabulary import words
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_FEW_TAGS = 2_000
"""So few can neither nest nor be copied beyond the limits."""
_DEEPEST = 5_000
_MOST_TABLES = 100
_MOST_COPIES = 1_000_000
_MOST_OF_A_KIND = 3
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,40})([^<>]{0,500})")
_NEVER_NESTED = words(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot "
    "option optgroup html head body title"
)
_CLOSED_AT_ONCE = re.compile(r"<(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?: [^<>]*+)?+>[^<>]*+</\1>")
"""Formatting that ends before anything else begins is copied nowhere."""
_FORMATTING = words("a b big code em font i nobr s small strike strong tt u")


def parse_source(source: str) -> LexborHTMLParser:
    """Return the tree of a page or of a part of one.

    Raises:
        IngestionFailed: building the tree would take unbounded time or memory.
    """
    from selectolax.lexbor import LexborHTMLParser

    check_nesting(source)
    return LexborHTMLParser(source.replace("\x00", ""))


def check_nesting(source: str) -> None:
    """Refuse a page whose elements nest too deep, or whose formatting would be copied too often.

    The time for a tree grows with the square of its depth. Formatting that is never closed is opened anew in every
    block that follows (HTML standard, 13.2.4.3: at most three times the same).

    Raises:
        IngestionFailed: it does.
    """
    if source.count("<") < _FEW_TAGS:
        return
    depth = tables = copies = 0
    formatting = _OpenFormatting()
    for match in _TAG.finditer(_CLOSED_AT_ONCE.sub("", without_machinery(source))):
        name, is_end = match[2].lower(), bool(match[1])
        if name in _FORMATTING:
            formatting.note(name, match[3], is_end=is_end)
        elif not is_end:
            copies += formatting.count
        if name not in _NEVER_NESTED:
            depth = max(0, depth - 1 if is_end else depth + 1)
            tables = max(0, tables + (name == "table") * (-1 if is_end else 1))
        if depth > _DEEPEST or copies > _MOST_COPIES or tables > _MOST_TABLES:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the page nests its elements too deep to be read")


class _OpenFormatting:
    """How many formatting elements are open, each kind (with its attributes) counted three times at most."""

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[str, list[str]] = {}
        self._kinds: dict[str, int] = {}

    def note(self, name: str, attributes: str, *, is_end: bool) -> None:
        kinds = self._open.setdefault(name, [])
        if is_end and kinds:
            self._change(kinds.pop(), -1)
        elif not is_end:
            kinds.append(f"{name} {attributes}")
            self._change(kinds[-1], 1)

    def _change(self, kind: str, by: int) -> None:
        before = self._kinds.get(kind, 0)
        self._kinds[kind] = before + by
        self.count += min(before + by, _MOST_OF_A_KIND) - min(before, _MOST_OF_A_KIND)
