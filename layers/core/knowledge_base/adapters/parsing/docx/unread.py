"""What nobody reads of a document's parts, cut out of their bytes: most of a part says only how text looks.

A paragraph of which a style and words are left becomes a single element, `<plain-paragraph style="…">words`.

Cutting takes a tenth of the time that parsing would take. What is written in an unusual way (with other prefixes, in
UTF-16, behind a comment or a CDATA section) is left as it is, and read all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_LONGEST_HELD = 1 << 20
_EMPTY = rb'w:\w++(?: [\w:]++="[^<>"]*+")*+ ?/>'
_STYLE_END = b"</w:style>"
PLAIN = "plain-paragraph"
_TABLE = b"<w:tbl>"
_TELLING = rb"w:vanish\b|w:b(?! w:val=\"(?:0|false|off)\")[ /]"
_LOOK = re.compile(rb"(?:<(?!" + _TELLING + rb")" + _EMPTY + rb")*+")
_LOOK_OUTSIDE = re.compile(_LOOK.pattern.replace(_TELLING, rb"w:vanish\b"))
_LOOK_OF_CELL = re.compile(rb"(?:<(?!w:(?:gridSpan|vMerge|shd|cellDel)\b)" + _EMPTY + rb")*+")
_STYLE = rb'<w:pStyle w:val="([^"<>&]*+)" ?/>'
_STYLED = re.compile(_STYLE)
_LOOK_OF_PARAGRAPH = re.compile(rb"(?:<(?!w:outlineLvl\b|w:pStyle\b(?!" + _STYLE[9:] + rb"))" + _EMPTY + rb")*+")
_PLAIN = re.compile(
    rb'<w:p(?: w\w*+:\w++="\w*+")*+>(?:<w:pPr>' + _STYLE + rb"</w:pPr>)?+"
    rb'(?:<w:r(?: w:rsid\w++="\w*+")*+><w:t(?: xml:space="preserve")?+>([^<]*+)</w:t></w:r>)?+</w:p>'
)
_MARKS = re.compile(
    rb"<w:(?:proofErr|lastRenderedPageBreak|bookmarkStart|bookmarkEnd)\b(?: [\w:]++=\"[^<>\"]*+\")*+ ?/>"
)
_NAMES_OF_MARKS = (b"<w:proofErr", b"<w:lastRendered", b"<w:bookmark")
_MOST_KNOWN = 2_000
_BEGIN = rb'<w:r(?: w:rsid\w++="\w*+")*+><w:t(?: xml:space="preserve")?+>'
_SEAM = re.compile(rb"</w:t></w:r>" + _BEGIN)
_ALIKE = re.compile(_BEGIN + rb"[^<]*+(?:" + _SEAM.pattern + rb"[^<]*+)++")
"""Runs of text without looks that follow each other."""
_PLAIN_SEAMS = (b'</w:t></w:r><w:r><w:t xml:space="preserve">', b"</w:t></w:r><w:r><w:t>")
_OTHER_STYLE = re.compile(rb'\s*+<w:style\b[^<>]*?\bw:type="(?:table|character|numbering)"')
_READ_OF_STYLES = re.compile(
    rb"<\?xml\b[^<>]*+\?>|<w:styles?\b[^<>]*+>|</?w:(?:pPr|numPr)>|<w:(?:name|basedOn|outlineLvl|ilvl|numId)\b[^<>]*+>"
)


def without_looks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a document's bytes without what only says how text looks, and with the runs made one that this parted.

    Bold stays from the first table on: there it tells names from values.
    """
    has_tables = False
    looks, looks_outside = _Unread(b"w:rPr", _LOOK), _Unread(b"w:rPr", _LOOK_OUTSIDE)
    looks_of_cells = _Unread(b"w:tcPr", _LOOK_OF_CELL)
    looks_of_paragraphs = _Unread(b"w:pPr", _LOOK_OF_PARAGRAPH, keep=_STYLED)

    def reduce(piece: bytes) -> bytes:
        nonlocal has_tables
        has_tables = has_tables or _TABLE in piece
        piece = (looks if has_tables else looks_outside).cut(looks_of_cells.cut(piece))
        if any(name in piece for name in _NAMES_OF_MARKS):
            piece = _MARKS.sub(b"", piece)
        return _PLAIN.sub(_as_plain, looks_of_paragraphs.cut(_joined(piece)))

    return _reduced(pieces, b"</w:p>", reduce)


def without_unread_styles(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what is read of a part of styles: those that paragraphs can have, their names, levels and lists."""
    return _reduced(pieces, _STYLE_END, _paragraph_styles)


class _Unread:
    """Cuts elements of a name whose content matches, but for what in it is to be kept.

    There are few different ones, so each is looked at once.
    """

    def __init__(self, name: bytes, content: re.Pattern[bytes], keep: re.Pattern[bytes] | None = None) -> None:
        self._begin, self._end, self._content, self._keep = b"<" + name + b">", b"</" + name + b">", content, keep
        self._known: dict[bytes, bytes | None] = {}

    def cut(self, piece: bytes) -> bytes:
        first, *others = piece.split(self._begin)
        return first + b"".join(map(self._cut, others)) if others else piece

    def _cut(self, piece: bytes) -> bytes:
        content, end, rest = piece.partition(self._end)
        if not end:
            return self._begin + piece
        if content not in self._known:
            self._know(content)
        left = self._known[content]
        return self._begin + piece if left is None else left + rest

    def _know(self, content: bytes) -> None:
        """Note what is left of an element with this content; None where it has to stay as it is."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        kept = self._keep.search(content) if self._keep else None
        left = self._begin + kept[0] + self._end if kept else b""
        self._known[content] = left if self._content.fullmatch(content) else None


def _as_plain(paragraph: re.Match[bytes]) -> bytes:
    style, words = paragraph.groups(b"")
    return b'<plain-paragraph style="' + style + b'">' + words + b"</plain-paragraph>"


def _joined(piece: bytes) -> bytes:
    """Return a piece in which runs without looks that follow each other are one."""
    if b"<w:rPr>" in piece or b"<w:r " in piece:
        return _ALIKE.sub(lambda runs: _SEAM.sub(b"", runs[0]), piece)
    for seam in _PLAIN_SEAMS:
        piece = piece.replace(seam, b"")
    return piece


def _paragraph_styles(piece: bytes) -> bytes:
    *styles, rest = piece.split(_STYLE_END)
    kept = (style for style in styles if not _OTHER_STYLE.match(style))
    return b"".join(b"".join(_READ_OF_STYLES.findall(style)) + _STYLE_END for style in kept) + rest


def _reduced(pieces: Iterable[bytes], end: bytes, reduce: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """Yield bytes, reduced as long as they come in pieces that end with an element, none of which is cut in two."""
    pieces, rest = iter(pieces), b""
    for piece in pieces:
        rest += piece
        cut = rest.rfind(end) + len(end)
        if b"<!" in rest or len(rest) > _LONGEST_HELD:
            yield rest
            yield from pieces
            return
        if cut >= len(end):
            yield reduce(rest[:cut])
            rest = rest[cut:]
    yield rest
