"""Characters of the symbol fonts, which documents keep in the private use area."""

from __future__ import annotations

_FIRST, _LAST = 0xF000, 0xF0FF
_GREEK = dict(
    zip(
        "abgdezhqiklmnxoprstufcywABGDEZHQIKLMNXOPRSTUFCYW",
        "αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
        strict=True,
    )
)
_SYMBOL = _GREEK | {
    "\xa3": "≤", "\xb3": "≥", "\xb4": "×", "\xb1": "±", "\xb0": "°", "\xb7": "•", "\xb9": "≠", "\xbb": "≈", "\xb8": "÷",
    "\xa5": "∞", "\xae": "→", "\xac": "←", "\xad": "↑", "\xaf": "↓", "\xd6": "√", "\xe5": "∑", "\xf2": "∫", "\xb6": "∂",
    "\xce": "∈", "\xc7": "∩", "\xc8": "∪", "\xde": "⇒", "\xdb": "⇔", "\xd0": "∠", "\xbc": "…", "\xd7": "⋅",
}  # fmt: skip
_DINGBATS = {
    "\xfc": "✓",
    "\xfe": "☑",
    "\xa8": "☐",
    "\x6f": "☐",
    "\xd8": "➢",
    "\xa7": "▪",
    "\x6c": "●",
    "\x6e": "■",
    "\xe0": "→",
    "\xfb": "✗",
}


def from_symbol_font(code: str, font: str) -> str:
    """Return the character that a hexadecimal code shows in a font, empty where it is unknown."""
    try:
        character = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    if "ding" in font.lower():
        return _DINGBATS.get(chr(ord(character) & 0xFF), "•")
    return from_private_use(character)


def from_private_use(character: str) -> str:
    """Return what a character of the private use area most probably shows; empty where nobody can know."""
    code = ord(character)
    if _FIRST <= code <= _LAST:
        low = chr(code & 0xFF)
        return _SYMBOL.get(low) or _DINGBATS.get(low) or (low if low < "\x7f" and low.isprintable() else "")
    return "" if 0xE000 <= code <= 0xF8FF else character
