"""What readers take for one character, and no cut should part: letters with marks, joined emoji, flags, syllables."""

from __future__ import annotations

from unicodedata import category, combining

_LONGEST = 64
"""No character that somebody means to be read is longer."""
_FIRST_MARK = "\u0300"
_JOINER = "\u200d"
_VIRAMA = 9
"""The combining class of the sign that binds two consonants (UAX 29, rule GB9c)."""


def whole_characters(text: str, position: int, after: int) -> int:
    """Return the last place in `(after, position]` that parts no character, `position` if there is none."""
    if position >= len(text) or "\n" < text[position] < _FIRST_MARK:
        return position
    place = position
    lowest = max(after, position - _LONGEST)
    while place > lowest:
        if not parts_character(text, place):
            return place
        place -= 1
    return position


def parts_character(text: str, place: int) -> bool:
    """Whether a cut would part what is one character to readers (UAX 29, for what is met in documents)."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if after < _FIRST_MARK:
        return before == "\r" and after == "\n"
    if _extends(after) or before == _JOINER or (combining(before) == _VIRAMA and after.isalpha()):
        return True
    return _is_flag_letter(before) and _is_flag_letter(after) and _flag_letters_before(text, place) % 2 == 1


def _extends(character: str) -> bool:
    return (
        category(character)[0] == "M"
        or "\u200c" <= character <= _JOINER
        or "\u1160" <= character <= "\u11ff"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, place: int) -> int:
    first = place
    while first > max(0, place - _LONGEST) and _is_flag_letter(text[first - 1]):
        first -= 1
    return place - first
