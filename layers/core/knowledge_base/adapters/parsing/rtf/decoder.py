"""The characters of an RTF file's bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.codepages import SYMBOL, WIDE, codec_of_number, decode_bytes, decode_symbols
from knowledge_base.adapters.parsing.rtf.head import Fonts

_CODECS = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850", b"ansi": "cp1252"}


@dataclass(slots=True)
class Decoder:
    """Gathers bytes: they are decoded when something else follows, for a wide character may come in two tokens."""

    fonts: Fonts = field(default_factory=Fonts)
    codec: str = "cp1252"
    data: bytearray = field(default_factory=bytearray)
    _default_font: int = 0

    def read(self, word: bytes, number: int) -> None:
        """Read a control word of the head that says how bytes are to be read."""
        if word == b"ansicpg":
            self.codec = codec_of_number(number) or self.codec
        elif word == b"deff":
            self._default_font = number
        else:
            self.codec = _CODECS.get(word, self.codec)

    def take(self, font: int) -> str:
        """Return the characters of the bytes so far in a font, -1 for the default one."""
        data = bytes(self.data)
        self.data.clear()
        if data.isascii():
            return data.decode("ascii")
        codec = self.fonts.codecs.get(font if font >= 0 else self._default_font, "")
        if codec == SYMBOL:
            return decode_symbols(data)
        wide = self.fonts.wide if self.codec not in WIDE else ()
        return decode_bytes(data, codec, self.codec, *wide)


HEAD_WORDS = frozenset((b"ansicpg", b"deff", *_CODECS))
