"""`kb delete`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import typer

from knowledge_base_cli.connection import Connection
from knowledge_base_cli.errors import FAILED, NotThere, WrongUse
from knowledge_base_cli.service import Service
from knowledge_base_cli.terminal import listed, printable, terminal, write_json

MOST_AT_ONCE = 1000
"""The service takes no more names in one call."""


def confirm(names: Sequence[str], repository: str) -> None:
    """Ask whether to delete; anything but yes ends the command.

    Raises:
        WrongUse: nobody is there to be asked.
    """
    if not sys.stdin.isatty():
        raise WrongUse("nobody can be asked whether to delete: say --yes")
    what = listed(names) if len(names) <= 5 else f"{len(names)} documents"
    typer.confirm(f"Delete {what} from {printable(repository)!r}?", abort=True, err=True)


def run(names: Sequence[str], connection: Connection, repository: str, *, as_json: bool) -> int:
    """Delete documents, and say which names were not there."""
    names = list(dict.fromkeys(names))
    missing = asyncio.run(_delete(names, connection, repository))
    streams = terminal()
    for name in names:
        is_gone = name not in missing
        if as_json:
            write_json(streams.out, {"name": name, "result": "deleted" if is_gone else "not_found"})
        elif is_gone:
            streams.out.print(f"deleted {printable(name)}", soft_wrap=True)
        else:
            streams.err.print(f"kb: {printable(missing[name])}", style="red", soft_wrap=True)
    return FAILED if missing else 0


async def _delete(names: Sequence[str], connection: Connection, repository: str) -> dict[str, str]:
    """Delete names; return those that were not there, each with what the service says about it."""
    missing: dict[str, str] = {}
    async with Service(connection) as service:
        for start in range(0, len(names), MOST_AT_ONCE):
            some = names[start : start + MOST_AT_ONCE]
            try:
                absent = await service.delete_documents(some, repository)
            except NotThere as absence:
                missing |= dict.fromkeys(some, absence.message)
            else:
                missing |= {name: f"document not found: {name}" for name in absent}
    return missing
