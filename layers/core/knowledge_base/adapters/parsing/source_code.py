"""Source code: text that is kept as it is, and marked as code."""

from __future__ import annotations

import re

from knowledge_base.adapters.parsing.encodings.declared import encodings_of_source
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.formats import language_of_name
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

_INTERPRETERS = {
    "python": "python",
    "pypy": "python",
    "sh": "bash",
    "bash": "bash",
    "dash": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "perl": "perl",
    "ruby": "ruby",
    "node": "javascript",
    "deno": "typescript",
    "php": "php",
    "lua": "lua",
    "rscript": "r",
    "awk": "awk",
    "gawk": "awk",
    "tclsh": "tcl",
    "groovy": "groovy",
    "julia": "julia",
    "pwsh": "powershell",
    "make": "makefile",
}
_SHEBANG = re.compile(
    rb"#!\s*\S*?([\w+-]+?)[\d.]*(?:[ \t]+(?:-\S+[ \t]+)*(?:\w+=\S+[ \t]+)*([\w+-]+?)[\d.]*)?(?:[ \t][^\n]*)?\r?\n"
)
_SIGNATURES = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0",
    b"{\\rt",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
)
_HEAD = 4_096


def language_of(hints: Hints) -> str:
    """Return the programming language that name or declared type (`code/<language>`) say, or an empty string."""
    by_name = language_of_name(hints.name)
    if hints.kind == "code" or hints.kind.startswith("code/"):
        return hints.kind.partition("/")[2] or by_name or "plain"
    return by_name


def _language_of_content(content: bytes) -> str:
    """Return the language of the program that a script names in its first line."""
    match = _SHEBANG.match(content[:_HEAD])
    if not match:
        return ""
    program = match[2] if match[1] == b"env" and match[2] else match[1]
    return _INTERPRETERS.get(program.decode().lower(), "")


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_text(content, hints, encodings_of_source(content))
    language = language_of(hints) or _language_of_content(content)
    whole = Span(SpanKind.CODE, 0, len(decoded.text))
    return ParsedDocument(decoded.text, f"text/x-{language}", (whole,), low_quality=not decoded.exact)


def _is_code(content: bytes, hints: Hints) -> bool:
    return bool(language_of(hints) or (not hints.extension and _language_of_content(content)))


def _is_plainly_code(content: bytes, hints: Hints) -> bool:
    """Whether a file is code by its name, and nothing in it speaks for another kind: code may name any signature."""
    head = content[:_HEAD]
    return bool(language_of(hints)) and b"\x00" not in head and not head.lstrip().startswith(_SIGNATURES)


FORMAT = Format("source code", _is_code, _read)
PLAIN_FORMAT = Format("source code", _is_plainly_code, _read)
"""Claims its files before others look for their signatures in them."""
