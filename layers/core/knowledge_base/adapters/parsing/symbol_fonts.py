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
_ONLY_SYMBOL = {
    "\x22": "∀", "\x24": "∃", "\x27": "∋", "\x40": "≅", "\x4a": "ϑ", "\x5e": "⊥", "\x6a": "ϕ", "\x76": "ϖ", "\x7e": "∼",
    "\xa2": "′", "\xa6": "ƒ", "\xa7": "♣", "\xa8": "♦", "\xa9": "♥", "\xaa": "♠", "\xab": "↔", "\xb2": "″", "\xb5": "∝",
    "\xba": "≡", "\xc0": "ℵ", "\xc1": "ℑ", "\xc2": "ℜ", "\xc4": "⊗", "\xc5": "⊕", "\xc6": "∅", "\xc9": "⊃", "\xca": "⊇",
    "\xcc": "⊂", "\xcd": "⊆", "\xcf": "∉", "\xd1": "∇", "\xd2": "®", "\xd3": "©", "\xd4": "™", "\xd5": "∏", "\xd8": "¬",
    "\xd9": "∧", "\xda": "∨", "\xdc": "⇐", "\xdd": "⇑", "\xe0": "◊", "\xe1": "⟨", "\xe2": "®", "\xe3": "©", "\xe4": "™",
    "\xf1": "⟩",
}  # fmt: skip
"""What is certain only where the font is known to be Symbol."""
_OFTEN = {
    "\xfc": "✓", "\xfe": "☑", "\xa8": "☐", "\x6f": "☐", "\xd8": "➢", "\xa7": "▪", "\x6c": "●", "\x6e": "■", "\xe0": "→",
    "\xfb": "✗",
}  # fmt: skip
"""Dingbats that are so common that they are told without their font."""
_DINGBATS = _OFTEN | {
    "\xfd": "☒", "\x78": "☒", "\x4a": "☺", "\x28": "☎", "\x2a": "✉", "\xdf": "←", "\xe1": "↑", "\xe2": "↓", "\xf0": "⇨",
    "\x76": "❖", "\x71": "❑", "\xa1": "○", "\x46": "☞",
    **{chr(0x81 + place): chr(0x2460 + place) for place in range(10)},
    **{chr(0x8C + place): chr(0x2776 + place) for place in range(10)},
}  # fmt: skip
_DINGBATS_2 = {"\x50": "✓", "\x4f": "✗", "\x52": "☑", "\x54": "☒", "\xa3": "☐", "\x97": "●", "\xa2": "■"}


def from_symbol_font(code: str, font: str) -> str:
    """Return the character that a hexadecimal code shows in a font, empty where it is unknown."""
    try:
        character = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    if "ding" in font.lower():
        signs = _DINGBATS_2 if font.strip().endswith("2") else _DINGBATS
        return signs.get(chr(ord(character) & 0xFF), "•")
    if "symbol" in font.lower() and _FIRST <= ord(character) <= _LAST:
        return _ONLY_SYMBOL.get(chr(ord(character) & 0xFF)) or from_private_use(character)
    return from_private_use(character)


def from_private_use(character: str) -> str:
    """Return what a character of the private use area most probably shows; empty where nobody can know."""
    code = ord(character)
    if _FIRST <= code <= _LAST:
        low = chr(code & 0xFF)
        return _SYMBOL.get(low) or _OFTEN.get(low) or (low if low < "\x7f" and low.isprintable() else "")
    return "" if 0xE000 <= code <= 0xF8FF else character
