"""Source code: text that is kept as it is, and marked as code."""

from __future__ import annotations

import re

from knowledge_base.adapters.parsing.encodings.declared import encodings_of_source
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

LANGUAGES = {
    "ada": "adb ads",
    "assembly": "asm s nasm",
    "awk": "awk",
    "bash": "sh bash zsh ksh",
    "batch": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cobol": "cob cbl cobol",
    "cpp": "cpp cc cxx hpp hh hxx ipp tpp ino",
    "csharp": "cs csx",
    "css": "css scss less sass",
    "cuda": "cu cuh",
    "dart": "dart",
    "dockerfile": "dockerfile",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fortran": "f f77 f90 f95 f03 for",
    "fsharp": "fs fsx fsi",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs lhs",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "julia": "jl",
    "kotlin": "kt kts",
    "lisp": "lisp lsp el cl scm rkt",
    "lua": "lua",
    "makefile": "mk mak makefile",
    "matlab": "mlx",
    "nim": "nim",
    "objectivec": "m mm",
    "ocaml": "ml mli",
    "pascal": "pas pp dpr",
    "perl": "pl pm",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "protobuf": "proto",
    "python": "py pyi pyw pyx",
    "r": "r",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc",
    "solidity": "sol",
    "sql": "sql ddl",
    "swift": "swift",
    "tcl": "tcl",
    "terraform": "tf hcl tfvars",
    "thrift": "thrift",
    "typescript": "ts tsx mts cts",
    "vb": "vb vbs bas",
    "verilog": "v sv vh",
    "vhdl": "vhd vhdl",
    "vue": "vue svelte",
    "zig": "zig",
}
_BY_EXTENSION = {ending: language for language, endings in LANGUAGES.items() for ending in endings.split()}
_BY_FILE_NAME = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "cmakelists.txt": "cmake",
    "jenkinsfile": "groovy",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "vagrantfile": "ruby",
}
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
    by_name = _BY_EXTENSION.get(hints.extension) or _BY_FILE_NAME.get(hints.name.strip().lower().rpartition("/")[2], "")
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
