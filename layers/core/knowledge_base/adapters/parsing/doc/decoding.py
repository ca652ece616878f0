"""The characters of an old Word document: Word 97 has 16-bit ones and Western bytes, before it bytes by their fonts."""

from __future__ import annotations

import codecs
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from knowledge_base.adapters.parsing.codepages import SYMBOL, WIDE, decode_symbols
from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.doc.pieces import Piece
from knowledge_base.adapters.parsing.encodings.decoding import decode

_CHINESE = 0x04
_TRADITIONAL = (0x0404, 0x0C04, 0x1404, 0x7C04)
_CODEPAGES = {
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23), "cp1251"),
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1B, 0x24), "cp1250"),
    0x01: "cp1256",
    0x08: "cp1253",
    0x0D: "cp1255",
    0x11: "cp932",
    0x12: "cp949",
    0x1E: "cp874",
    0x1F: "cp1254",
}
"""Code pages by the primary language of the document."""
_WIDE = re.compile("[^\x00-\x7f\ufffd]{1,4096}")
_WIDE_JAPANESE = re.compile("[^\x00-\x7f\ufffd\uff61-\uff9f]{1,4096}")
"""Runs of characters of two bytes each; bounded, since they are taken to pieces."""
_MANY_HIGH = 0.2
_SAMPLE_PIECES, _SAMPLE_BYTES = 50, 20_000


def read_text(head: Head, pieces: list[Piece], font_codecs: Iterable[tuple[int, int, str]]) -> str:
    """Return all characters, each at its position: those beyond 16 bits stay two halves.

    `font_codecs` are ranges of bytes in order, with the codec that their font means.
    """
    codec, ranges = _codec_of(head, pieces), list(font_codecs)
    return "".join(_piece_text(head, piece, codec, ranges) for piece in pieces)


def _piece_text(head: Head, piece: Piece, codec: str, ranges: list[tuple[int, int, str]]) -> str:
    length = piece.end - piece.start
    if piece.width == 2:
        text = _units(head.document[piece.offset : piece.last])
    else:
        text = "".join(_narrow(head.document[start:end], own) for start, end, own in _runs(piece, codec, ranges))
    return text.ljust(length, "\x00")[:length]


def _runs(piece: Piece, codec: str, ranges: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the parts of a piece in one code page each."""
    place = piece.offset
    index = max(0, bisect_right(ranges, (place, 0, "")) - 1)
    while index < len(ranges) and ranges[index][0] < piece.last:
        start, end, own = max(ranges[index][0], place), min(ranges[index][1], piece.last), ranges[index][2]
        if start < end:
            yield place, start, codec
            yield start, end, own
            place = end
        index += 1
    yield place, piece.last, codec


def _units(data: bytes) -> str:
    text = data.decode("utf-16-le", "replace")
    if len(text) == len(data) // 2 and "\ufffd" not in text:
        return text
    return "".join(map(chr, struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])))


def _narrow(data: bytes, codec: str) -> str:
    """Decode bytes so that every byte keeps a place: the second byte of a wide character gives a NUL."""
    if codec == SYMBOL:
        return decode_symbols(data)
    text = data.decode(codec, "replace")
    if codec not in WIDE or text.isascii():
        return text
    wide = _WIDE_JAPANESE if codec == "cp932" else _WIDE
    return wide.sub(lambda match: "\x00".join((*match[0], "")), text)


def _codec_of(head: Head, pieces: list[Piece]) -> str:
    """Word 97 packs only Western text into bytes; before, bytes are in the code page of the writer."""
    if not head.is_old:
        return "cp1252"
    if head.is_mac:
        return "mac_roman"
    primary = head.language & 0x3FF
    if primary == _CHINESE:
        return "cp950" if head.language in _TRADITIONAL else "gb18030"
    return _CODEPAGES.get(primary, "") or _guessed_codec(head, pieces) or "cp1252"


def _guessed_codec(head: Head, pieces: list[Piece]) -> str:
    """Return a codec where much of the text is in bytes that are no English, empty elsewhere."""
    sample = b"".join(head.document[piece.offset : piece.last] for piece in pieces[:_SAMPLE_PIECES])
    sample = bytes(byte for byte in sample[:_SAMPLE_BYTES] if byte >= 0x20)
    high = sum(byte >= 0x80 for byte in sample) / max(1, len(sample))
    guessed = decode(sample) if high > _MANY_HIGH else None
    return _name(guessed.encoding) if guessed else ""


def _name(encoding: str) -> str:
    known = {"gbk": "gb18030", "gb2312": "gb18030", "shift_jis": "cp932", "big5": "cp950", "euc_kr": "cp949"}
    name = codecs.lookup(encoding).name
    return known.get(name.replace("-", "_"), "" if name.startswith("utf") else name)
