"""Shows how an ingestion goes while it goes: bars where somebody watches, lines where a program does."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from knowledge_base_cli.documents import Ingestion, Outcome, readable_size
from knowledge_base_cli.terminal import printable, write_json

MOST_ROWS = 12
"""So many files are shown at a time, or fewer where the terminal is low."""

UPLOAD_SHARE = 0.5
"""How much of a file's bar its upload takes; the rest is its ingestion."""


class Quiet:
    """Shows nothing."""

    def sent(self, outcome: Outcome, count: int) -> None:
        """Say nothing."""

    def moved(self, outcome: Outcome, ingestion: Ingestion) -> None:
        """Say nothing."""

    def ended(self, outcome: Outcome) -> None:
        """Say nothing."""

    def note(self, seconds: float, why: str) -> None:
        """Say nothing."""

    def __enter__(self) -> Quiet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Lines(Quiet):
    """Writes one JSON object a file, as soon as the file has ended."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._written: set[str] = set()

    def ended(self, outcome: Outcome) -> None:
        """Write the file's line."""
        self._written.add(outcome.file.name)
        write_json(self._console, outcome_object(outcome))

    def write_the_rest(self, outcomes: Sequence[Outcome]) -> None:
        """Write the lines of those files whose end did not come."""
        for outcome in outcomes:
            if outcome.file.name not in self._written:
                self.ended(outcome)


class Bars(Quiet):
    """Draws one bar for all files, and one for each that is under way; a bar is half full once all bytes are sent."""

    def __init__(self, console: Console, outcomes: Sequence[Outcome]) -> None:
        self._sizes = {outcome.file.name: outcome.file.size for outcome in outcomes if not outcome.has_failed}
        self._sent = dict.fromkeys(self._sizes, 0)
        self._shares = dict.fromkeys(self._sizes, 0.0)
        self._bytes, self._bytes_sent, self._weight_done = sum(self._sizes.values()), 0, 0.0
        self._files_done, self._count = 0, len(outcomes)
        self._rows: dict[str, TaskID] = {}
        self._most_rows = max(1, min(MOST_ROWS, console.height - 3))
        self._progress = Progress(
            TextColumn("{task.description}", table_column=Column(ratio=3, no_wrap=True, overflow="ellipsis")),
            BarColumn(bar_width=None, table_column=Column(ratio=2)),
            TextColumn("{task.fields[note]}", table_column=Column(no_wrap=True, justify="right")),
            console=console,
            expand=True,
            transient=True,
        )
        self._all = self._progress.add_task("", total=max(1, self._bytes), note="")
        self._show_all()

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def sent(self, outcome: Outcome, count: int) -> None:
        """Move the file's bar and the one of all."""
        size = max(1, outcome.file.size)
        self._advance(outcome, count, UPLOAD_SHARE * count / size)
        self._show(outcome, f"{readable_size(count)} of {readable_size(size)}")

    def moved(self, outcome: Outcome, ingestion: Ingestion) -> None:
        """Move the file's bar on by its ingestion."""
        self._advance(outcome, outcome.file.size, UPLOAD_SHARE + (1 - UPLOAD_SHARE) * ingestion.progress)
        self._show(outcome, ingestion.state)

    def ended(self, outcome: Outcome) -> None:
        """Take the file's bar away."""
        self._files_done += 1
        self._advance(outcome, outcome.file.size, 1.0)
        if (row := self._rows.pop(outcome.file.name, None)) is not None:
            self._progress.remove_task(row)

    def refresh(self) -> None:
        """Draw now instead of a tenth of a second later."""
        self._progress.refresh()

    def note(self, seconds: float, why: str) -> None:
        """Say why nothing moves."""
        self._progress.update(self._all, note=f"{why}: again in {seconds:.0f} s")

    def _advance(self, outcome: Outcome, sent: int, share: float) -> None:
        name = outcome.file.name
        if name in self._sizes:
            self._bytes_sent += sent - self._sent[name]
            self._weight_done += (share - self._shares[name]) * self._sizes[name]
            self._sent[name], self._shares[name] = sent, share
        self._show_all()

    def _show(self, outcome: Outcome, note: str) -> None:
        name = outcome.file.name
        if name not in self._rows and len(self._rows) < self._most_rows:
            self._rows[name] = self._progress.add_task(printable(name), total=1.0, note="")
        if name in self._rows:
            self._progress.update(self._rows[name], completed=self._shares[name], note=note)

    def _show_all(self) -> None:
        note = f"{readable_size(self._bytes_sent)} of {readable_size(self._bytes)}"
        description = f"{self._files_done} of {self._count} done"
        self._progress.update(self._all, completed=self._weight_done, description=description, note=note)


def outcome_object(outcome: Outcome) -> dict[str, Any]:
    """Return a file's outcome for programs."""
    return {
        "name": outcome.file.name,
        "path": printable(str(outcome.file.path)),
        "size": outcome.file.size,
        "document_id": outcome.document_id or None,
        "result": outcome.result.value,
        "chunk_count": outcome.chunk_count,
        "error": {"code": outcome.code, "message": outcome.reason} if outcome.code else None,
    }
