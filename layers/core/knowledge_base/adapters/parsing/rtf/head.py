"""The tables in the head of an RTF file: fonts with their code pages, styles, and the values of form fields."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.codepages import WIDE, codec_of_charset, codec_of_number, decode_bytes
from knowledge_base.adapters.parsing.field_codes import CHECKED, UNCHECKED, form_value
from knowledge_base.adapters.parsing.rtf.state import StyleSheet

_CHECK_BOX, _LIST = 1, 2
_UNSET = 25


@dataclass(slots=True)
class Fonts:
    """The codec of each font; `wide` are the East Asian ones among them, in order of appearance."""

    codecs: dict[int, str] = field(default_factory=dict)
    wide: dict[str, None] = field(default_factory=dict)
    _font: int = 0

    def read(self, word: bytes, number: int) -> None:
        """Read a control word of the table."""
        if word == b"f":
            self._font = number
        elif word == b"fcharset":
            self.codecs[self._font] = codec = codec_of_charset(number)
            self.wide |= {codec: None} if codec in WIDE else {}
        elif word == b"cpg":
            self.codecs[self._font] = codec_of_number(number)


@dataclass(slots=True)
class StyleReader:
    """Reads the style sheet, whose entries are control words, a name, and a semicolon."""

    sheet: StyleSheet = field(default_factory=StyleSheet)
    _name: bytearray = field(default_factory=bytearray)
    _number: int = -1
    _outline: int = -1

    def read(self, word: bytes, number: int) -> None:
        """Read a control word of the table."""
        if word == b"s":
            self._number = number
        elif word == b"outlinelevel":
            self._outline = number

    def add_name(self, data: bytes, codec: str) -> None:
        """Read a part of a name."""
        self._name += data
        if b";" in data:
            self.end(codec)

    def end(self, codec: str) -> None:
        """Close a style."""
        if self._name:
            self.sheet.add(max(0, self._number), decode_bytes(bytes(self._name), codec), self._outline)
        self._name.clear()
        self._number = self._outline = -1


@dataclass(slots=True)
class FormReader:
    """Reads what a form field is filled with."""

    _words: dict[bytes, int] = field(default_factory=dict)
    _entries: list[bytes] = field(default_factory=list)

    def read(self, word: bytes, number: int) -> None:
        """Read a control word of the field."""
        if word == b"formfield":
            self._words, self._entries = {}, []
        self._words[word] = number

    def add_entry(self, data: bytes) -> None:
        """Read an entry of a list."""
        self._entries.append(data)

    def value(self, codec: str) -> str:
        """Return the code that makes the field show its value."""
        result = self._words.get(b"ffres", _UNSET)
        chosen = self._words.get(b"ffdefres", 0) if result == _UNSET else result
        kind = self._words.get(b"fftype", 0)
        if kind == _CHECK_BOX:
            return form_value(CHECKED if chosen else UNCHECKED)
        if kind == _LIST and 0 <= chosen < len(self._entries):
            return form_value(decode_bytes(self._entries[chosen], codec))
        return ""
