"""Jupyter notebooks: the cells in their order, prose with its headings, code as code, and what it printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean, first_heading
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.epub.xhtml import write_xhtml
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, without_text
from knowledge_base.adapters.parsing.joined_documents import append_document
from knowledge_base.adapters.parsing.json_stream import JsonStream
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.adapters.parsing.plain_text import find_text
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/x-ipynb+json"
_HEAD = 100_000
_MARKS = (b'"cells"', b'"nbformat"')
_CELL = re.compile(r"(?P<cell>(?:worksheets\[\d+\]\.)?cells\[\d+\])\.(?P<member>\w+)(?P<item>\[\d+\])?\Z")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_OUTPUT = 20_000
_OPENED, _OPENED_OF_OLD = 3, 5
"""Structures down to a cell's own: the notebook, its cells, a cell; in the oldest form, worksheets as well."""


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    found, out = find_text(content, hints), TextBuilder()
    try:
        opened = _OPENED_OF_OLD if b'"worksheets"' in content else _OPENED
        for cell in _cells(JsonStream(found.pieces()), opened):
            _write_cell(out, cell)
            check_length(out)
    except ValueError as error:
        raise corrupt("it is no complete notebook") from error
    if not out.length:
        raise without_text("the notebook has no text")
    text, spans = out.text(), out.spans()
    return ParsedDocument(text, MEDIA_TYPE, spans, first_heading(text, spans), low_quality=not found.exact)


def _cells(stream: JsonStream, opened: int) -> Iterator[dict[str, Any]]:
    """Yield the cells; their members come one by one, since that of a cell may be larger than what is read at once."""
    cell: dict[str, Any] = {}
    current = ""
    for path, value in stream.values(opened=opened):
        match = _CELL.match(path)
        if match is None:
            continue
        if match["cell"] != current:
            yield cell
            cell, current = {}, match["cell"]
        _add(cell, match["member"], value, is_item=bool(match["item"]))
    yield cell


def _add(cell: dict[str, Any], member: str, value: Any, *, is_item: bool) -> None:
    """Add a member; a long list comes in parts, or item by item."""
    before = cell.get(member)
    if is_item or (isinstance(before, list) and isinstance(value, list)):
        cell[member] = [*(before or ()), *([value] if is_item else value)]
    else:
        cell[member] = value


def _write_cell(out: TextBuilder, cell: dict[str, Any]) -> None:
    kind = cell.get("cell_type")
    source = clean(_joined(cell.get("source", cell.get("input")))).strip("\n")
    if kind == "code":
        if source.strip():
            out.add_block(source, SpanKind.CODE)
        for output in cell.get("outputs") or ():
            _write_output(out, dict(output) if isinstance(output, tuple) else {})
    elif kind == "heading":
        out.add_block(" ".join(source.split()), SpanKind.HEADING, int(cell.get("level") or 1))
    elif source.strip():
        append_document(out, source, find_spans(source) if kind == "markdown" else ())


def _write_output(out: TextBuilder, output: dict[str, Any]) -> None:
    """Write what a cell has printed or shown: text before a table in HTML form, which says the same."""
    data = output.get("data")
    shown = dict(data) if isinstance(data, tuple) else output
    page = _joined(shown.get("text/html") or shown.get("html"))
    if "<table" in page:
        write_xhtml(out, [page])
        return
    text = _joined(
        shown.get("text/markdown") or shown.get("text/latex") or shown.get("text/plain") or output.get("text")
    )
    if output.get("output_type") in ("error", "pyerr"):
        text = f"{output.get('ename', '')}: {output.get('evalue', '')}".strip(": ")
    text = clean(_TERMINAL.sub("", text)).strip("\n")[:_LONGEST_OUTPUT]
    if text.strip():
        out.add_block(text, SpanKind.CODE)
    elif page:
        write_xhtml(out, [page])


def _joined(lines: Any) -> str:
    """Return a text that is stored whole or as a list of its lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


def _claims(content: bytes, hints: Hints) -> bool:
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    if hints.say("ipynb", MEDIA_TYPE):
        return True
    return _MARKS[0] in content[:_HEAD] and all(mark in content[:_HEAD] or mark in content[-_HEAD:] for mark in _MARKS)


FORMAT = Format("a notebook", _claims, _read, ("selectolax.lexbor",))
