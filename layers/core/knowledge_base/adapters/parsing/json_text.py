"""JSON and JSON Lines: a line for each value, with the path that leads to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import MAX_NAMED_TEXT, check_length
from knowledge_base.adapters.parsing.encodings.decoding import EncodedText
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.json_stream import JsonStream, check_depth, tidy_name
from knowledge_base.adapters.parsing.plain_text import find_text
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.parsed import ParsedDocument

_MAX_UNNAMED = 1024 * 1024
_JSON = ("json", "geojson", "jsonld", "webmanifest", "application/json", "text/json", "application/ld+json")
_LINES = ("jsonl", "ndjson", "jsonlines", "application/jsonl", "application/x-ndjson", "application/json-lines")
_WORDS = {True: "true", False: "false", None: "null"}
_MAX_LINES = 400_000
_LEAST_GOOD = 0.5


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    found = find_text(content, hints)
    media_type, out = "application/json", _write_values(found)
    if out is None and (out := _write_lines(found)):
        media_type = "application/x-ndjson"
    if out is None:
        # a text with a slip in it is still worth reading as it stands
        text = "".join(map(clean, found.pieces()))
        return ParsedDocument(text, media_type, low_quality=not found.exact)
    if not out.length:
        raise without_text("the file has no values")
    return ParsedDocument(out.text(), media_type, out.spans(), low_quality=not found.exact)


def _write_values(found: EncodedText) -> TextBuilder | None:
    """Write the values of a text; None where it is not JSON."""
    out, stream, lines = TextBuilder(), JsonStream(found.pieces()), 0
    try:
        for path, value in stream.values():
            lines += _write_record(out, path, value)
            if out.length > MAX_NAMED_TEXT or lines > _MAX_LINES:
                _write_as_written(out, stream.rest())
                break
    except ValueError:
        return None
    return out


def _write_as_written(out: TextBuilder, rest: Iterator[str]) -> None:
    """Write the rest of a big file as it is, which costs little."""
    first = clean(next(rest, "")).lstrip(", \n")
    if first:
        out.add_block(first)
    for piece in rest:
        out.add(clean(piece))


def _write_lines(found: EncodedText) -> TextBuilder | None:
    """Write a text with a value on each line; lines that are none stand as they are, if they are the fewer."""
    out, lines, good, bad = TextBuilder(), found.lines(), 0, 0
    for line in lines:
        if line.isspace():
            continue
        try:
            for path, value in JsonStream(iter([line])).values():
                _write_record(out, path, value)
            good += 1
        except ValueError:
            out.add_block(clean(line).strip())
            bad += 1
        if out.length > MAX_NAMED_TEXT or good > _MAX_LINES:
            _write_as_written(out, lines)
            break
    return out if good and good >= _LEAST_GOOD * (good + bad) else None


def _write_record(out: TextBuilder, root: str, record: Any) -> int:
    lines: list[str] = []
    _add_lines(lines, root, record, 0)
    if lines:
        out.add_block("\n".join(lines))
        check_length(out)
    return len(lines)


def _add_lines(lines: list[str], path: str, value: Any, depth: int) -> None:
    check_depth(depth)
    if isinstance(value, tuple):
        for name, item in value:
            shown = tidy_name(clean(name))
            _add_lines(lines, f"{path}.{shown}" if path else shown, item, depth + 1)
    elif isinstance(value, list) and any(isinstance(item, (list, tuple)) for item in value):
        for place, item in enumerate(value):
            _add_lines(lines, f"{path}[{place}]", item, depth + 1)
    elif value not in ("", []):
        text = ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)
        lines.append(f"{path}: {text}" if path else text)


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
