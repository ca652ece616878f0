"""Word 97 documents ([MS-DOC]): text, properties of every paragraph and run, and the container around them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from tests.bench.reader_files.languages import CHINESE
from tests.bench.reader_files.made import Made, Section, facets_of, sections, text_of

_SECTOR = 512
_TEXT_START = 0x800
_END, _FAT = 0xFFFFFFFE, 0xFFFFFFFD
_LEAST_STREAM = 4096
_PARAGRAPHS_A_PAGE, _RUNS_A_PAGE, _RUN_LENGTH = 28, 90, 60
_BOLD = struct.pack("<BHB", 3, 0x0835, 1)
_NARROW = 0x4000_0000
_IN_HEADING_STYLE = struct.pack("<BH", 2, 1)
"""Its length in pairs of bytes, itself included; the number of the style; nothing that differs from it."""


def doc_plain(seed: int) -> Made:
    """Paragraphs in the one-byte characters of Windows."""
    return _made(f"plain-{seed}.doc", sections(seed, 60))


def doc_chinese(seed: int) -> Made:
    """Chinese paragraphs."""
    return _made(f"chinese-{seed}.doc", sections(seed, 60, language=CHINESE))


def _made(name: str, parts: tuple[Section, ...]) -> Made:
    known, titles = text_of(parts), {part.title for part in parts}
    text = known.replace("\n\n", "\n").replace("\n", "\r") + "\r"
    width = 1 if text.isascii() else 2
    body = text.encode("ascii" if width == 1 else "utf-16-le")
    document = bytearray(_TEXT_START) + body
    document += bytes(-len(document) % _SECTOR)
    ends = [place + 1 for place, sign in enumerate(text) if sign == "\r"]
    starts = [0, *ends]
    headings = [text[start : end - 1] in titles for start, end in pairwise(starts)]
    paragraphs = _pages(starts, _PARAGRAPHS_A_PAGE, width, partial(_paragraph_page, headings), document)
    bounds = [*range(0, len(text), _RUN_LENGTH), len(text)]
    runs = _pages(bounds, _RUNS_A_PAGE, width, _run_page, document)
    place = _TEXT_START * 2 | _NARROW if width == 1 else _TEXT_START
    pieces = struct.pack("<IIHIH", 0, len(text), 0, place, 0)
    printing = struct.pack("<IIHIHI", 0, len(text), 0, 0xFFFFFFFF, 0, 0)
    tables = {
        1: _styles(),
        6: printing,
        12: runs,
        13: paragraphs,
        33: b"\x02" + struct.pack("<I", len(pieces)) + pieces,
    }
    stream = _write_head(document, len(text), tables)
    return Made(name, _container({"0Table": stream, "WordDocument": bytes(document)}), known, facets=facets_of(parts))


def _write_head(document: bytearray, length: int, tables: dict[int, bytes]) -> bytes:
    """Write the file information block and return the table stream that it points into."""
    struct.pack_into("<HHxxH", document, 0, 0xA5EC, 0xC1, 0x0409)
    struct.pack_into("<II", document, 0x18, _TEXT_START, _TEXT_START + length)
    struct.pack_into("<HH", document, 0x20, 14, 0)
    struct.pack_into("<H", document, 0x3E, 22)
    struct.pack_into("<I", document, 0x40, len(document))
    struct.pack_into("<i", document, 0x4C, length)
    struct.pack_into("<H", document, 0x98, 93)
    stream = b""
    for index, data in tables.items():
        struct.pack_into("<II", document, 0x9A + 8 * index, len(stream), len(data))
        stream += data
    return stream


def _styles() -> bytes:
    """Return a style sheet with body text and headings."""
    written = b""
    for number, name in enumerate(("Normal", "heading 1")):
        based_on = 0 if number else 0xFFF
        style = struct.pack("<HHHHH", number, based_on << 4 | 1, 1, 0, 0) + struct.pack("<H", len(name))
        style += f"{name}\0".encode("utf-16-le") + struct.pack("<HH", 2, number)
        written += struct.pack("<H", len(style)) + style
    return struct.pack("<HHHHHHH6x", 18, 2, 10, 1, 0x5B, 15, 0) + written


def _pages(
    bounds: Sequence[int], size: int, width: int, make: Callable[[int, Sequence[int]], bytes], document: bytearray
) -> bytes:
    """Append pages of properties to the document and return the table that finds them."""
    firsts, numbers = [], []
    for start in range(0, len(bounds) - 1, size):
        offsets = [_TEXT_START + width * bound for bound in bounds[start : start + size + 1]]
        firsts.append(offsets[0])
        numbers.append(len(document) // _SECTOR)
        document += make(start, offsets)
    firsts.append(_TEXT_START + width * bounds[-1])
    return struct.pack(f"<{len(firsts)}I{len(numbers)}I", *firsts, *numbers)


def _paragraph_page(headings: Sequence[bool], first: int, offsets: Sequence[int]) -> bytes:
    """All headings of a page share one record at its end, which names their style."""
    count = len(offsets) - 1
    at = (_SECTOR - 2 - len(_IN_HEADING_STYLE)) & ~1
    page = struct.pack(f"<{count + 1}I", *offsets)
    page += b"".join(bytes((at // 2 if is_one else 0,)) + bytes(12) for is_one in headings[first : first + count])
    return page.ljust(at, b"\0") + _IN_HEADING_STYLE.ljust(_SECTOR - 1 - at, b"\0") + bytes((count,))


def _run_page(_first: int, offsets: Sequence[int]) -> bytes:
    """Every third run is bold; all of these share one record at the end of the page."""
    count = len(offsets) - 1
    at = (_SECTOR - 2 - len(_BOLD)) & ~1
    page = bytearray(struct.pack(f"<{count + 1}I", *offsets))
    page += bytes(at // 2 if place % 3 == 1 else 0 for place in range(count))
    page = page.ljust(at, b"\0") + _BOLD
    return bytes(page.ljust(_SECTOR - 1, b"\0")) + bytes((count,))


def _container(streams: dict[str, bytes]) -> bytes:
    """Return an OLE file with these streams, given in the order that its directory asks for: short names first."""
    padded = [data.ljust(max(_LEAST_STREAM, -(-len(data) // _SECTOR) * _SECTOR), b"\0") for data in streams.values()]
    starts = [sum(map(len, padded[:place])) // _SECTOR for place in range(len(padded))]
    entries = [_entry("Root Entry", 5, _END, 0, child=1)]
    for place, name in enumerate(streams):
        right = place + 2 if place + 1 < len(padded) else -1
        entries.append(_entry(name, 2, starts[place], len(padded[place]), right=right))
    directory = b"".join(entries).ljust(_SECTOR, b"\0")
    chain = [link for start, data in zip(starts, padded, strict=True) for link in _links(start, len(data) // _SECTOR)]
    where = len(chain)
    fats = -(-(where + 1) // (_SECTOR // 4 - 1))
    chain += [_END, *[_FAT] * fats]
    fat = struct.pack(f"<{len(chain)}I", *chain).ljust(fats * _SECTOR, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, fats, where, 0, _LEAST_STREAM, _END, 0, _END, 0)
    head += struct.pack(f"<{fats}I", *range(where + 1, where + 1 + fats))
    return head.ljust(_SECTOR, b"\xff") + b"".join(padded) + directory + fat


def _links(start: int, count: int) -> Iterator[int]:
    yield from (after for _before, after in pairwise(range(start, start + count)))
    yield _END


def _entry(name: str, kind: int, start: int, size: int, *, child: int = -1, right: int = -1) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    places = struct.pack("<HBBiii", len(encoded), kind, 1, -1, right, child)
    return encoded.ljust(64, b"\0") + places + bytes(36) + struct.pack("<IQ", start, size)
