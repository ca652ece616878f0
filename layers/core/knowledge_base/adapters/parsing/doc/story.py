"""The characters of an old Word document as its reader sees them, each at its position."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge_base.adapters.parsing.blocks import join_surrogates, tidy
from knowledge_base.adapters.parsing.doc.characters import Characters, look_of, read_characters
from knowledge_base.adapters.parsing.doc.decoding import read_text
from knowledge_base.adapters.parsing.doc.fib import PARTS, Head
from knowledge_base.adapters.parsing.doc.notes import Note, read_notes
from knowledge_base.adapters.parsing.doc.pieces import Pieces
from knowledge_base.adapters.parsing.field_codes import hidden_parts

_PARAGRAPH = re.compile("([^\r\x07\x0c]*)([\r\x07\x0c]|$)")
_ERASED = re.compile("[^\r\x07\x13-\x15]")
_CODE = re.compile("[^\x07]")
_REFERENCE = re.compile("[\x02\x05]")
_PICTURE = re.compile("[\x01\x08]")
_SIGNS = {"\x0b": "\n", "\x0e": "\n", "\x1e": "-", "\x1f": "\x00", "\xa0": " "}
"""What special characters show, each at its position."""
_SHORT_CHANGE = 2

Passage = tuple[int, int]
"""Positions of characters."""


class Story:
    """The text of a document without what is deleted or hidden, and without the codes of fields."""

    def __init__(self, head: Head, data: bytes) -> None:
        """Read the text; `data` holds what its forms are filled with.

        Raises:
            IngestionFailed: it is damaged, or more than can be read.
        """
        characters = read_characters(head, data)
        self._pieces = Pieces(head)
        self.parts = _part_bounds(head)
        self.notes: dict[int, Note] = read_notes(head, self.parts)
        self._text = self._final_text(head, characters)

    @property
    def has_pictures(self) -> bool:
        """Whether there are pictures or objects in the text."""
        return bool(_PICTURE.search(self._text, *self.parts["text"]))

    def paragraphs(self, part: str) -> Iterator[re.Match[str]]:
        """Yield the paragraphs of a part of the document, each with its mark as second group."""
        return _PARAGRAPH.finditer(self._text, *self.parts[part])

    def offset_of_mark(self, paragraph: re.Match[str]) -> int:
        """Return where in the file a paragraph's mark is."""
        return self._pieces.offset_of(paragraph.end() - 1)

    def words(self, paragraph: re.Match[str]) -> str:
        """Return a paragraph's text, with marks where notes hang."""
        raw = paragraph[1]
        for place in reversed(self.references(paragraph)):
            raw = f"{raw[: place - paragraph.start()]}{self.notes[place].mark}{raw[place - paragraph.start() + 1 :]}"
        return _readable(raw)

    def references(self, paragraph: re.Match[str]) -> list[int]:
        """Return the positions in a paragraph at which notes hang."""
        if not self.notes:
            return []
        places = (paragraph.start() + reference.start() for reference in _REFERENCE.finditer(paragraph[1]))
        return [place for place in places if place in self.notes]

    def line(self, passage: Passage) -> str:
        """Return the text of a passage on one line."""
        return " ".join(_readable(self._text[slice(*passage)].replace("\x07", "\n")).split())

    def _final_text(self, head: Head, characters: Characters) -> str:
        pieces = self._pieces
        text = read_text(head, pieces.pieces, characters.codecs)
        text = _with_symbols(text, pieces, characters)
        gone = [*pieces.positions(characters.unseen)]
        gone += [(piece.start, piece.end) for piece in pieces.pieces if _is_changed_away(piece.change, head)]
        text = _replace(text, [(start, end, "") for start, end in sorted(gone)], _ERASED)
        values = dict(_values_by_position(pieces, characters))
        fields = [
            (part.start, part.end, part.shown or _value_in(part.start, part.end, values)) for part in hidden_parts(text)
        ]
        text = _replace(text, fields, _CODE)
        for sign, shown in _SIGNS.items():
            text = text.replace(sign, shown)
        return text


def _with_symbols(text: str, pieces: Pieces, characters: Characters) -> str:
    shown = list(text) if characters.symbols else []
    for range_, symbol in characters.symbols.items():
        for start, end in pieces.positions([range_]):
            shown[start:end] = symbol * (end - start)
    return "".join(shown) if shown else text


def _values_by_position(pieces: Pieces, characters: Characters) -> Iterator[tuple[int, str]]:
    for range_, value in characters.form_values.items():
        for start, _end in pieces.positions([range_]):
            yield start, value


def _value_in(start: int, end: int, values: dict[int, str]) -> str:
    """Return what a form field between two positions is filled with."""
    if not values:
        return ""
    return next((f"{value} " for place, value in values.items() if start <= place < end), "")


def _replace(text: str, parts: list[tuple[int, int, str]], what: re.Pattern[str]) -> str:
    """Put NULs, or what shows instead, in the place of characters, so that all others keep their position."""
    pieces, last = [], 0
    for start, end, shown in parts:
        if end > last:
            begin = max(start, last)
            erased = what.sub("\x00", text[begin:end])
            if shown and len(shown) <= len(erased) and erased.strip("\x00") == "":
                erased = shown.ljust(len(erased), "\x00")
            pieces += [text[last:begin], erased]
            last = end
    return "".join((*pieces, text[last:]))


def _readable(raw: str) -> str:
    if raw.isprintable():
        return tidy(raw)
    return tidy(join_surrogates(raw.replace("\x00", "")))


def _part_bounds(head: Head) -> dict[str, Passage]:
    bounds, start = {}, 0
    for name in PARTS:
        bounds[name] = (start, start + head.lengths[name])
        start += head.lengths[name]
    return bounds


def _is_changed_away(change: bytes, head: Head) -> bool:
    """Whether a fast save has deleted or hidden a whole piece; a change of two bytes is a short code."""
    return bool(change) and look_of(change, head.is_old or len(change) == _SHORT_CHANGE).is_unseen
