"""RTF: text with its code pages, headings, tables, notes and text boxes; what is hidden or deleted stays out."""

from __future__ import annotations

import re
from collections.abc import Callable

from knowledge_base.adapters.parsing.doc.blocks import Block, join_surrogates, write_document
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.rtf.codepages import (
    SYMBOL,
    WIDE,
    codec_of_charset,
    codec_of_number,
    decode_bytes,
)
from knowledge_base.adapters.parsing.rtf.state import Look, Sink, State, StyleSheet
from knowledge_base.adapters.parsing.rtf.tokens import Kind, Token, read_tokens
from knowledge_base.adapters.parsing.rtf.words import (
    DEFAULTS,
    ENDS,
    KEPT,
    MARGINS,
    SIDES,
    SIGNS,
    SKIPPED,
    TEXTS,
)
from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/rtf"
_MAX_SIDES = 20
_SIGNATURE = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\\rtf?\d?")


class _Reader:
    """Follows the tokens of a file and keeps what a reader of the document sees."""

    def __init__(self) -> None:
        self._state = State()
        self._stack: list[State] = []
        self._sinks: list[tuple[int, Sink, Look]] = []
        self._sink, self._look = Sink(), Look()
        self._styles = StyleSheet()
        self._fonts: dict[int, str] = {}
        self._wide: dict[str, None] = {}
        self._default_font, self._codec = 0, "cp1252"
        self._font, self._style, self._outline = 0, -1, -1
        self._bytes, self._name = bytearray(), bytearray()
        self._to_skip, self._is_optional, self._notes = 0, False, 0
        self._title: list[str] = []
        self.margins: list[str] = []
        self._words = self._make_words()

    @property
    def title(self) -> str:
        return join_surrogates("".join(self._title))

    def read(self, content: bytes) -> list[Block]:
        for token in read_tokens(content):
            if token.kind is Kind.TEXT:
                self._read_text(token)
                continue
            if token.word != "u" or self._to_skip:
                self._flush()
            if token.kind is Kind.WORD:
                self._read_word(token.word, token.number)
            else:
                self._to_skip = 0
                self._open() if token.kind is Kind.OPEN else self._close()
        self._flush()
        while self._sinks:
            self._leave_sink()
        return self._sink.finish()

    def _open(self) -> None:
        self._stack.append(self._state)
        self._state = self._state.copy()
        if self._stack[-1].in_alternative:
            self._stack[-1].in_alternative = False
            self._state.destination = "skip"

    def _close(self) -> None:
        if self._state.destination == "stylesheet" and self._name:
            self._end_style()
        if not self._stack:
            return
        self._state = self._stack.pop()
        while self._sinks and self._sinks[-1][0] > len(self._stack):
            self._leave_sink()
        self._is_optional = False

    def _read_text(self, token: Token) -> None:
        data = self._without_fallback(token)
        self._is_optional = False
        destination = self._state.destination
        if destination in ("", "title"):
            self._bytes += data
        elif destination == "stylesheet":
            self._name += data
            if b";" in data:
                self._end_style()

    def _without_fallback(self, token: Token) -> bytes:
        """Leave out the characters that stand in for a Unicode one before them."""
        if not self._to_skip:
            return token.data
        skipped = min(self._to_skip, 1 if token.is_single else len(token.data))
        self._to_skip -= skipped
        return token.data[skipped:]

    def _end_style(self) -> None:
        name = decode_bytes(bytes(self._name), self._codec)
        self._styles.add(max(0, self._style), name, self._outline)
        self._name.clear()
        self._style, self._outline = -1, -1

    def _read_word(self, word: str, number: int | None) -> None:
        if word == "*":
            self._is_optional = True
            return
        is_optional, self._is_optional = self._is_optional, False
        if self._state.destination == "skip":
            return
        if word in KEPT:
            self._state.destination = word
        elif word in SKIPPED or (is_optional and word not in TEXTS):
            self._state.destination = "skip"
        elif word in SIDES:
            self._enter_sink(word)
        elif self._state.destination in ("stylesheet", "fonttbl"):
            self._read_table_word(word, number)
        else:
            self._read_body_word(word, number)

    def _read_table_word(self, word: str, number: int | None) -> None:
        if word == "f" and self._state.destination == "fonttbl":
            self._font = number or 0
        elif word == "fcharset":
            self._fonts[self._font] = codec = codec_of_charset(number or 0)
            self._wide |= {codec: None} if codec in WIDE else {}
        elif word == "cpg":
            self._fonts[self._font] = codec_of_number(number or 0)
        elif word == "s":
            self._style = number or 0
        elif word == "outlinelevel":
            self._outline = number or 0

    def _read_body_word(self, word: str, number: int | None) -> None:
        if word in SIGNS:
            self._add(SIGNS[word])
        elif word in ENDS:
            self._sink.end_paragraph(self._look, self._styles.level_of(self._look))
        elif word in DEFAULTS:
            self._codec = DEFAULTS[word]
        elif action := self._words.get(word):
            action(number)

    def _make_words(self) -> dict[str, Callable[[int | None], None]]:
        return {
            "u": self._read_unicode,
            "uc": self._set_fallback_length,
            "f": self._set_font,
            "deff": self._set_default_font,
            "ansicpg": self._set_codec,
            "b": self._set_bold,
            "v": self._set_unseen,
            "deleted": self._set_deleted,
            "plain": lambda _number: self._reset_characters(),
            "pard": lambda _number: self._reset_paragraph(),
            "s": self._set_style,
            "outlinelevel": self._set_outline,
            "intbl": lambda _number: self._mark_in_table(),
            "trowd": lambda _number: self._sink.begin_row(),
            "trhdr": lambda _number: self._mark_header(),
            "clvmrg": lambda _number: self._mark_merge(),
            "cellx": lambda _number: self._end_definition(),
            "cell": lambda _number: self._sink.end_cell(),
            "row": lambda _number: self._sink.end_row(),
            "nestcell": lambda _number: self._sink.end_paragraph(Look(in_table=True), 0),
            "upr": lambda _number: self._mark_alternative(),
            "listtext": lambda _number: self._mark_item(),
            "pntext": lambda _number: self._mark_item(),
        }

    def _set_fallback_length(self, number: int | None) -> None:
        self._state.fallback_length = max(0, min(number if number is not None else 1, 16))

    def _set_font(self, number: int | None) -> None:
        self._state.font = number or 0

    def _set_default_font(self, number: int | None) -> None:
        self._default_font = number or 0

    def _set_codec(self, number: int | None) -> None:
        self._codec = codec_of_number(number or 0) or self._codec

    def _set_bold(self, number: int | None) -> None:
        self._state.is_bold = number != 0

    def _set_unseen(self, number: int | None) -> None:
        self._state.is_unseen = number != 0

    def _set_deleted(self, number: int | None) -> None:
        self._state.is_deleted = number != 0

    def _set_style(self, number: int | None) -> None:
        self._look.style = number or 0

    def _set_outline(self, number: int | None) -> None:
        self._look.outline = number if number is not None else -1

    def _mark_in_table(self) -> None:
        self._look.in_table = True

    def _mark_item(self) -> None:
        self._look.is_item = True

    def _mark_header(self) -> None:
        self._sink.is_header = True

    def _mark_merge(self) -> None:
        self._sink.next_merges = True

    def _mark_alternative(self) -> None:
        self._state.in_alternative = True

    def _end_definition(self) -> None:
        self._sink.merges.append(self._sink.next_merges)
        self._sink.next_merges = False

    def _reset_characters(self) -> None:
        self._state.is_unseen = self._state.is_deleted = self._state.is_bold = False
        self._state.font = -1

    def _reset_paragraph(self) -> None:
        self._look = Look()

    def _read_unicode(self, number: int | None) -> None:
        code = (number or 0) & 0xFFFF
        self._flush()
        sign = chr(code)
        if 0xF000 <= code <= 0xF0FF:
            sign = from_symbol_font(f"{code:04X}", "Wingdings")
        self._add(sign)
        self._to_skip = self._state.fallback_length

    def _flush(self) -> None:
        """Decode bytes only when something else follows: a wide character may come in two tokens."""
        if not self._bytes:
            return
        data = bytes(self._bytes)
        self._bytes.clear()
        font = self._fonts.get(self._state.font if self._state.font >= 0 else self._default_font, "")
        if font == SYMBOL and not data.isascii():
            self._add("".join(from_symbol_font(f"{byte:02X}", "Symbol") if byte > 127 else chr(byte) for byte in data))
            return
        wide = self._wide if self._codec not in WIDE else ()
        self._add(data.decode("ascii") if data.isascii() else decode_bytes(data, font, self._codec, *wide))

    def _add(self, text: str) -> None:
        if self._state.destination == "title":
            self._title.append(text)
        elif not (self._state.is_unseen or self._state.is_deleted or self._state.destination):
            self._sink.add(text, self._state.is_bold)

    def _enter_sink(self, word: str) -> None:
        if len(self._sinks) >= _MAX_SIDES:
            return
        mark = ""
        if word == "footnote":
            self._notes += 1
            mark = f"[^{self._notes}]"
            self._sink.add(mark, self._state.is_bold)
        self._sinks.append((len(self._stack), self._sink, self._look))
        self._sink, self._look = Sink(mark or word), Look()

    def _leave_sink(self) -> None:
        side = self._sink
        _depth, self._sink, self._look = self._sinks.pop()
        blocks = side.finish()
        text = " ".join(" ".join(block.text.split()) for block in blocks if block.text)
        if side.mark in MARGINS:
            self.margins.append(text)
        elif side.mark.startswith("["):
            self._sink.attached.append(Block(f"{side.mark}: {text}" if text else ""))
        else:
            self._sink.attached += blocks


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    reader = _Reader()
    blocks = reader.read(content)
    return write_document(blocks, MEDIA_TYPE, title=reader.title, margins=reader.margins)


FORMAT = Format("an RTF file", lambda content, _hints: bool(_SIGNATURE.match(content[:64])), _read)
