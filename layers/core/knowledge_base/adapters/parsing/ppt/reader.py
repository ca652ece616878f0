"""PPT: a page for each slide of a PowerPoint 97 to 2003 presentation, with its title, texts, notes and comments."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.blocks import Block, BlockWriter, flat, join_surrogates, tidy
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted
from knowledge_base.adapters.parsing.ole_container import LIBRARY, SIGNATURE, open_container, root_names
from knowledge_base.adapters.parsing.ppt.records import Record, Stream
from knowledge_base.adapters.parsing.pptx.reader import NO_TEXT
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.ms-powerpoint"
_STREAM, _CURRENT, _CRYPTED = "PowerPoint Document", "Current User", "EncryptedSummary"
_DOCUMENT_PLACE, _EDIT_PLACE = 16, 16
_LIST, _PERSIST, _TEXT_HEAD, _WIDE_TEXT, _NARROW_TEXT, _OUTLINE_TEXT = 0x0FF0, 0x03F3, 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_TEXT_BOX, _STRING, _COMMENT = 0xF00D, 0x0FBA, 0x2EE0
_SLIDES, _NOTES = 0, 2
_NOTES_HEAD = 0x03F1
_TITLES = (0, 6)
_SIGNS = {0x0B: "\n", 0x0D: "\n"}
_COMMENT_TEXT = 1


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of a shape, and whether it is a title."""

    text: str
    is_title: bool = False


@dataclass(slots=True)
class _Entry:
    """A slide or its notes in the list of them: where it is, its id, and the texts of its outline."""

    place: int
    slide_id: int
    texts: list[_Text] = field(default_factory=list)


class _Reader:
    """Finds the texts of a presentation's slides."""

    def __init__(self, data: bytes, last_edit: int) -> None:
        self._stream = Stream(data)
        self._places = self._stream.persisted(last_edit)
        edit = self._stream.record_at(last_edit)
        number = struct.unpack_from("<I", data, edit.start + _DOCUMENT_PLACE)[0] if edit else 0
        document = self._stream.record_at(self._places.get(number, -1))
        if document is None:
            raise corrupt("its main part is missing")
        lists = [record for record in self._stream.children(document) if record.kind == _LIST]
        self._slides = [entry for found in lists if found.instance == _SLIDES for entry in self._entries(found)]
        notes = [entry for found in lists if found.instance == _NOTES for entry in self._entries(found)]
        self._notes = {slide: text for entry in notes for slide, text in self._note(entry)}
        self.title = ""

    def read(self, title: str) -> ParsedDocument:
        writer = BlockWriter()
        for number, entry in enumerate(self._slides, start=1):
            writer.add_page(self._page(entry), number)
        return writer.finish(MEDIA_TYPE, title=title or self.title, lack=NO_TEXT)

    def _page(self, entry: _Entry) -> Iterator[Block]:
        slide = self._stream.record_at(entry.place)
        texts = list(self._texts_on(slide, entry.texts)) if slide else entry.texts
        for text in sorted(texts, key=lambda text: not text.is_title):
            self.title = self.title or (flat([text.text]) if text.is_title else "")
            yield Block(flat([text.text]), SpanKind.HEADING, 1) if text.is_title else Block(text.text)
        note = self._notes.get(entry.slide_id, "")
        yield Block(f"Notes: {note}" if note else "")
        for comment in self._comments_on(slide) if slide else ():
            yield Block(f"Comment: {comment}" if comment else "")

    def _entries(self, found: Record) -> Iterator[_Entry]:
        """Yield the slides of a list; the texts of their outline follow each."""
        entry, is_title = None, False
        for record in self._stream.children(found):
            content = self._stream.content(record)
            if record.kind == _PERSIST and len(content) >= 16:
                if entry:
                    yield entry
                number, _flags, _count, slide_id = struct.unpack_from("<4I", content)
                entry = _Entry(self._places.get(number, -1), slide_id)
            elif record.kind == _TEXT_HEAD:
                is_title = _is_title(content)
            elif record.kind in (_WIDE_TEXT, _NARROW_TEXT) and entry:
                entry.texts.append(_Text(_decoded(record.kind, content), is_title))
        if entry:
            yield entry

    def _texts_on(self, slide: Record, outline: list[_Text]) -> Iterator[_Text]:
        """Yield the texts of a slide's shapes; some point to the outline. What none points to comes first."""
        found: list[_Text] = []
        used: set[int] = set()
        for box in self._stream.descendants(slide):
            is_title = False
            for record in self._stream.children(box) if box.kind == _TEXT_BOX else ():
                content = self._stream.content(record)
                if record.kind == _TEXT_HEAD:
                    is_title = _is_title(content)
                elif record.kind in (_WIDE_TEXT, _NARROW_TEXT):
                    found.append(_Text(_decoded(record.kind, content), is_title))
                elif record.kind == _OUTLINE_TEXT and len(content) >= 4:
                    place = struct.unpack_from("<I", content)[0]
                    found += outline[place : place + 1]
                    used.add(place)
        yield from (text for place, text in enumerate(outline) if place not in used)
        yield from found

    def _note(self, entry: _Entry) -> Iterator[tuple[int, str]]:
        """Yield the id of the slide that notes are for, and their text."""
        notes = self._stream.record_at(entry.place)
        if notes is None:
            return
        for record in self._stream.children(notes):
            if record.kind == _NOTES_HEAD and record.end - record.start >= 4:
                slide_id = struct.unpack_from("<I", self._stream.content(record))[0]
                yield slide_id, flat(text.text for text in self._texts_on(notes, entry.texts))

    def _comments_on(self, slide: Record) -> Iterator[str]:
        for comment in self._stream.descendants(slide):
            for record in self._stream.children(comment) if comment.kind == _COMMENT else ():
                if record.kind == _STRING and record.instance == _COMMENT_TEXT:
                    yield flat([_decoded(_WIDE_TEXT, self._stream.content(record))])


def _is_title(head: bytes) -> bool:
    return len(head) >= 4 and struct.unpack_from("<I", head)[0] in _TITLES


def _decoded(kind: int, data: bytes) -> str:
    """Return a text: of 16-bit characters, or of their lower halves where all upper ones are zero."""
    text = data.decode("utf-16-le", "replace") if kind == _WIDE_TEXT else data.decode("latin-1")
    return tidy(join_surrogates(text.translate(_SIGNS)))


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    container = open_container(content)
    current, data = container.stream(_CURRENT), container.stream(_STREAM)
    if _CRYPTED in container.names():
        raise encrypted("the presentation")
    if len(current) < _EDIT_PLACE + 4 or not data:
        raise corrupt("its main part is missing")
    return _Reader(data, struct.unpack_from("<I", current, _EDIT_PLACE)[0]).read(container.title())


def _claims(content: bytes, _hints: Hints) -> bool:
    return content.startswith(SIGNATURE) and _STREAM in root_names(content)


FORMAT = Format("an old PowerPoint presentation", _claims, _read, (LIBRARY,))
