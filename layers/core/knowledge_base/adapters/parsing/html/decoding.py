"""The characters of an HTML page: its own claims about them are heard, but the bytes must agree."""

from __future__ import annotations

import codecs
import re

from knowledge_base.adapters.parsing.encodings.decoding import Decoded, decode
from knowledge_base.adapters.parsing.format import Hints

_HEAD = 8_192
_CLAIM = re.compile(rb"<(?:meta|\?xml)\b[^>]{0,1000}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_COMMENT = re.compile(rb"<!--.*?-->", re.S)
_DECLARED = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.I)
_WIDER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
"""What browsers read where a page claims the narrower encoding."""
_ALIASES = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gb18030", "x-mac-roman": "mac_roman"}
_MAX_BROKEN = 0.01


def decode_page(content: bytes, hints: Hints) -> Decoded | None:
    """Return the characters of a page, or None where the bytes are no text.

    A byte order mark and zero bytes of UTF-16 win; then UTF-8 that fits every byte; then the encoding
    that sender or page claim, first one that fits; then a guess.
    """
    found = decode(content)
    if found and (found.encoding.startswith(("utf-16", "utf-32", "iso2022")) or _is_utf8(found)):
        return found
    claimed = [_try(content, name) for name in _claims(content, hints)]
    fitting = [decoded for decoded in claimed if decoded]
    return min(fitting, key=lambda decoded: not decoded.exact) if fitting else found


def _is_utf8(found: Decoded) -> bool:
    return found.encoding == "utf-8" and found.exact and not found.text.isascii()


def _claims(content: bytes, hints: Hints) -> list[str]:
    head = _COMMENT.sub(b"", content[:_HEAD])
    declared = _DECLARED.findall(hints.declared_type)
    return [*declared, *(match.decode("ascii", "replace") for match in _CLAIM.findall(head))]


def _try(content: bytes, name: str) -> Decoded | None:
    """Decode as claimed; a few broken bytes are a damaged page, many are a false claim."""
    codec = _codec(name)
    if not codec:
        return None
    text = content.decode(codec, "replace")
    broken = text.count("\ufffd")
    if broken > max(2, len(text) * _MAX_BROKEN):
        return None
    return Decoded(text, codec, exact=not broken)


def _codec(name: str) -> str:
    """Return Python's codec for a claimed encoding; UTF-16 is never true here, since the page was read so far."""
    try:
        codec = codecs.lookup(_ALIASES.get(name.lower(), name))
    except LookupError:
        return ""
    if codec.name.startswith(("utf-16", "utf-32", "utf-7")) or not codec._is_text_encoding:
        return ""
    return _WIDER.get(codec.name, codec.name)
