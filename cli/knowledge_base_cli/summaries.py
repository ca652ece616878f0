"""What a command says at its end: tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from knowledge_base_cli.documents import Ingestion, Outcome, Result, readable_size
from knowledge_base_cli.terminal import one_line, printable

MOST_LISTED = 30
"""More files than this are only counted, except for those that have failed."""
QUOTE_LENGTH = 300

_STYLES = {"ready": "green", "unchanged": "cyan", "failed": "red", "uploaded": "yellow", "planned": "dim"}
_WORDS = {Result.PLANNED: "not uploaded", Result.UPLOADED: "uploaded"}


def show_outcomes(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Show what became of each file, failures with their reasons at the end, and how many there are of each kind."""
    is_short = len(outcomes) <= MOST_LISTED
    table = _table("Document", "Result", "Reason")
    for outcome in sorted(outcomes, key=lambda outcome: outcome.has_failed):
        if is_short or outcome.has_failed:
            table.add_row(_shown(outcome.file.name), _result(outcome), _reason(outcome.code, outcome.reason))
    if table.row_count:
        console.print(table)
    console.print(_counts(outcomes))


def show_plan(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Show what would be uploaded, and what would be refused."""
    table = _table("Document", "Size", "Reason")
    for outcome in outcomes:
        table.add_row(
            _shown(outcome.file.name), readable_size(outcome.file.size), _reason(outcome.code, outcome.reason)
        )
    console.print(table)
    sendable = [outcome.file.size for outcome in outcomes if not outcome.has_failed]
    console.print(f"{len(sendable)} of {len(outcomes)} files would be uploaded, {readable_size(sum(sendable))}")


def show_ingestions(console: Console, ingestions: Iterable[Ingestion]) -> None:
    """Show where documents stand."""
    for one in ingestions:
        state = one.state if one.has_ended else f"{one.state}, {one.progress:.0%}"
        console.print(Text.assemble(_shown(one.name), "  ", (state, _STYLES.get(one.state, "yellow"))), soft_wrap=True)
        facts = f"  {one.chunk_count} chunks, version {one.version}, id {printable(one.document_id)}"
        console.print(Text(facts, "dim"), soft_wrap=True)
        if one.code:
            console.print(Padding(_reason(one.code, one.reason), (0, 0, 0, 2)))


def show_sources(console: Console, references: Sequence[dict[str, Any]]) -> None:
    """Show where an answer is taken from, by the numbers that the answer cites."""
    if not references:
        return
    console.print(Text("Sources", "bold"))
    for reference in references:
        page = f", page {reference['page']}" if reference.get("page") else ""
        number = f"{reference.get('index', '?'):>3}. "
        console.print(Text.assemble((number, "cyan"), printable(str(reference.get("name", ""))), page))
        quote = one_line(str(reference.get("quote", "")), QUOTE_LENGTH)
        console.print(Padding(Text(f"“{quote}”", "dim"), (0, 0, 0, len(number)), expand=False))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in ("Result", "Size"))
    return table


def _result(outcome: Outcome) -> Text:
    return Text(_WORDS.get(outcome.result, outcome.result.value), _STYLES[outcome.result])


def _reason(code: str, reason: str) -> Text:
    return Text(one_line(f"{code}: {reason}", 400), "red") if code else Text("")


def _counts(outcomes: Sequence[Outcome]) -> Text:
    counts = {result: sum(outcome.result is result for outcome in outcomes) for result in Result}
    parts = [
        (f"{count} {_WORDS.get(result, result.value)}", _STYLES[result]) for result, count in counts.items() if count
    ]
    return Text(", ").join(Text(*part) for part in reversed(parts))


def _shown(name: str) -> Text:
    return Text(printable(name))
