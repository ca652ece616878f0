"""The lists of an old Word document, in the form in which DOCX keeps them ([MS-DOC] 2.9.147, 2.9.131)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element, SubElement

from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.docx.lists import Lists

_HEADER, _LEVEL, _USE = 28, 28, 16
_FORMS = {
    1: "upperRoman",
    2: "lowerRoman",
    3: "upperLetter",
    4: "lowerLetter",
    5: "ordinal",
    10: "ideographDigital",
    11: "japaneseCounting",
    14: "decimalFullWidth",
    18: "decimalEnclosedCircle",
    22: "decimalZero",
    23: "bullet",
    28: "decimalEnclosedCircleChinese",
    30: "ideographTraditional",
    31: "ideographZodiac",
    33: "taiwaneseCounting",
    35: "taiwaneseCountingThousand",
    37: "chineseCounting",
    38: "chineseLegalSimplified",
    39: "chineseCountingThousand",
    57: "numberInDash",
    255: "none",
}


def read_lists(head: Head) -> Lists:
    """Return the lists, whose ids are the numbers by which paragraphs use them; damaged ones are left out."""
    part = Element("numbering")
    if not head.is_old:
        with suppress(struct.error, IndexError):
            _add_definitions(part, head.table("lists"), _behind(head))
        _add_uses(part, head.table("list_uses"))
    return Lists(part)


def _behind(head: Head) -> bytes:
    """The levels of the lists follow their table without being counted in its size."""
    offset, size = head.place_of("lists")
    return head.tables[offset + size :]


def _add_definitions(part: Element, table: bytes, levels: bytes) -> None:
    count = struct.unpack_from("<H", table, 0)[0] if len(table) >= 2 else 0
    reader = _levels(levels)
    for index in range(count):
        header = table[2 + index * _HEADER : 2 + (index + 1) * _HEADER]
        family = SubElement(part, "abstractNum", abstractNumId=str(struct.unpack_from("<i", header, 0)[0]))
        for place in range(1 if header[26] & 1 else 9):
            start, form, text = next(reader)
            level = SubElement(family, "lvl", ilvl=str(place))
            SubElement(level, "start", val=str(start))
            SubElement(level, "numFmt", val=form)
            SubElement(level, "lvlText", val=text)


def _levels(data: bytes) -> Iterator[tuple[int, str, str]]:
    place = 0
    while True:
        start, form = struct.unpack_from("<iB", data, place)
        characters, paragraph = data[place + 24], data[place + 25]
        place += _LEVEL + characters + paragraph
        length = struct.unpack_from("<H", data, place)[0]
        text = data[place + 2 : place + 2 + 2 * length].decode("utf-16-le", "replace")
        place += 2 + 2 * length
        yield start, _FORMS.get(form, "decimal"), "".join(_placeholder(sign) for sign in text)


def _placeholder(sign: str) -> str:
    return f"%{ord(sign) + 1}" if sign < "\x09" else sign


def _add_uses(part: Element, table: bytes) -> None:
    count = struct.unpack_from("<I", table, 0)[0] if len(table) >= 4 else 0
    for index in range(min(count, (len(table) - 4) // _USE)):
        family = struct.unpack_from("<i", table, 4 + index * _USE)[0]
        number = SubElement(part, "num", numId=str(index + 1))
        SubElement(number, "abstractNumId", val=str(family))
