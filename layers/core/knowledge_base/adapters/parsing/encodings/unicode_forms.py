"""Tells UTF-16, UTF-32 and seven-bit encodings by their form, where there is no byte order mark."""

from __future__ import annotations

import re
from collections import Counter

_SAMPLE = 16_384
_BLOCK = 256
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_MAX_BROKEN = 0.01
_LEAST_PLAUSIBLE = 0.97
_LEAST_COHERENT = 0.93
_LEAST_ORDINARY = 0.01
_BLOCKS_OF_A_TEXT = 3
_ORDINARY = re.compile("[\\t\\n\\r -~\u2010-\u2027\u3000-\u30ff\uff00-\uff5e]")
"""Spaces, newlines, punctuation, kana: what every longer text has, and swapped bytes give only by chance."""
_FAR_EAST = (("\u3400", "\u9fff"), ("\uac00", "\ud7a3"))
_HIGH = bytes(range(0x80, 0x100))
_ESCAPE = re.compile(rb"\x1b|~\{")
_ESCAPES = (
    (re.compile(rb"\x1b\$[@B]|\x1b\(I"), "iso2022_jp_ext"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"~\{(?:[!-}]{2})+~\}"), "hz"),
)


def wide_encoding(content: bytes) -> str:
    """Return the UTF-32 or UTF-16 encoding that a text is in, or an empty string."""
    sample = content[:_SAMPLE]
    for encoding in ("utf-32-le", "utf-32-be"):
        if len(content) % 4 == 0 and _is_plausible(_decoded(sample, encoding, 4)):
            return encoding
    found = {encoding: _decoded(sample, encoding, 2) for encoding in ("utf-16-le", "utf-16-be")}
    shares = {encoding: _share_of_ordinary(text) for encoding, text in found.items() if _is_plausible(text)}
    best = max(shares, key=lambda encoding: shares[encoding], default="")
    return best if best and shares[best] >= _LEAST_ORDINARY else ""


def escaped_encoding(sample: bytes) -> str:
    """Return the seven-bit encoding that the escapes of an ASCII text belong to, or an empty string."""
    if not _ESCAPE.search(sample) or len(sample.translate(None, _HIGH)) < (1 - _MAX_BROKEN) * len(sample):
        return ""
    return next((encoding for escape, encoding in _ESCAPES if escape.search(sample)), "")


def _decoded(sample: bytes, encoding: str, width: int) -> str:
    """Decode whole units; text that does not fit the encoding is no text, but a few may be damaged."""
    text = sample[: len(sample) // width * width].decode(encoding, "replace")
    return "" if text.count(_BROKEN) > 1 + _MAX_BROKEN * len(text) else text.replace(_BROKEN, "")


def _is_plausible(text: str) -> bool:
    """Whether characters are printable and from few blocks of Unicode, as those of a text are."""
    strange = sum(not (character.isprintable() or character in "\t\n\r\f\ufeff") for character in text)
    if not text or strange > (1 - _LEAST_PLAUSIBLE) * len(text):
        return False
    blocks = Counter(_block(character) for character in text if not _ORDINARY.match(character))
    total = blocks.total()
    main = sum(times for _block_, times in blocks.most_common(_BLOCKS_OF_A_TEXT))
    return main >= _LEAST_COHERENT * total


def _block(character: str) -> int:
    for place, (first, last) in enumerate(_FAR_EAST):
        if first <= character <= last:
            return -1 - place
    return ord(character) // _BLOCK


def _share_of_ordinary(text: str) -> float:
    return len(_ORDINARY.findall(text)) / len(text)
