"""Source code: text that is kept as it is, and marked as code."""

from __future__ import annotations

from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

LANGUAGES = {
    "bash": "sh bash zsh",
    "c": "c h",
    "clojure": "clj",
    "cpp": "cpp cc cxx hpp hh hxx",
    "csharp": "cs",
    "css": "css scss less",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "kotlin": "kt kts",
    "lua": "lua",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php",
    "powershell": "ps1",
    "protobuf": "proto",
    "python": "py pyi",
    "r": "r",
    "ruby": "rb",
    "rust": "rs",
    "scala": "scala",
    "sql": "sql",
    "swift": "swift",
    "terraform": "tf",
    "typescript": "ts tsx",
    "vue": "vue svelte",
    "zig": "zig",
}
_BY_EXTENSION = {ending: language for language, endings in LANGUAGES.items() for ending in endings.split()}


def language_of(hints: Hints) -> str:
    """Return the programming language that name or declared type (`code/<language>`) say, or an empty string."""
    if hints.kind == "code" or hints.kind.startswith("code/"):
        return hints.kind.partition("/")[2] or _BY_EXTENSION.get(hints.extension, "plain")
    return _BY_EXTENSION.get(hints.extension, "")


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_text(content, hints)
    whole = Span(SpanKind.CODE, 0, len(decoded.text))
    return ParsedDocument(decoded.text, f"text/x-{language_of(hints)}", (whole,), low_quality=not decoded.exact)


FORMAT = Format("source code", lambda _content, hints: bool(language_of(hints)), _read)
