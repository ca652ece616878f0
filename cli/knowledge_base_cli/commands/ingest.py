"""`kb ingest`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from knowledge_base_cli.connection import Connection
from knowledge_base_cli.documents import Outcome, Result, planned
from knowledge_base_cli.errors import FAILED, INTERRUPTED, CommandError, WrongUse
from knowledge_base_cli.finding import find_files
from knowledge_base_cli.ingesting import Ingesting
from knowledge_base_cli.progress import Bars, Lines, Quiet, outcome_object
from knowledge_base_cli.service import Service
from knowledge_base_cli.summaries import show_outcomes, show_plan
from knowledge_base_cli.terminal import Terminal, printable, terminal, write_json
from knowledge_base_cli.uploading import Bucket


def plan(paths: Sequence[str], *, exclude: Sequence[str], relative_to: Path | None) -> list[Outcome]:
    """Return what is to be taken in, in order of name; what cannot be has failed already.

    Raises:
        WrongUse: there is nothing, or something given is not there.
    """
    found = find_files(paths, exclude=exclude, relative_to=relative_to)
    outcomes = [planned(file) for file in found.files]
    for file, reason in found.unreadable:
        outcomes.append(Outcome(file))
        outcomes[-1].fail("unreadable", reason)
    for path, reason in found.passed_over:
        terminal().err.print(f"passed over {printable(str(path))}: {reason}", style="dim", soft_wrap=True)
    if not outcomes:
        raise WrongUse("there is no file to take in: all folders are empty, or everything is left out")
    return outcomes


def show_dry_run(outcomes: Sequence[Outcome], *, as_json: bool) -> int:
    """Show what would be uploaded."""
    console = terminal().out
    if as_json:
        for outcome in outcomes:
            write_json(console, outcome_object(outcome))
    else:
        show_plan(console, outcomes)
    return _exit_code(outcomes)


def run(
    outcomes: list[Outcome], connection: Connection, repository: str, *, jobs: int, wait: bool, as_json: bool
) -> int:
    """Take the files in, show how it goes and how it went."""
    streams = terminal()
    error: CommandError | None = None
    is_interrupted = False
    watcher = _watcher(streams, outcomes, as_json=as_json)
    try:
        with watcher:
            asyncio.run(_ingest(outcomes, connection, repository, watcher, jobs=jobs, wait=wait))
    except CommandError as caught:
        error = caught
    except KeyboardInterrupt:
        is_interrupted = True
    _report(streams, outcomes, watcher)
    if is_interrupted:
        streams.err.print(_left_behind(outcomes), style="yellow", soft_wrap=True)
        return INTERRUPTED
    if error:
        raise error
    return _exit_code(outcomes)


async def _ingest(
    outcomes: list[Outcome], connection: Connection, repository: str, watcher: Quiet, *, jobs: int, wait: bool
) -> None:
    async with Service(connection, note=watcher.note) as service, Bucket(note=watcher.note) as bucket:
        await service.check_health()
        await Ingesting(service, bucket, repository, watcher=watcher, jobs=jobs).run(outcomes, wait=wait)


def _watcher(streams: Terminal, outcomes: list[Outcome], *, as_json: bool) -> Quiet:
    if as_json:
        return Lines(streams.out)
    return Bars(streams.err, outcomes) if streams.is_watched else Quiet()


def _report(streams: Terminal, outcomes: list[Outcome], watcher: Quiet) -> None:
    if isinstance(watcher, Lines):
        watcher.write_the_rest(outcomes)
    else:
        show_outcomes(streams.out, outcomes)


def _left_behind(outcomes: Sequence[Outcome]) -> str:
    uploaded = sum(outcome.result is Result.UPLOADED for outcome in outcomes)
    left = sum(outcome.result is Result.PLANNED for outcome in outcomes)
    return (
        f"Interrupted. {left} files were not uploaded; {uploaded} were, and become documents by themselves. "
        "The same command again goes on where this one ended."
    )


def _exit_code(outcomes: Sequence[Outcome]) -> int:
    return FAILED if any(outcome.has_failed for outcome in outcomes) else 0
