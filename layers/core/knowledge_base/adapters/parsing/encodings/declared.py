"""The encoding that somebody says a text is in: a page, a mail, a header, a first line of source code."""

from __future__ import annotations

import codecs
import re

_HEAD = 8_192
_CLAIM = re.compile(
    rb"<(?:meta|\?xml)\b[^>]{0,1000}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})|@charset\s*\"([\w.:-]{2,40})\"",
    re.I,
)
_COMMENT = re.compile(rb"<!--.*?-->", re.S)
_COOKIE = re.compile(rb"[^\n]{0,200}?coding[:=][ \t]*([-\w.]{2,40})")
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.I)
_WIDER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "koi8-r": "koi8_u",
    "iso2022_jp": "iso2022_jp_ext",
}
"""What browsers and mail programs read where somebody names the narrower encoding."""
_ALIASES = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ms_kanji": "cp932",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "x-x-big5": "big5hkscs",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601-1989": "cp949",
    "windows-949": "cp949",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859_8",
    "unicode-1-1-utf-8": "utf-8",
}


def encodings_of_type(declared_type: str) -> list[str]:
    """Return the encodings that a media type names (`text/html; charset=gbk`)."""
    return _PARAMETER.findall(declared_type)


def encodings_of_page(content: bytes) -> list[str]:
    """Return the encodings that an HTML or XML file names in its head, outside of comments."""
    head = _COMMENT.sub(b"", content[:_HEAD])
    return [(first or second).decode("ascii", "replace") for first, second in _CLAIM.findall(head)]


def encodings_of_source(content: bytes) -> list[str]:
    """Return the encoding that the first two lines of source code name (PEP 263, Emacs, Vim)."""
    lines = content[:_HEAD].split(b"\n", 2)[:2]
    found = [_COOKIE.match(line) for line in lines if line.lstrip()[:1] in (b"#", b"/", b";", b"%", b"-", b"*")]
    return [match[1].decode("ascii", "replace") for match in found if match]


def codec_of(name: str) -> str:
    """Return Python's codec for the name of an encoding, the wider one where there are two; empty if unknown.

    UTF-16, UTF-32 and UTF-7 are told by their form alone: a text whose name of the encoding could be read is in none.
    """
    try:
        codec = codecs.lookup(_ALIASES.get(name.lower(), name))
    except (LookupError, ValueError):
        return ""
    if codec.name.startswith(("utf-16", "utf-32", "utf-7", "idna", "punycode")) or not codec._is_text_encoding:
        return ""
    return _WIDER.get(codec.name, codec.name)
