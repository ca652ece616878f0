"""What a file's name says of its format."""

from __future__ import annotations

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
_WORDS = {
    "md": "markdown",
    "mdown": "markdown",
    "mkd": "markdown",
    "txt": "text",
    "log": "text",
    "htm": "html",
    "xhtml": "html",
    "jpeg": "jpg",
    "tiff": "tif",
    "yml": "yaml",
}
"""Formats that go by another word than the ending of their files."""


BY_CONTENT = ("pdf", "html", "text")
"""What is said of content whose name says nothing."""


def format_of_content(content: bytes) -> str:
    """Return the format of content whose name says none: one of `BY_CONTENT`, or an empty string."""
    begin = content[:1024].lstrip().lower()
    if begin.startswith(b"%pdf-"):
        return "pdf"
    if begin.startswith((b"<!doctype html", b"<html")):
        return "html"
    try:
        return "" if "\0" in content.decode() else "text"
    except UnicodeDecodeError:
        return ""


def extension_of(name: str) -> str:
    """Return the ending of a name in lower case without its dot; empty where there is none."""
    stem, dot, ending = name.strip().rpartition(".")
    return ending.lower() if dot and stem and ending.isalnum() else ""


def language_of_name(name: str) -> str:
    """Return the programming language that a file's name says, or an empty string."""
    return _BY_EXTENSION.get(extension_of(name)) or _BY_FILE_NAME.get(name.strip().lower().rpartition("/")[2], "")


def format_of_name(name: str) -> str:
    """Return the format that a file's name says: `markdown`, `text`, `code/<language>`, or else its ending."""
    language = language_of_name(name)
    ending = extension_of(name)
    return f"code/{language}" if language else _WORDS.get(ending, ending)
