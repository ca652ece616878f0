"""`kb ask`."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from functools import partial
from typing import Any

import httpx
from rich.status import Status

from knowledge_base_cli.asking import STEPS, Answer, Asking, Piece
from knowledge_base_cli.connection import Connection
from knowledge_base_cli.errors import FAILED, INTERRUPTED, WrongUse
from knowledge_base_cli.service import Service
from knowledge_base_cli.summaries import show_sources
from knowledge_base_cli.terminal import Terminal, printable, terminal, write_json


def read_question(given: str) -> str:
    """Return the question as it was given, or from standard input for `-`.

    Raises:
        WrongUse: it is empty.
    """
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if given == "-" else given
    if not text.strip():
        raise WrongUse("the question is empty")
    return text.strip()


def run(question: str, connection: Connection, repository: str, *, top_k: int, threshold: float, as_json: bool) -> int:
    """Ask, and write the answer as it comes; Ctrl-C ends the answer for the service, too."""
    answer = Answer(question)
    streams = terminal()
    try:
        asyncio.run(_ask(answer, connection, repository, streams, top_k=top_k, threshold=threshold, as_json=as_json))
    except KeyboardInterrupt:
        with suppress(httpx.HTTPError):
            asyncio.run(_cancel(answer, connection))
        streams.err.print("\nInterrupted: the answer is cancelled.", style="yellow")
        return INTERRUPTED
    if as_json:
        write_json(streams.out, _answer_object(answer))
    else:
        _show_end(answer, streams)
    return FAILED if answer.code else 0


async def _ask(
    answer: Answer,
    connection: Connection,
    repository: str,
    streams: Terminal,
    *,
    top_k: int,
    threshold: float,
    as_json: bool,
) -> None:
    with streams.err.status("Asking") as spinner:
        async with Service(connection, note=partial(_note, spinner)) as service:
            show = partial(_show, spinner, streams, as_json=as_json)
            await Asking(service, answer, tell=show).run(repository, top_k=top_k, threshold=threshold)


def _show(spinner: Status, streams: Terminal, piece: Piece, *, as_json: bool) -> None:
    if piece.step:
        spinner.update(printable(STEPS.get(piece.step, piece.step)))
    if piece.text and not as_json:
        spinner.stop()
        streams.out.out(printable(piece.text), end="", highlight=False)
        streams.out.file.flush()


def _note(spinner: Status, seconds: float, why: str) -> None:
    spinner.update(f"{why}: again in {seconds:.0f} s")


async def _cancel(answer: Answer, connection: Connection) -> None:
    if answer.token and not answer.is_over:
        async with Service(connection) as service:
            await service.cancel_answer(answer.token)


def _show_end(answer: Answer, streams: Terminal) -> None:
    if answer.text:
        streams.out.print("\n" if answer.references else "")
    show_sources(streams.out, answer.references)
    if answer.degraded:
        parts = printable(", ".join(answer.degraded))
        streams.err.print(
            f"Part of the service did not answer ({parts}): the answer is less than it could be.", style="yellow"
        )
    if answer.code:
        streams.err.print(f"kb: the answer failed: {printable(answer.reason)} ({printable(answer.code)})", style="red")


def _answer_object(answer: Answer) -> dict[str, Any]:
    return {
        "token": answer.token,
        "question": answer.question,
        "answer": answer.text,
        "references": answer.references,
        "degraded": answer.degraded,
        "error": {"code": answer.code, "message": answer.reason} if answer.code else None,
    }
