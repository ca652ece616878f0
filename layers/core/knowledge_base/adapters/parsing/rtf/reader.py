"""RTF: text with its code pages, headings, tables, notes and text boxes; what is hidden or deleted stays out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from knowledge_base.adapters.parsing.blocks import Block, BlockWriter, join_surrogates
from knowledge_base.adapters.parsing.field_codes import BEGIN, CODE_BEGIN, CODE_END, SEPARATOR
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.rtf.actions import ACTIONS
from knowledge_base.adapters.parsing.rtf.decoder import HEAD_WORDS, Decoder
from knowledge_base.adapters.parsing.rtf.head import FormReader, StyleReader
from knowledge_base.adapters.parsing.rtf.scene import Scene
from knowledge_base.adapters.parsing.rtf.sink import Sink
from knowledge_base.adapters.parsing.rtf.tokens import CODE, HEX, OPEN, SIGN, TEXT, WORD, Tokens
from knowledge_base.adapters.parsing.rtf.words import (
    ENDS,
    KEPT,
    MARGINS,
    PICTURES,
    SHORT_ENDS,
    SHORT_SIGNS,
    SIDES,
    SIGNS,
    SKIPPED,
    TEXTS,
)
from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/rtf"
_SIGNATURE = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\\rtf?\d?")
_PRIVATE = range(0xF000, 0xF100)
_OPTIONAL = b"*"
_TEXTS = (TEXT, HEX)


class _Reader:
    """Follows the tokens of a file and keeps what a reader of the document sees."""

    def __init__(self, content: bytes) -> None:
        self._tokens = Tokens(content)
        self._scene = Scene()
        self._body = self._scene.sink
        self._decoder = Decoder()
        self._styles, self._forms = StyleReader(), FormReader()
        self._to_skip, self._is_first, self._is_optional = 0, False, False
        self._notes = {"": 0, "e": 0}
        self._title: list[str] = []
        self._has_pictures = False
        self._roles = self._make_roles()

    def read(self) -> ParsedDocument:
        writer = BlockWriter()
        for block in self._blocks():
            writer.add(block)
        for margin in self._scene.margins:
            writer.add_margin(margin)
        title = join_surrogates("".join(self._title))
        return writer.finish(MEDIA_TYPE, title=title, has_pictures=self._has_pictures)

    def _blocks(self) -> Iterator[Block]:
        for kind, match in self._tokens:
            if kind == WORD:
                self._read_word(match[WORD], match["number"])
            elif kind == CODE:
                self._read_code(int(match[CODE]) & 0xFFFF)
            elif kind in _TEXTS:
                self._read_text(match[TEXT] or bytes.fromhex(match[HEX].decode()), is_single=kind == HEX)
            elif kind == SIGN:
                self._read_sign(match[SIGN])
            else:
                self._read_brace(is_open=kind == OPEN)
            if self._body.blocks:
                yield from self._body.take()
        self._flush()
        self._scene.close_all()
        yield from self._body.finish()

    def _read_brace(self, *, is_open: bool) -> None:
        self._flush()
        self._to_skip, self._is_first, self._is_optional = 0, is_open, False
        if is_open:
            self._scene.open()
            if self._scene.is_alternative:
                self._tokens.skip_group()
        else:
            self._end_group()

    def _end_group(self) -> None:
        destination = self._scene.state.destination
        if destination == b"stylesheet":
            self._styles.end(self._decoder.codec)
        self._scene.close()
        if destination == b"formfield" and self._scene.state.destination != destination:
            self._scene.add(self._forms.value(self._decoder.codec))

    def _read_text(self, data: bytes, *, is_single: bool) -> None:
        """Take bytes, but not those that stand in for a Unicode character before them."""
        self._is_first = self._is_optional = False
        if self._to_skip:
            skipped = min(self._to_skip, 1 if is_single else len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        destination = self._scene.state.destination
        if destination in (b"", b"title"):
            self._decoder.data += data
        elif destination == b"stylesheet":
            self._styles.add_name(data, self._decoder.codec)
        elif destination == b"ffl":
            self._forms.add_entry(data)

    def _read_code(self, code: int) -> None:
        """Take a Unicode character; others that stand in for it follow."""
        self._is_first = self._is_optional = False
        if self._decoder.data:
            self._flush()
        self._add(from_symbol_font(f"{code:04X}", "Wingdings") if code in _PRIVATE else chr(code))
        self._to_skip = self._scene.state.fallback_length

    def _read_sign(self, sign: bytes) -> None:
        if sign == _OPTIONAL:
            self._is_optional = self._is_first
        elif sign in SHORT_SIGNS:
            self._flush()
            self._add(SHORT_SIGNS[sign])
        elif sign in SHORT_ENDS:
            self._flush()
            self._end_paragraph()
        else:
            self._read_text(sign, is_single=True)

    def _read_word(self, word: bytes, digits: bytes | None) -> None:
        is_optional, self._is_optional, self._is_first = self._is_optional, False, False
        role = self._skip if is_optional and word not in TEXTS else self._roles.get(word)
        if role is None and not self._scene.state.destination:
            return
        number = int(digits) if digits else None
        self._flush()
        if self._is_table_word(role):
            self._read_table_word(word, number or 0)
        elif role:
            role(word, number)

    def _make_roles(self) -> dict[bytes, Callable[[bytes, int | None], None]]:
        return {
            **dict.fromkeys(SIGNS, self._add_sign),
            **dict.fromkeys(ENDS, lambda _word, _number: self._end_paragraph()),
            **dict.fromkeys(ACTIONS, lambda word, number: ACTIONS[word](self._scene, number)),
            **dict.fromkeys(HEAD_WORDS, lambda word, number: self._decoder.read(word, number or 0)),
            **dict.fromkeys(SIDES, self._enter_side),
            **dict.fromkeys(SKIPPED, self._skip),
            **dict.fromkeys(KEPT, self._keep),
            b"fldinst": self._begin_code,
            b"fldrslt": lambda _word, _number: self._scene.add(SEPARATOR),
        }

    def _is_table_word(self, role: Callable[[bytes, int | None], None] | None) -> bool:
        """Whether a word says something of an entry of a table; inside tables, destinations begin as anywhere."""
        is_table = self._scene.state.destination not in (b"", b"title")
        return is_table and role not in (self._skip, self._keep)

    def _read_table_word(self, word: bytes, number: int) -> None:
        destination = self._scene.state.destination
        if destination == b"fonttbl":
            self._decoder.fonts.read(word, number)
        elif destination == b"stylesheet":
            self._styles.read(word, number)
        elif destination == b"formfield":
            self._forms.read(word, number)

    def _skip(self, word: bytes, _number: int | None) -> None:
        self._has_pictures = self._has_pictures or word in PICTURES
        self._tokens.skip_group()

    def _keep(self, word: bytes, _number: int | None) -> None:
        self._scene.own().destination = word
        if word == b"formfield":
            self._forms = FormReader()

    def _add_sign(self, word: bytes, _number: int | None) -> None:
        self._add(SIGNS[word])

    def _end_paragraph(self) -> None:
        look = self._scene.look
        self._scene.sink.end_paragraph(look, self._styles.sheet.level_of(look))

    def _begin_code(self, _word: bytes, _number: int | None) -> None:
        self._scene.add(f"{BEGIN}{CODE_BEGIN}")
        self._scene.own().closing = CODE_END

    def _enter_side(self, word: bytes, _number: int | None) -> None:
        label = "Comment" if word == b"annotation" else ""
        if word == b"footnote":
            kind = "e" if self._tokens.is_ahead(b"\\ftnalt") else ""
            self._notes[kind] += 1
            label = f"[^{kind}{self._notes[kind]}]"
            self._add(label)
        self._scene.enter(Sink(label, is_margin=word in MARGINS))

    def _flush(self) -> None:
        if self._decoder.data:
            self._add(self._decoder.take(self._scene.state.font))

    def _add(self, text: str) -> None:
        if self._scene.state.destination == b"title":
            self._title.append(text)
        else:
            self._scene.add(text)


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    return _Reader(content).read()


FORMAT = Format("an RTF file", lambda content, _hints: bool(_SIGNATURE.match(content[:64])), _read)
