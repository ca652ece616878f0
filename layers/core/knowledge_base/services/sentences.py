"""Cut text into sentences, in any script, each with its exact place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 320
"""Characters; what has no full stop for longer is cut at commas or spaces."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_CLOSING = r"[\"'”’»」』】）)\]]*"
_END = re.compile(
    rf"[。！？…]+{_CLOSING}"
    rf"|．{_CLOSING}(?!\d)"
    rf"|[!?]+{_CLOSING}(?=\s|[{_CJK}]|$)"
    rf"|\.+{_CLOSING}(?=\s|[{_CJK}]|$)"
)
_ABBREVIATION = re.compile(
    r"\b(?:(?i:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|cf|approx|inc|ltd|dept|al|ca|bzw|z\.b|d\.h|u\.s)|[A-Z])\.$"
)
_BEFORE_NUMBER = re.compile(r"\b(?i:nos?|figs?|vol|pp?|art|sec|nr|abs)\.$")
_MARKER = re.compile(r"\s*(?:#{1,6}\s+|[-*+•·▪►>|]\s*|\(?\d{1,3}[.)、]\s+)")
_SOFT = re.compile(r"[;；,，、:：]|\s")
_FINISHED_LINE = re.compile(rf"[.!?。！？…．:：;；|]{_CLOSING}\s*$")
_WIDE = re.compile(f"[{_CJK}]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Characters `[start, end)` of a text, without white space or list markers around them."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order: `text[s.start:s.end] == s.text` for each.

    A list item, a table row and a heading are sentences of their own, whatever they end with. What
    holds neither letter nor digit is none.
    """
    return [
        sentence
        for start, end in _paragraphs(text)
        for first, last in _ended(text, start, end)
        for piece in _shortened(text, first, last)
        if (sentence := _trimmed(text, *piece))
    ]


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield runs of lines that read on into one another."""
    start, position = 0, 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        position += len(line)
        if number + 1 == len(lines) or not _reads_on(line, lines[number + 1]):
            yield start, position
            start = position


def _reads_on(line: str, following: str) -> bool:
    """Whether a line was only wrapped: long, unfinished, and not followed by something that begins anew."""
    content = line.strip()
    width = len(content) + len(_WIDE.findall(content))
    if width < 40 or not following.strip() or _MARKER.match(following):
        return False
    return not _FINISHED_LINE.search(content) and not content.startswith(("#", "|"))


def _ended(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what stands between full stops."""
    for stop in _END.finditer(text, start, end):
        if _ends_sentence(text, stop, end):
            yield start, stop.end()
            start = stop.end()
    yield start, end


def _ends_sentence(text: str, stop: re.Match[str], end: int) -> bool:
    if not stop[0].startswith("."):
        return True
    following = text[stop.end() : end].lstrip()[:1]
    word = slice(max(0, stop.start() - 12), stop.start() + 1)
    if following.islower() or _ABBREVIATION.search(text, word.start, word.stop):
        return False
    return not (following.isdigit() and _BEFORE_NUMBER.search(text, word.start, word.stop))


def _shortened(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield pieces of at most LONGEST characters, cut behind the last comma or space that fits."""
    while end - start > LONGEST:
        breaks = [found.end() for found in _SOFT.finditer(text, start + LONGEST // 3, start + LONGEST)]
        cut = breaks[-1] if breaks else start + LONGEST
        yield start, cut
        start = cut
    yield start, end


def _trimmed(text: str, start: int, end: int) -> Sentence | None:
    if marker := _MARKER.match(text, start, end):
        start = marker.end()
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    piece = text[start:end]
    return Sentence(piece, start, end) if any(map(str.isalnum, piece)) else None
