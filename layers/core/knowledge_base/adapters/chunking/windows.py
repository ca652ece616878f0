"""Windows of one size that overlap, whatever stands in the text."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge_base.adapters.chunking.tokens import count, length_of_tokens

LEAST_STEP = 8
"""An overlap leaves at least an eighth of the size for what is new."""
_CHARACTERS_PER_TOKEN = 6
_WORD_REACH = 32
_LAST_SPACED_SCRIPT = "\u2e7f"


def overlapping_windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of `size` characters, each beginning `overlap` characters before the end of the one before.

    The last one ends with the text, and is shorter; none lies inside another.
    """
    step = size - bounded_overlap(size, overlap)
    start = 0
    while start + size < len(text):
        yield start, start + size
        start += step
    yield start, len(text)


def token_windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most `size` tokens, each beginning at most `overlap` tokens before the end of the one before.

    Ranges end between words where the script has spaces. The last one ends with the text; none lies inside
    another.
    """
    overlap = bounded_overlap(size, overlap)
    start, end = 0, 0
    while end < len(text):
        reached = end
        end = _end_of_tokens(text, start, size)
        if end <= reached:
            start, end = reached, _end_of_tokens(text, reached, size)
        end = _end_of_word(text, max(start, reached), end)
        yield start, end
        start = _start_of_overlap(text, start, end, overlap)


def bounded_overlap(size: int, overlap: int) -> int:
    """Return the overlap, made small enough that each window brings something new."""
    return max(0, min(overlap, size - max(1, size // LEAST_STEP)))


def _end_of_tokens(text: str, start: int, size: int) -> int:
    reach = size * _CHARACTERS_PER_TOKEN
    length = length_of_tokens(text[start : start + reach], size)
    while length == reach and start + reach < len(text):
        reach *= 2
        length = length_of_tokens(text[start : start + reach], size)
    end = start + max(1, length)
    while end > start + 1 and count(text[start:end]) > size:
        end -= 1
    return end


def _end_of_word(text: str, after: int, end: int) -> int:
    """Step back to the last space rather than cut a word in two."""
    if end >= len(text) or not (_in_word(text[end - 1]) and _in_word(text[end])):
        return end
    for position in range(end, max(after + 1, end - _WORD_REACH), -1):
        if text[position - 1].isspace():
            return position
    return end


def _in_word(character: str) -> bool:
    return character.isalnum() and character <= _LAST_SPACED_SCRIPT


def _start_of_overlap(text: str, start: int, end: int, overlap: int) -> int:
    """Return the first place from which at most `overlap` tokens lead to the end."""
    low, high = start + 1, end
    while low < high:
        middle = (low + high) // 2
        if count(text[middle:end]) <= overlap:
            high = middle
        else:
            low = middle + 1
    return low
