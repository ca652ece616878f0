"""What nobody reads of a document's parts, cut out of their bytes: most of a part says only how text looks.

Cutting takes a tenth of the time that parsing would take. What is written in an unusual way (with other prefixes, in
UTF-16, behind a comment or a CDATA section) is left as it is, and read all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_LONGEST_HELD = 1 << 20
_EMPTY = rb'w:\w++(?: [\w:]++="[^<>"]*+")*+ ?/>'
_STYLE_END = b"</w:style>"
_ROWS = re.compile(b"<w:t(?:bl|r|c)[ >]")
_TELLING = rb"w:vanish\b|w:b(?! w:val=\"(?:0|false|off)\")[ /]"
_LOOKS = re.compile(
    rb"<w:rPr>(?:<(?!" + _TELLING + rb")" + _EMPTY + rb")*+</w:rPr>"
    rb"|<w:tcPr>(?:<(?!w:(?:gridSpan|vMerge|shd|cellDel)\b)" + _EMPTY + rb")*+</w:tcPr>"
    rb"|<w:(?:proofErr|lastRenderedPageBreak|bookmarkStart|bookmarkEnd)\b(?: [\w:]++=\"[^<>\"]*+\")*+ ?/>"
)
_LOOKS_OUTSIDE = re.compile(_LOOKS.pattern.replace(_TELLING, rb"w:vanish\b"))
_BEGIN = rb'<w:r(?: w:rsid\w++="\w*+")*+><w:t(?: xml:space="preserve")?+>'
_SEAM = re.compile(rb"</w:t></w:r>" + _BEGIN)
_ALIKE = re.compile(_BEGIN + rb"[^<]*+(?:" + _SEAM.pattern + rb"[^<]*+)++")
"""Runs of text without looks that follow each other."""
_OTHER_STYLE = re.compile(rb'\s*+<w:style\b[^<>]*?\bw:type="(?:table|character|numbering)"')
_LATENT = re.compile(rb"<w:latentStyles\b[^<>]*+>(?:<w:lsdException\b[^<>]*+/>\s*+)*+</w:latentStyles>")


def without_looks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a document's bytes without what only says how text looks, and with the runs made one that this parted.

    Bold stays from the first table on: there it tells names from values.
    """
    has_tables = False

    def reduce(piece: bytes) -> bytes:
        nonlocal has_tables
        has_tables = has_tables or bool(_ROWS.search(piece))
        piece = (_LOOKS if has_tables else _LOOKS_OUTSIDE).sub(b"", piece)
        return _ALIKE.sub(lambda runs: _SEAM.sub(b"", runs[0]), piece)

    return _reduced(pieces, b"</w:p>", reduce)


def without_unread_styles(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a part of styles without those styles that paragraphs cannot have."""
    return _reduced(pieces, _STYLE_END, _paragraph_styles)


def _paragraph_styles(piece: bytes) -> bytes:
    first, *others = _LATENT.sub(b"", piece).split(_STYLE_END)
    kept = (style for style in others[:-1] if not _OTHER_STYLE.match(style))
    return _STYLE_END.join((first, *kept, *others[-1:]))


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
