"""JSON and JSON Lines: a line for each value, with the path that leads to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

MAX_DEPTH = 100
_MAX_UNNAMED = 1024 * 1024
_JSON = ("json", "geojson", "jsonld", "webmanifest", "application/json", "text/json", "application/ld+json")
_LINES = ("jsonl", "ndjson", "jsonlines", "application/jsonl", "application/x-ndjson", "application/json-lines")
_LIST_OF_STRUCTURES = re.compile(r"\s*\[\s*(?=[\[{])")
_DIVIDER = re.compile(r"\s*,\s*")
_LIST_END = re.compile(r"\s*\]\s*\Z")
_WORDS = {True: "true", False: "false", None: "null"}

_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str, strict=False)
"""Objects become tuples of pairs, so that a name that comes twice is kept; numbers keep their digits."""


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_text(content, hints)
    for media_type, records in (("application/json", _records), ("application/x-ndjson", _lines)):
        out = TextBuilder()
        try:
            for path, value in records(decoded.text):
                _write_record(out, path, value)
        except ValueError:
            continue
        if not out.length:
            raise without_text("the file has no values")
        return ParsedDocument(out.text(), media_type, low_quality=not decoded.exact)
    # a text with a slip in it is still worth reading as it stands
    return ParsedDocument(decoded.text, "application/json", low_quality=not decoded.exact)


def _records(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the items of a list of structures with their places one by one, any other value as a whole."""
    opening = _LIST_OF_STRUCTURES.match(text)
    if not opening:
        yield "", _DECODER.decode(text)
        return
    at, place = opening.end(), 0
    while True:
        value, at = _DECODER.raw_decode(text, at)
        yield f"[{place}]", value
        divider = _DIVIDER.match(text, at)
        if not divider:
            break
        at, place = divider.end(), place + 1
    if not _LIST_END.match(text, at):
        raise ValueError("the list does not end")


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    for line in text.split("\n"):
        if line and not line.isspace():
            yield "", _DECODER.decode(line)


def _write_record(out: TextBuilder, root: str, record: Any) -> None:
    is_first = True
    for path, value in _leaves(root, record):
        line = f"{path}: {value}" if path else value
        if is_first:
            out.add_block(line)
        else:
            out.add(f"\n{line}")
        is_first = False
        check_length(out)


def _leaves(path: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"values are nested more than {MAX_DEPTH} deep")
    if isinstance(value, list) and any(isinstance(item, (list, tuple)) for item in value):
        for place, item in enumerate(value):
            yield from _leaves(f"{path}[{place}]", item, depth + 1)
    elif isinstance(value, tuple):
        for name, item in value:
            shown = " ".join(clean(name).split())
            yield from _leaves(f"{path}.{shown}" if path else shown, item, depth + 1)
    elif value not in ("", []):
        yield path, ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    return clean(value).strip() if isinstance(value, str) else _WORDS[value]


def _claims(content: bytes, hints: Hints) -> bool:
    if hints.say(*_JSON, *_LINES):
        return True
    if len(content) > _MAX_UNNAMED or language_of(hints) or hints.say("md", "markdown", "text/markdown"):
        return False
    return _is_whole_json(content.strip())


def _is_whole_json(content: bytes) -> bool:
    if content[:1] + content[-1:] not in (b"{}", b"[]"):
        return False
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


FORMAT = Format("JSON", _claims, _read, ("json",))
