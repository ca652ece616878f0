"""Bytes of a text file to characters, whatever common encoding they are in."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ESCAPES = ((b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"), (b"\x1b$)C", "iso2022_kr"))
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))
SAMPLE = 65_536
MAX_CONTROLS = 0.02
MAX_BROKEN = 0.02

_BROKEN = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Characters, the encoding they were in, and whether every byte fitted it."""

    text: str
    encoding: str
    exact: bool = True


def decode(content: bytes) -> Decoded | None:
    """Return the characters of a text file, or None where the bytes are no text."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _decode_as(content[len(mark) :], encoding)
    encoding = _encoding_by_zeros(content[:SAMPLE]) or _encoding_by_escapes(content[:SAMPLE])
    return _decode_as(content, encoding) if encoding else _decode_unmarked(content)


def _decode_as(content: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(content.decode(encoding), encoding)
    except UnicodeDecodeError:
        return Decoded(content.decode(encoding, "replace"), encoding, exact=False)


def _encoding_by_zeros(sample: bytes) -> str:
    """Tell UTF-16 and UTF-32 without a byte order mark by where the zero bytes of plain letters stand."""
    zeros = [_share_of_zeros(sample[place::4]) for place in range(4)]
    if zeros[0] < 0.1 and min(zeros[1:]) > 0.9:
        return "utf-32-le"
    if zeros[3] < 0.1 and min(zeros[:3]) > 0.9:
        return "utf-32-be"
    even, odd = _share_of_zeros(sample[::2]), _share_of_zeros(sample[1::2])
    if max(even, odd) < 0.2 or min(even, odd) > 0.05 * max(even, odd):
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _share_of_zeros(sample: bytes) -> float:
    return sample.count(0) / max(1, len(sample))


def _encoding_by_escapes(sample: bytes) -> str:
    return next((encoding for escape, encoding in ESCAPES if escape in sample and sample.isascii()), "")


def _decode_unmarked(content: bytes) -> Decoded | None:
    has_controls = _share_of_controls(content[:SAMPLE]) > MAX_CONTROLS
    decoded = _decode_as(content, "utf-8")
    if decoded.exact or _is_damaged_utf8(content, decoded.text):
        return None if has_controls else decoded
    from knowledge_base.adapters.parsing.encodings.legacy import guess

    encoding = guess(content, wide_only=has_controls)
    return _decode_as(content, encoding) if encoding else None


def _is_damaged_utf8(content: bytes, text: str) -> bool:
    """Whether only a few bytes break a text that otherwise has many well-formed sequences."""
    broken = text.count(_BROKEN)
    sequences = sum(character > "\x7f" for character in text) - broken
    return broken <= max(1, len(content) * MAX_BROKEN) and sequences > 20 * broken


def _share_of_controls(sample: bytes) -> float:
    return 1 - len(sample.translate(None, CONTROLS)) / max(1, len(sample))
