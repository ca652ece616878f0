"""Bytes of a text file to characters, whatever common encoding they are in."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO, IncrementalNewlineDecoder

from knowledge_base.adapters.parsing.encodings.declared import codec_of
from knowledge_base.adapters.parsing.encodings.mixture import decode_lines, find_second_encoding, looks_like_utf8
from knowledge_base.adapters.parsing.encodings.unicode_forms import escaped_encoding, wide_encoding

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\v\f\r\x1a\x1b"))
SAMPLE = 65_536
MAX_CONTROLS = 0.02
_MAX_BROKEN = 0.01
_SHORTEST_LINE = 20
_PIECE = 1 << 20
_PADDING = bytes(16)
_COMBINING = ("cp1258",)
"""Encodings that write accents after their letters."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Characters, the encoding they were in, and whether every byte fitted it."""

    text: str
    encoding: str
    exact: bool = True


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The bytes of a text with their encoding; `second` is that of lines that do not fit the first.

    A big text is decoded piece by piece, so that no more than one copy of it is in memory.
    """

    content: bytes
    encoding: str
    exact: bool = True
    second: str = ""

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces, with `\\n` for all newlines."""
        if self.second:
            yield from decode_lines(self.content, self.encoding, self.second)
            return
        decoder = IncrementalNewlineDecoder(codecs.getincrementaldecoder(self.encoding)("replace"), translate=True)
        for start in range(0, len(self.content), _PIECE):
            piece = decoder.decode(self.content[start : start + _PIECE], final=start + _PIECE >= len(self.content))
            yield unicodedata.normalize("NFC", piece) if self.encoding in _COMBINING else piece

    def lines(self) -> Iterator[str]:
        """Yield the lines of the text, with their newlines."""
        rest = ""
        for piece in self.pieces():
            *whole, rest = (rest + piece).split("\n")
            for line in whole:
                yield f"{line}\n"
        if rest:
            yield rest


def decode(content: bytes, claims: Sequence[str] = ()) -> Decoded | None:
    """Return the characters of a text file, or None where the bytes are no text (see `find_encoding`)."""
    found = find_encoding(content, claims)
    return Decoded("".join(found.pieces()), found.encoding, found.exact) if found else None


def find_encoding(content: bytes, claims: Sequence[str] = ()) -> EncodedText | None:
    """Tell the encoding of a text, or return None where the bytes are no text.

    A byte order mark wins, then the form of UTF-16 and UTF-32, then UTF-8 that fits every byte; then the first of
    the claimed encodings that fits and is not clearly false; then a guess.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _checked(content[len(mark) :], encoding)
    content = _without_padding(content)
    sample = content[:SAMPLE]
    if escaped := escaped_encoding(sample):
        return _checked(content, escaped)
    bare = sample.strip(b"\x00")
    controls = _count_controls(bare)
    has_controls = controls > MAX_CONTROLS * len(bare)
    if (has_controls or b"\x00" in sample) and (wide := wide_encoding(content)):
        return _checked(content, wide)
    is_slip = controls == 1 and len(bare) >= _SHORTEST_LINE
    return None if has_controls and not is_slip else _find_unmarked(content, claims)


def _without_padding(content: bytes) -> bytes:
    """Drop blocks of zero bytes at both ends; the zeros that belong to wide characters stay."""
    if content.endswith(_PADDING):
        zeros = len(content) - len(content.rstrip(b"\x00"))
        content = content[: len(content) - zeros // 4 * 4]
    if content.startswith(_PADDING):
        zeros = len(content) - len(content.lstrip(b"\x00"))
        content = content[zeros // 4 * 4 :]
    return content


def _find_unmarked(content: bytes, claims: Sequence[str]) -> EncodedText | None:
    if _fits(content, "utf-8"):
        return EncodedText(content, "utf-8")
    claimed = [found for name in claims if (found := _as_claimed(content, codec_of(name)))]
    if claimed:
        return min(claimed, key=lambda found: not found.exact)
    if looks_like_utf8(content):
        return EncodedText(content, "utf-8", exact=False, second=find_second_encoding(content))
    # Without a zero byte there is neither a space nor a line end of UTF-16 in it: pairs of other letters look like
    # Chinese in it more often than it is that.
    if guessed := _guessed(content):
        return guessed
    wide = wide_encoding(content)
    return _checked(content, wide) if wide else None


def _guessed(content: bytes) -> EncodedText | None:
    from knowledge_base.adapters.parsing.encodings.legacy import guess

    encoding = guess(content)
    return _checked(content, encoding) if encoding else None


def _as_claimed(content: bytes, codec: str) -> EncodedText | None:
    """A few broken bytes are a damaged text, many are a false claim, and so are characters that make no words."""
    from knowledge_base.adapters.parsing.encodings.legacy import contradicts

    if not codec:
        return None
    found = _checked(content, codec)
    if not found.exact:
        sample = content[:_PIECE].decode(codec, "replace")
        if sample.count("\N{REPLACEMENT CHARACTER}") > max(2, len(sample) * _MAX_BROKEN):
            return None
    return None if contradicts(content, codec) else found


def _checked(content: bytes, encoding: str) -> EncodedText:
    return EncodedText(content, encoding, exact=_fits(content, encoding))


def _fits(content: bytes, encoding: str) -> bool:
    """Whether all bytes can be decoded."""
    decoder = codecs.getincrementaldecoder(encoding)()
    source = BytesIO(content)
    try:
        while piece := source.read(_PIECE):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _count_controls(sample: bytes) -> int:
    return len(sample) - len(sample.translate(None, CONTROLS))
