"""Bars: never more than fit, and always adding up."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from knowledge_base_cli.documents import Ingestion, Outcome, Result, SourceFile, planned
from knowledge_base_cli.progress import Bars


def outcomes_of(*sizes: int) -> list[Outcome]:
    return [planned(SourceFile(Path(f"{number}"), f"file {number}.txt", size)) for number, size in enumerate(sizes)]


def screen(height: int = 24, width: int = 100) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, height=height, _environ={"TERM": "xterm"})


def last_frame(console: Console, bars: Bars) -> list[str]:
    """Return what a terminal shows at the moment."""
    assert isinstance(console.file, io.StringIO)
    before = len(console.file.getvalue())
    bars.refresh()
    drawn = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", console.file.getvalue()[before:])
    return [line.strip() for line in drawn.splitlines() if line.strip()]


def at(state: str, progress: float) -> Ingestion:
    return Ingestion("id", "name", 1, state, progress, 0, "", "", "")


@pytest.mark.parametrize("height", [4, 10, 60])
def test_never_more_bars_are_drawn_than_the_terminal_has_lines(height: int) -> None:
    console, outcomes = screen(height), outcomes_of(*[10] * 50)

    with Bars(console, outcomes) as bars:
        for outcome in outcomes:
            bars.sent(outcome, 5)
        lines = last_frame(console, bars)

    assert 2 <= len(lines) <= min(height - 1, 13)


def test_a_bar_that_ends_makes_room_for_another() -> None:
    console, outcomes = screen(height=4), outcomes_of(10, 10)

    with Bars(console, outcomes) as bars:
        bars.sent(outcomes[0], 10)
        bars.sent(outcomes[1], 10)
        assert not any("file 1.txt" in line for line in last_frame(console, bars))
        bars.ended(outcomes[0])
        bars.moved(outcomes[1], at("parsing", 0.1))
        lines = last_frame(console, bars)

    assert lines[0].startswith("1 of 2 done")
    assert lines[1].startswith("file 1.txt")
    assert lines[1].endswith("parsing")


def test_bytes_are_counted_over_all_files_also_when_one_is_sent_again() -> None:
    console, outcomes = screen(), outcomes_of(1024, 3072)

    with Bars(console, outcomes) as bars:
        bars.sent(outcomes[0], 1024)
        bars.sent(outcomes[1], 2048)
        assert last_frame(console, bars)[0].endswith("3.0 KB of 4.0 KB")
        bars.sent(outcomes[1], 0)
        assert last_frame(console, bars)[0].endswith("1.0 KB of 4.0 KB")


def test_a_file_that_is_refused_beforehand_is_done_but_has_no_bytes() -> None:
    console, outcomes = screen(), outcomes_of(0, 10)
    assert outcomes[0].result is Result.FAILED

    with Bars(console, outcomes) as bars:
        bars.ended(outcomes[0])
        lines = last_frame(console, bars)

    assert lines[0].startswith("1 of 2 done")
    assert lines[0].endswith("0 bytes of 10 bytes")


def test_a_wait_is_explained() -> None:
    console, outcomes = screen(), outcomes_of(10)

    with Bars(console, outcomes) as bars:
        bars.note(12.3, "the service is busy (503)")

        assert last_frame(console, bars)[0].endswith("the service is busy (503): again in 12 s")
