"""Comments, scripts, styles and embedded files: what takes room in the source of a page and says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_DATA = r"(?i:ata:)(?<=[\"'(=].{5})[\w/+.;=-]{0,80},"
_OPENING = re.compile(rf"<(?i:(!--|script\b|style\b))|d{_DATA}|D{_DATA}")
"""Every branch begins with a letter or sign as it is written, so that others are passed over at once."""
_ENDINGS = {
    "!--": re.compile("-->"),
    "script": re.compile(r"</script\b[^>]*>?", re.I),
    "style": re.compile(r"</style\b[^>]*>?", re.I),
    "data:": re.compile(r"(?=[\"'\s>)])"),
}
_LONGEST_ENDING = 20
_EMPHASIS = re.compile(r"<(b|i|em|u|tt|big|span)>([^<]*+)</\1>")
_INLINE = re.compile(
    r"<(a|b|i|em|u|tt|big|small|span|strong|sub|sup|cite|code|dfn|abbr|font)"
    r"(?: (?!style|hidden)[\w:-]++=\"[^\"<>]*+\")*+>([^<]*+)</\1>"
)
_LITERAL = re.compile(r"<(?:xmp|textarea|plaintext|listing)\b", re.I)


def without_machinery(source: str) -> str:
    """Return a page without comments, scripts, styles, and files that are written into attributes."""
    return "".join(strip_machinery([source]))


def without_emphases(source: str) -> str:
    """Return a page without elements that say nothing but how the words in them look."""
    return source if _LITERAL.search(source) else _EMPHASIS.sub(_content, source)


def without_inline_elements(source: str) -> str:
    """Return a page without elements inside of lines that hold words only, where no links need to be counted."""
    return source if _LITERAL.search(source) else _INLINE.sub(_content, source)


def _content(element: re.Match[str]) -> str:
    return element[2]


def strip_machinery(texts: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a page without what says nothing; what never ends takes all that follows."""
    ending: re.Pattern[str] | None = None
    rest = ""
    for piece in texts:
        text, rest, place = rest + piece, "", 0
        while place < len(text):
            if ending is not None:
                found = ending.search(text, place)
                if found is None:
                    rest, place = text[max(place, len(text) - _LONGEST_ENDING) :], len(text)
                    continue
                place, ending = found.end(), None
            opening = _OPENING.search(text, place)
            yield text[place : opening.start() if opening else len(text)]
            place = opening.end() if opening else len(text)
            ending = _ENDINGS[(opening[1] or "data:").lower()] if opening else None
