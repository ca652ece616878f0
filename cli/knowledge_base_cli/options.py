"""The arguments and options that commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from knowledge_base_cli.connection import Connection, connection

Url = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="The deployment's address; also KB_URL. Default: this machine, port 8000."
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", metavar="KEY", help="An API key; better KB_KEY, which other users of the machine do not see."
    ),
]


def _named(name: str) -> str:
    if not name.strip():
        raise typer.BadParameter("a knowledge base has a name")
    return name


KnowledgeBase = Annotated[str, typer.Option("--kb", metavar="NAME", callback=_named, help="The knowledge base's name.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON for programs to standard output.")]


@dataclass(frozen=True, slots=True)
class Given:
    """What stands before the command's name or in the environment; what stands behind the name goes before it."""

    url: str | None
    key: str | None


def chosen_connection(context: typer.Context, url: str | None, key: str | None) -> Connection:
    """Return the deployment that a command is to speak to.

    Raises:
        WrongUse: it is no address, or its key is missing.
    """
    given: Given = context.obj
    return connection(given.url if url is None else url, given.key if key is None else key)
