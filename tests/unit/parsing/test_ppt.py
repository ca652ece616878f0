"""PPT files: a page for each slide of an old presentation, in its last state."""

from __future__ import annotations

import struct

import pytest

from knowledge_base.adapters.parsing.format import Hints
from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.ppt import reader
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.ole_files import an_ole_file

parser = LibraryDocumentParser((reader.FORMAT,))
TITLE, BODY = 0, 1


def record(kind: int, content: bytes, *, instance: int = 0, is_container: bool = False) -> bytes:
    return struct.pack("<HHI", instance << 4 | (0xF if is_container else 0), kind, len(content)) + content


def container(kind: int, *records: bytes, instance: int = 0) -> bytes:
    return record(kind, b"".join(records), instance=instance, is_container=True)


def text(words: str, role: int = BODY) -> bytes:
    return record(0x0F9F, struct.pack("<I", role)) + record(0x0FA0, words.encode("utf-16-le"))


def box(*records: bytes) -> bytes:
    return container(0x040C, container(0xF002, container(0xF00D, *records)))


def listed(number: int, slide_id: int, *texts: bytes) -> bytes:
    return record(0x03F3, struct.pack("<5I", number, 0, 0, slide_id, 0)) + b"".join(texts)


class Show:
    """A presentation: each edit adds objects behind the ones before, and may replace them."""

    def __init__(self) -> None:
        self._data, self._last = b"", 0

    def edit(self, objects: dict[int, bytes], *, is_encrypted: bool = False) -> Show:
        """Write objects by their ids; object 1 is the document."""
        places = {}
        for number, data in objects.items():
            places[number] = len(self._data)
            self._data += data
        directory = b"".join(struct.pack("<II", 1 << 20 | number, place) for number, place in places.items())
        where = len(self._data)
        self._data += record(0x1772, directory)
        edit = struct.pack("<6IHH", 0, 0, self._last, where, 1, 0, 0, 0) + (bytes(4) if is_encrypted else b"")
        self._last = len(self._data)
        self._data += record(0x0FF5, edit)
        return self

    def build(self) -> bytes:
        current = bytes(16) + struct.pack("<I", self._last)
        return an_ole_file({"PowerPoint Document": self._data, "Current User": current})


def a_document(*slides: bytes, notes: bytes = b"") -> bytes:
    lists = [container(0x0FF0, *slides), container(0x0FF0, notes, instance=2)]
    return container(0x03E8, *lists)


def parse(content: bytes) -> ParsedDocument:
    return parser.parse(content, name="a.ppt")


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def test_slides_are_pages_with_titles_texts_and_notes() -> None:
    outline = (text("Words of the outline"), text("启动", TITLE))
    first = container(0x03EE, box(record(0x0F9E, struct.pack("<I", 0))), box(record(0x0F9E, struct.pack("<I", 1))))
    second = container(0x03EE, box(text("In a box\rand more")))
    notes = container(0x03F0, record(0x03F1, struct.pack("<IHH", 256, 0, 0)), box(text("Smile.")))
    document = a_document(listed(2, 256, *outline), listed(3, 257), notes=listed(4, 0))
    parsed = parse(Show().edit({1: document, 2: first, 3: second, 4: notes}).build())
    assert parsed.text == "启动\n\nWords of the outline\n\nNotes: Smile.\n\nIn a box\nand more"
    assert [(span.number, parsed.text[span.start : span.end][:2]) for span in parsed.spans_of(SpanKind.PAGE)] == [
        (1, "启动"),
        (2, "In"),
    ]
    assert [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.HEADING)] == ["启动"]


def test_comment_follows_its_slide() -> None:
    comment = container(
        0x2EE0, record(0x0FBA, "Ada".encode("utf-16-le")), record(0x0FBA, "Why?".encode("utf-16-le"), instance=1)
    )
    slide = container(0x03EE, box(text("Words")), container(0x1388, comment))
    assert parse(Show().edit({1: a_document(listed(2, 256)), 2: slide}).build()).text == "Words\n\nComment: Why?"


def test_later_edit_replaces_what_an_earlier_one_said() -> None:
    show = Show().edit({1: a_document(listed(2, 256)), 2: container(0x03EE, box(text("old")))})
    assert parse(show.edit({2: container(0x03EE, box(text("new")))}).build()).text == "new"


def test_presentation_with_a_password_is_encrypted() -> None:
    assert failure_code(Show().edit({1: a_document()}, is_encrypted=True).build()) is FailureCode.ENCRYPTED


def test_presentation_of_pictures_has_no_text() -> None:
    slide = container(0x03EE, box())
    assert failure_code(Show().edit({1: a_document(listed(2, 256)), 2: slide}).build()) is FailureCode.NO_TEXT


@pytest.mark.parametrize(
    "content",
    [
        an_ole_file({"PowerPoint Document": bytes(5_000), "Current User": bytes(100)}),
        an_ole_file({"PowerPoint Document": b"\xff" * 5_000, "Current User": b"\xff" * 100}),
        an_ole_file({"PowerPoint Document": bytes(5_000)}),
    ],
)
def test_damaged_presentation_is_corrupt(content: bytes) -> None:
    assert failure_code(content) is FailureCode.CORRUPT


def outcome_of(content: bytes) -> str:
    try:
        return parse(content).media_type
    except IngestionFailed as failure:
        return failure.code
    except StopIteration:
        return "not recognised"


def test_damage_anywhere_ends_in_text_or_a_plain_failure() -> None:
    content = Show().edit({1: a_document(listed(2, 256)), 2: container(0x03EE, box(text("Words")))}).build()
    expected = (reader.MEDIA_TYPE, FailureCode.CORRUPT, FailureCode.NO_TEXT, FailureCode.ENCRYPTED, "not recognised")
    for place in range(512, len(content), 41):
        assert outcome_of(content[:place] + b"\xff" * 4 + content[place + 4 :]) in expected


def test_old_workbook_is_no_presentation() -> None:
    assert not reader.FORMAT.claims(an_ole_file({"Workbook": bytes(100)}), Hints("a.ppt"))
