"""What nobody reads of a document's parts, cut out of their bytes: most of a part says only how text looks.

A paragraph of which a style and words are left becomes a single element, `<plain-paragraph style="…">words`.

Cutting takes a tenth of the time that parsing would take. What is written in an unusual way (with other prefixes, in
UTF-16, behind a comment or a CDATA section) is left as it is, and read all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowledge_base.adapters.parsing.cutting import Unread, reduced

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
_BEGIN = rb'<w:r(?: w:rsid\w++="\w*+")*+><w:t(?: xml:space="preserve")?+>'
_SEAM = re.compile(rb"</w:t></w:r>" + _BEGIN)
_ALIKE = re.compile(_BEGIN + rb"[^<]*+(?:" + _SEAM.pattern + rb"[^<]*+)++")
"""Runs of text without looks that follow each other."""
_PLAIN_SEAMS = (b'</w:t></w:r><w:r><w:t xml:space="preserve">', b"</w:t></w:r><w:r><w:t>")
_OTHER_STYLE = re.compile(rb'\s*+<w:style\b[^<>]*?\bw:type="(?:table|character|numbering)"')
_READ_OF_STYLES = re.compile(
    rb"<\?xml\b[^<>?]*+\?>|<w:styles?\b[^<>]*+>|</?w:(?:pPr|numPr)>|<w:(?:name|basedOn|outlineLvl|ilvl|numId)\b[^<>]*+>"
)


def without_looks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a document's bytes without what only says how text looks, and with the runs made one that this parted.

    Bold stays from the first table on: there it tells names from values.
    """
    has_tables = False
    looks, looks_outside = Unread(b"w:rPr", _LOOK), Unread(b"w:rPr", _LOOK_OUTSIDE)
    looks_of_cells = Unread(b"w:tcPr", _LOOK_OF_CELL)
    looks_of_paragraphs = Unread(b"w:pPr", _LOOK_OF_PARAGRAPH, keep=_STYLED)

    def reduce(piece: bytes) -> bytes:
        nonlocal has_tables
        has_tables = has_tables or _TABLE in piece
        piece = (looks if has_tables else looks_outside).cut(looks_of_cells.cut(piece))
        if any(name in piece for name in _NAMES_OF_MARKS):
            piece = _MARKS.sub(b"", piece)
        return _PLAIN.sub(_as_plain, looks_of_paragraphs.cut(_joined(piece)))

    return reduced(pieces, b"</w:p>", reduce)


def without_unread_styles(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what is read of a part of styles: those that paragraphs can have, their names, levels and lists."""
    return reduced(pieces, _STYLE_END, _paragraph_styles)


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
