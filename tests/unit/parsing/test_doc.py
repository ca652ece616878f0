"""Old Word files: text by the piece table, in the right characters, without what was deleted or hidden."""

from __future__ import annotations

import struct
import tracemalloc
from dataclasses import dataclass, field

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.ole_files import SECTOR, an_ole_file

TEXT_START = 0x800
IN_TABLE = struct.pack("<HB", 0x2416, 1)
ROW_END = IN_TABLE + struct.pack("<HB", 0x2417, 1)
HEADER_ROW = ROW_END + struct.pack("<HB", 0x3404, 1)
DELETED = struct.pack("<HB", 0x0800, 1)
HIDDEN = struct.pack("<HB", 0x083C, 1)
LIST_ITEM = struct.pack("<HHHB", 0x460B, 1, 0x260A, 0)

parser = LibraryDocumentParser()


@dataclass
class Doc:
    """A Word 97 document; pieces are written in reverse, as a fast save may leave them."""

    text: str
    pieces: list[str] = field(default_factory=list)
    paragraphs: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    characters: dict[str, bytes] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    tables: dict[int, bytes] = field(default_factory=dict)
    flags: int = 0
    data: bytes = b"\0"

    def build(self) -> bytes:
        document, tables = self._streams()
        return an_ole_file({"WordDocument": document, "0Table": tables, "Data": self.data})

    def _streams(self) -> tuple[bytes, bytes]:
        pieces, body, places = self.pieces or [self.text], b"", {}
        for index in reversed(range(len(pieces))):
            narrow = pieces[index].isascii() and len(pieces) > 1
            places[index] = (TEXT_START + len(body)) * 2 | 0x4000_0000 if narrow else TEXT_START + len(body)
            body += pieces[index].encode("cp1252" if narrow else "utf-16-le", "surrogatepass")
            body += b"\0" * (len(body) % 2)
        bounds = [0]
        for piece in pieces:
            bounds.append(bounds[-1] + len(piece.encode("utf-16-le", "surrogatepass")) // 2)
        plc = struct.pack(f"<{len(bounds)}I", *bounds)
        plc += b"".join(struct.pack("<HIH", 0, places[index], 0) for index in range(len(pieces)))
        found = {33: b"\x02" + struct.pack("<I", len(plc)) + plc, **self.tables}
        document = bytearray(TEXT_START) + body
        document += bytes(-len(document) % SECTOR)
        for table, page in ((13, self._paragraph_page()), (12, self._character_page())):
            found[table] = struct.pack("<III", TEXT_START, TEXT_START + len(body), len(document) // SECTOR)
            document += page
        struct.pack_into("<HH", document, 0, 0xA5EC, 0xC1)
        struct.pack_into("<H", document, 0x0A, self.flags)
        lengths = self.lengths or (bounds[-1],)
        struct.pack_into(f"<{len(lengths)}i", document, 0x4C, *lengths)
        tables = b""
        for index, data in found.items():
            struct.pack_into("<II", document, 0x9A + 8 * index, len(tables), len(data))
            tables += data
        return bytes(document), tables

    def _offset(self, place: int) -> int:
        return TEXT_START + 2 * place

    def _paragraph_page(self) -> bytes:
        runs, start = [], 0
        for match in self.text.replace("\x07", "\r").split("\r")[:-1]:
            end = start + len(match) + 1
            key = next((key for key in self.paragraphs if key and key in self.text[start:end]), "")
            runs.append((start, *self.paragraphs.get(key, (0, b""))))
            start = end
        page, at = bytearray(SECTOR), SECTOR - 2
        for index, (begin, style, changes) in enumerate(runs):
            data = struct.pack("<H", style) + changes
            data += b"\0" * (len(data) % 2)
            record = struct.pack("BB", 0, len(data) // 2) + data
            at -= len(record) + len(record) % 2
            page[at : at + len(record)] = record
            struct.pack_into("<I", page, 4 * index, self._offset(begin))
            page[4 * (len(runs) + 1) + 13 * index] = at // 2
        struct.pack_into("<I", page, 4 * len(runs), self._offset(start))
        page[-1] = len(runs)
        return bytes(page)

    def _character_page(self) -> bytes:
        marks = sorted((self.text.index(key), key, changes) for key, changes in self.characters.items())
        runs = [(0, b"")]
        for place, key, changes in marks:
            runs += [(place, changes), (place + len(key), b"")]
        page, at = bytearray(SECTOR), SECTOR - 2
        for index, (begin, changes) in enumerate(runs):
            struct.pack_into("<I", page, 4 * index, self._offset(begin))
            if changes:
                at -= 2 * (len(changes) // 2 + 1)
                page[at : at + 1 + len(changes)] = bytes((len(changes),)) + changes
                page[4 * (len(runs) + 1) + index] = at // 2
        struct.pack_into("<I", page, 4 * len(runs), self._offset(len(self.text)))
        page[-1] = len(runs)
        return bytes(page)


def a_word_6_file(
    text: bytes,
    language: int = 0x0409,
    *,
    is_mac: bool = False,
    fonts: bytes = b"",
    runs: dict[int, int] | None = None,
) -> bytes:
    """A Word 6 document; `runs` are the fonts of its characters by the place where each begins."""
    document = bytearray(0x600) + text
    end = len(document)
    struct.pack_into("<HHxxH", document, 0, 0xA5DC, 101, language)
    struct.pack_into("<H", document, 0x14, 0x0100 if is_mac else 0)
    struct.pack_into("<II", document, 0x18, 0x600, end)
    struct.pack_into("<i", document, 0x34, len(text))
    if runs:
        document += bytes(-len(document) % SECTOR)
        table = struct.pack("<IIH", 0x600, end, len(document) // SECTOR)
        document += _page_of_fonts([0x600, *(0x600 + place for place in runs), end], [0, *runs.values()])
        for place, data in ((0xB8, table), (0xD0, fonts)):
            struct.pack_into("<II", document, place, len(document), len(data))
            document += data
    return an_ole_file({"WordDocument": bytes(document)})


def _page_of_fonts(bounds: list[int], fonts: list[int]) -> bytes:
    page, at = bytearray(SECTOR), SECTOR - 2
    struct.pack_into(f"<{len(bounds)}I", page, 0, *bounds)
    for index, font in enumerate(fonts):
        at -= 4
        page[at : at + 4] = struct.pack("<BBH", 3, 93, font)
        page[4 * len(bounds) + index] = at // 2
    page[-1] = len(fonts)
    return bytes(page)


def parse(content: bytes) -> ParsedDocument:
    return parser.parse(content, name="a.doc")


def failure_of(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def outcome_of(content: bytes) -> str:
    try:
        parse(content)
    except IngestionFailed as failure:
        return failure.code
    return "text"


def test_paragraphs_in_any_script_are_read_in_order() -> None:
    parsed = parse(Doc("操作手册\rすれはテキスト\rÜber den Betrieb 😀\r").build())
    assert parsed.text == "操作手册\n\nすれはテキスト\n\nÜber den Betrieb 😀"
    assert parsed.media_type == "application/msword"


@pytest.mark.parametrize("name", ["a.doc", "a.docx", "a.pdf", "a.txt", ""])
def test_old_word_file_is_recognised_whatever_its_name(name: str) -> None:
    assert parser.parse(Doc("Hello\r").build(), name=name).text == "Hello"


def test_fast_saved_file_is_read_in_the_order_of_its_pieces() -> None:
    pieces = ["First, ", "第二，", "third.\r", "End.\r"]
    assert parse(Doc("".join(pieces), pieces).build()).text == "First, 第二，third.\n\nEnd."


def test_deleted_and_hidden_text_is_left_out() -> None:
    doc = Doc("It was gone is here secret today.\r", characters={"was gone ": DELETED, "secret ": HIDDEN})
    assert parse(doc.build()).text == "It is here today."


def test_heading_styles_give_headings_and_outline_levels_too() -> None:
    outline = struct.pack("<HB", 0x2640, 1)
    parsed = parse(
        Doc("Chapter\rWords.\rPart\r", paragraphs={"Part": (0, outline), "Chapter": (0, outline[:2] + b"\0")}).build()
    )
    assert [(parsed.text[s.start : s.end], s.number) for s in parsed.spans_of(SpanKind.HEADING)] == [
        ("Chapter", 1),
        ("Part", 2),
    ]


def test_built_in_heading_style_is_a_heading() -> None:
    style = struct.pack("<HHHHH", 1, 0xFFF << 4 | 1, 0, 0, 0)
    sheet = struct.pack("<HHH", 4, 2, 10) + struct.pack("<H", 0) + struct.pack("<H", len(style)) + style
    parsed = parse(Doc("Chapter\rWords.\r", paragraphs={"Chapter": (1, b"")}, tables={1: sheet}).build())
    assert [(s.start, s.end, s.number) for s in parsed.spans_of(SpanKind.HEADING)] == [(0, 7, 1)]


def test_table_becomes_rows_with_their_headers() -> None:
    text = "Before\rCode\x07Meaning\x07H\x07E04\x07Low\rpressure\x07R\x07After\r"
    cells = dict.fromkeys(("Code", "Meaning", "E04", "Low", "pressure"), (0, IN_TABLE))
    built = Doc(text, paragraphs={**cells, "H\x07": (0, HEADER_ROW), "R\x07": (0, ROW_END)})
    parsed = parse(built.build())
    assert parsed.text == "Before\n\nCode | Meaning\nCode: E04 | Meaning: Low pressure\n\nAfter"
    assert [parsed.text[s.start : s.start + 4] for s in parsed.spans_of(SpanKind.TABLE)] == ["Code"]


def test_list_items_carry_their_numbers() -> None:
    header = struct.pack("<i", 7).ljust(26, b"\0") + b"\x01\0"
    level = struct.pack("<iB", 3, 0).ljust(28, b"\0") + struct.pack("<H", 2) + "\0)".encode("utf-16-le")
    lists = struct.pack("<H", 1) + header
    uses = struct.pack("<I", 1) + struct.pack("<i", 7).ljust(16, b"\0")
    doc = Doc("Open.\rClose.\r", paragraphs={"Open": (0, LIST_ITEM), "Close": (0, LIST_ITEM)})
    doc.tables = {73: lists, 99: level, 74: uses}
    assert parse(doc.build()).text == "3) Open.\n4) Close."


def test_fields_show_their_results_only() -> None:
    text = 'See \x13 HYPERLINK "http://x" \x14the manual\x15 or \x13 PAGE \x15 page.\r'
    assert parse(Doc(text).build()).text == "See the manual or page."


def test_field_without_an_end_takes_no_text_away() -> None:
    assert parse(Doc("Start \x13 and go on.\rMore.\r").build()).text.endswith("More.")


def test_footnote_follows_its_paragraph() -> None:
    main, notes = "Heat\x02 it.\rThen.\r", "\x02 Only in winter.\r"
    references, texts = struct.pack("<IIH", 4, len(main), 0), struct.pack("<III", 0, len(notes), len(notes) + 1)
    doc = Doc(main + notes, lengths=(len(main), len(notes)), tables={2: references, 3: texts})
    assert parse(doc.build()).text == "Heat[^1] it.\n\n[^1]: Only in winter.\n\nThen."


def test_headers_come_last_and_text_boxes_before_them() -> None:
    parts = ("Body.\r", "", "Handbook 2026\r", "", "", "", "In a box\r")
    doc = Doc("".join(parts), lengths=tuple(len(part) for part in parts))
    assert parse(doc.build()).text == "Body.\n\nIn a box\n\nHandbook 2026"


@pytest.mark.parametrize(
    ("text", "codec", "language"),
    [
        ("The quick brown fox – “jumps”", "cp1252", 0x0409),
        ("操作手册：启动之前请检查油位。", "gb18030", 0x0804),
        ("操作手冊：啟動之前請檢查油位。", "cp950", 0x0404),
        ("運転の前に油の量を確認してください。", "cp932", 0x0411),
        ("Перед запуском проверьте масло.", "cp1251", 0x0419),
    ],
)
def test_word_6_file_is_read_in_the_code_page_of_its_language(text: str, codec: str, language: int) -> None:
    assert parse(a_word_6_file(text.encode(codec) + b"\r", language)).text == text


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (Doc("secret\r", flags=0x0100).build(), FailureCode.ENCRYPTED),
        (Doc("\x01\r\r\x08\r").build(), FailureCode.NO_TEXT),
        (an_ole_file({"WordDocument": b"\xec\xa5" + bytes(5000)}), FailureCode.CORRUPT),
        (an_ole_file({"WordDocument": bytes(5000)}), FailureCode.CORRUPT),
        (Doc("cut off\r").build()[:900], FailureCode.CORRUPT),
        (an_ole_file({"VisioDocument": bytes(5000)}), FailureCode.UNSUPPORTED),
    ],
)
def test_unreadable_file_fails_with_its_reason(content: bytes, code: FailureCode) -> None:
    assert failure_of(content) is code


def test_damaged_tables_end_in_text_or_a_plain_failure() -> None:
    content = Doc("Words that stay.\rMore of them.\r", characters={"stay": DELETED}).build()
    expected = ("text", FailureCode.CORRUPT, FailureCode.NO_TEXT, FailureCode.ENCRYPTED, FailureCode.UNSUPPORTED)
    for place in range(SECTOR, len(content), 37):
        damaged = content[:place] + b"\xff" * 4 + content[place + 4 :]
        assert outcome_of(damaged) in expected


def test_pieces_that_repeat_the_same_bytes_without_end_are_refused() -> None:
    bounds = [index * 1_000 for index in range(3_001)]
    plc = struct.pack("<3001I", *bounds) + struct.pack("<HIH", 0, TEXT_START, 0) * 3_000
    doc = Doc("x" * 1_000 + "\r", tables={33: b"\x02" + struct.pack("<I", len(plc)) + plc})
    assert failure_of(doc.build()) is FailureCode.CORRUPT


WORDML = (
    '<?xml version="1.0"?><?mso-application progid="Word.Document"?>'
    '<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"'
    ' xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint"><w:body><wx:sect>'
    '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>启动</w:t></w:r></w:p>'
    '<w:p><w:pPr><w:listPr><wx:t wx:val="1."/></w:listPr></w:pPr><w:r><w:t>Open.</w:t></w:r></w:p>'
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
    "<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    "</wx:sect></w:body></w:wordDocument>"
)
FLAT = (
    '<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">'
    '<pkg:part pkg:name="/word/document.xml"><pkg:xmlData><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>Flat.</w:t></w:r></w:p></w:body></w:document></pkg:xmlData></pkg:part></pkg:package>"
)


def test_word_xml_under_an_old_name_is_read() -> None:
    parsed = parse(WORDML.encode())
    assert parsed.text == "启动\n\n1. Open.\n\na | b"
    assert [span.kind for span in parsed.spans] == [SpanKind.HEADING, SpanKind.TABLE]
    assert parse(FLAT.encode()).text == "Flat."


def test_word_xml_that_is_cut_off_is_corrupt() -> None:
    assert failure_of(WORDML[:500].encode()) is FailureCode.CORRUPT


def test_comment_follows_its_paragraph() -> None:
    main, comments = "Heat\x05 it.\rThen.\r", "\x05Only in winter.\r"
    references = struct.pack("<II", 4, len(main)) + bytes(30)
    texts = struct.pack("<III", 0, len(comments), len(comments) + 1)
    doc = Doc(main + comments, lengths=(len(main), 0, 0, 0, len(comments)), tables={4: references, 5: texts})
    assert parse(doc.build()).text == "Heat it.\n\nComment: Only in winter.\n\nThen."


def test_symbol_is_read_by_its_font() -> None:
    name = "Wingdings\0".encode("utf-16-le")
    font = bytes([39 + len(name)]) + bytes(39) + name
    symbol = struct.pack("<HHH", 0x6A09, 0, 0xF0FE)
    doc = Doc("Done: (\r", characters={"(": symbol}, tables={15: struct.pack("<HH", 1, 0) + font})
    assert parse(doc.build()).text == "Done: ☑"


def a_form(kind: int, result: int, default: int, entries: tuple[str, ...] = ()) -> bytes:
    """What a form field is filled with: no name and no other texts."""
    head = struct.pack("<IHHH", 0xFFFFFFFF, kind | result << 2, 0, 0)
    texts = struct.pack("<HH", 0, 0) + struct.pack("<H", default) + bytes(4 * 5)
    listed = b"".join(struct.pack("<H", len(entry)) + entry.encode("utf-16-le") for entry in entries)
    return struct.pack("<iH", 0, 6) + head + texts + struct.pack("<HHH", 0xFFFF, len(entries), 0) + listed


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (a_form(1, 1, 0), "☒"),
        (a_form(1, 25, 1), "☒"),
        (a_form(1, 0, 1), "☐"),
        (a_form(2, 1, 0, ("oil", "gas")), "gas"),
        (a_form(0, 0, 0), ""),
        (a_form(1, 1, 0)[:9], ""),
    ],
)
def test_form_field_shows_what_it_is_filled_with(form: bytes, shown: str) -> None:
    place = struct.pack("<HiHB", 0x6A03, 0, 0x0806, 1)
    doc = Doc("Heating: \x13 FORM \x01\x15\r", characters={"\x01": place}, data=form)
    assert parse(doc.build()).text == f"Heating: {shown}".strip()


def test_reading_aid_above_characters_is_not_taken_for_text() -> None:
    assert parse(Doc("In \x13 EQ \\o\\ad(\\s\\up 10(とうきょう),東京)\x15.\r").build()).text == "In 東京."


def test_cells_stand_in_the_columns_that_their_edges_say() -> None:
    wide = ROW_END + struct.pack("<HHB3h", 0xD608, 8, 2, 0, 1000, 3000) + struct.pack("<HB", 0x3404, 1)
    narrow = struct.pack("<HHB4h", 0xD608, 10, 3, 0, 1000, 2000, 3000)
    cells = dict.fromkeys(("City", "2026", "Kiel", "x3", "x4", "in", "May", "June"), (0, IN_TABLE))
    ends = {
        "A\x07": (0, wide),
        "B\x07": (0, ROW_END + narrow + struct.pack("<HB", 0x3404, 1)),
        "C\x07": (0, ROW_END + narrow),
    }
    text = "City\x072026\x07A\x07in\x07May\x07June\x07B\x07Kiel\x07x3\x07x4\x07C\x07\r"
    assert parse(Doc(text, paragraphs={**cells, **ends}).build()).text == (
        "City in | 2026 May | 2026 June\nCity in: Kiel | 2026 May: x3 | 2026 June: x4"
    )


@pytest.mark.parametrize(
    ("text", "codec", "words"),
    [("stratégie – l’équipe", "mac_roman", "stratégie – l’équipe"), ("Plain words", "ascii", "Plain words")],
)
def test_word_6_file_of_a_mac_is_read_in_its_code_page(text: str, codec: str, words: str) -> None:
    assert parse(a_word_6_file(text.encode(codec) + b"\r", is_mac=True)).text == words


def test_word_6_file_is_read_in_the_code_pages_of_its_fonts() -> None:
    english, russian = b"Setup: ", "Установка".encode("cp1251")
    fonts = b"\0\0" + b"\x08\0\0\0\0\0Sys\0"[:10].ljust(9, b"\0") + b"\x08\0\0\0\xcc\0Cyr"
    content = a_word_6_file(english + russian + b"\r", fonts=fonts, runs={len(english): 1})
    assert parse(content).text == "Setup: Установка"


@pytest.mark.parametrize("magic", [0xA5DC, 0xA697, 0xA698, 0xA699])
def test_east_asian_editions_of_word_6_are_read(magic: int) -> None:
    content = a_word_6_file(b"Words\r")
    assert parse(content.replace(struct.pack("<H", 0xA5DC), struct.pack("<H", magic), 1)).text == "Words"


def test_word_2_file_is_read_without_a_container() -> None:
    head = bytearray(0x180)
    text = b"First line\r\nSecond one\r\n"
    struct.pack_into("<HHxxH", head, 0, 0xA5DB, 0x2D, 0x0409)
    struct.pack_into("<II", head, 0x18, 0x180, 0x180 + len(text))
    struct.pack_into("<i", head, 0x34, len(text))
    assert parse(bytes(head) + text + bytes(200)).text == "First line\n\nSecond one"


def test_more_text_than_can_be_held_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.doc.pieces.MAX_TEXT", 1_000)
    assert failure_of(a_word_6_file(b"word " * 300)) is FailureCode.TOO_COMPLEX


def test_more_paragraphs_than_can_be_read_are_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.doc.paragraphs.MAX_PARAGRAPHS", 100)
    assert failure_of(a_word_6_file(b"w\r" * 300)) is FailureCode.TOO_COMPLEX


def test_east_asian_bytes_take_no_more_memory_than_their_text() -> None:
    text = "热泵启动油足够温暖水达到。" * 20_000
    parsed, peak = _peak_of(a_word_6_file(text.encode("gb18030") + b"\r", 0x0804))
    assert parsed.text == text
    assert peak < 20 * len(text)


def _peak_of(content: bytes) -> tuple[ParsedDocument, int]:
    tracemalloc.start()
    try:
        return parse(content), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
