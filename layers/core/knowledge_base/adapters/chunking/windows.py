"""Windows of one size that overlap, whatever stands in the text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from knowledge_base.adapters.chunking.anchors import Anchors
from knowledge_base.adapters.chunking.graphemes import parts_character, whole_characters
from knowledge_base.adapters.chunking.landmarks import landmarks
from knowledge_base.adapters.chunking.packing import Piece
from knowledge_base.adapters.chunking.tokens import count, count_each, length_of_tokens

LEAST_STEP = 8
"""An overlap leaves at least an eighth of the size for what is new."""
_REACH = 3
"""Windows of characters end at least so many eighths of what is new in a full one apart."""
_BATCH = 64
_WORD_REACH = 32
_TRIES = 5
_EXACT = 32
"""An overlap that lacks less than this part is exact enough."""
_LAST_SPACED_SCRIPT = "\u2e7f"


def bounded_overlap(size: int, overlap: int) -> int:
    """Return the overlap, made small enough that each window brings something new."""
    return max(0, min(overlap, size - max(1, size // LEAST_STEP)))


def overlapping_windows(text: str, size: int, overlap: int) -> Iterator[Piece]:
    """Yield ranges of `size` characters, each beginning `overlap` characters before the end of the one before.

    Windows end at beginnings of paragraphs that the text around them chooses, so most are shorter: a change of a
    paragraph changes hardly ever more than three. One or its overlap differs by as much as keeps a character
    with its marks whole. None lies inside another.
    """
    windows = _character_windows(text, size, bounded_overlap(size, overlap))
    batch: list[tuple[int, int]] = []
    for window in windows:
        batch.append(window)
        if len(batch) == _BATCH:
            yield from _counted(text, batch)
            batch.clear()
    yield from _counted(text, batch)


def _counted(text: str, windows: list[tuple[int, int]]) -> Iterator[Piece]:
    counts = count_each([text[start:end] for start, end in windows])
    return (Piece(start, end, tokens) for (start, end), tokens in zip(windows, counts, strict=True))


def _character_windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    step = size - overlap
    ends = landmarks(text, overlap, max(1, step * _REACH // 8), 2 * step) if len(text) > size else iter(())
    start, end = 0, 0
    for limit in chain(ends, (len(text),)):
        while end < limit:
            end = whole_characters(text, min(start + size, limit), end)
            yield start, end
            start = whole_characters(text, max(start + 1, end - overlap), max(start, end - size))


def token_windows(text: str, size: int, overlap: int) -> Iterator[Piece]:
    """Yield ranges of at most `size` tokens, each beginning at most `overlap` tokens before the end of the one before.

    Ranges begin and end between words where the script has spaces. One is shorter where the text ends
    and, once in four to eight, where the windows begin anew at a paragraph. None lies inside another.
    """
    overlap = bounded_overlap(size, overlap)
    anchors = Anchors(text)
    start, end, reach = 0, 0, size * 3
    while end < len(text):
        piece = _token_window(text, start, end, _Bounds(anchors.limit, size, reach))
        yield piece
        anchors.note(piece.end)
        start = _start_of_overlap(text, piece, overlap)
        end = piece.end
        reach = 2 * _WORD_REACH + (piece.end - piece.start) * 5 // 4


class _Bounds(NamedTuple):
    """A window has at most `size` tokens and ends at `limit` or before; `reach` characters may well be enough."""

    limit: int
    size: int
    reach: int


def _token_window(text: str, start: int, after: int, bounds: _Bounds) -> Piece:
    """Return the largest window from `start` that ends after `after`; it begins there if the size is too small."""
    end = _end_of_tokens(text, start, bounds)
    if end <= after:
        start, end = after, _end_of_tokens(text, after, bounds)
    end = _between_words(text, end, max(start, after))
    tokens = count(text[start:end])
    while tokens > bounds.size and end > max(start, after) + 1:
        end = whole_characters(text, end - 1, max(start, after))
        tokens = count(text[start:end])
    if tokens > bounds.size and start < after:
        return _token_window(text, after, after, bounds)
    return Piece(start, end, tokens)


def _end_of_tokens(text: str, start: int, bounds: _Bounds) -> int:
    """Return where the tokens of a window end, without regard to where what was looked at does."""
    reach = bounds.reach
    while True:
        beginning = text[start : min(start + reach, bounds.limit)]
        length = length_of_tokens(beginning, bounds.size)
        if length < len(beginning) - _WORD_REACH or start + len(beginning) >= bounds.limit:
            return whole_characters(text, start + max(1, length), start)
        reach *= 2


def _between_words(text: str, end: int, after: int) -> int:
    """Step back to the last space rather than cut a word in two."""
    if not _is_in_word(text, end):
        return end
    for position in range(end - 1, max(after, end - _WORD_REACH), -1):
        if text[position - 1].isspace():
            return position
    return end


def _is_in_word(text: str, position: int) -> bool:
    if not 0 < position < len(text):
        return False
    return parts_character(text, position) or (_is_letter(text[position - 1]) and _is_letter(text[position]))


def _is_letter(character: str) -> bool:
    return character.isalnum() and character <= _LAST_SPACED_SCRIPT


def _start_of_overlap(text: str, window: Piece, overlap: int) -> int:
    """Return a place between words from which at most `overlap` tokens, and hardly fewer, lead to the window's end."""
    first = _first_within(text, window, overlap)
    places = range(first, window.end)
    between = (place for place in places[:_WORD_REACH] if not _is_in_word(text, place))
    whole = (place for place in places if not parts_character(text, place))
    return next(between, None) or next(whole, first)


def _first_within(text: str, window: Piece, overlap: int) -> int:
    """Return a place from which `overlap` tokens or hardly fewer lead to the window's end."""
    low, high = window.start + 1, window.end
    guess = high - overlap * (window.end - window.start) // max(1, window.tokens)
    for _ in range(_TRIES):
        if not low < guess < high:
            break
        tokens = count(text[guess : window.end])
        if overlap - overlap // _EXACT <= tokens <= overlap:
            return guess
        low, high = (guess + 1, high) if tokens > overlap else (low, guess)
        guess += (tokens - overlap) * (window.end - guess) // max(1, tokens) or (1 if tokens > overlap else -1)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if count(text[middle : window.end]) <= overlap else (middle + 1, high)
    return low
