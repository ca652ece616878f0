"""`kb status`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from knowledge_base_cli.connection import Connection
from knowledge_base_cli.documents import Ingestion
from knowledge_base_cli.errors import FAILED, NotThere
from knowledge_base_cli.service import Service
from knowledge_base_cli.summaries import show_ingestions
from knowledge_base_cli.terminal import printable, terminal, write_json


def show_service(connection: Connection, *, as_json: bool) -> int:
    """Show whether the service is ready, and which of its parts answer."""
    ready = asyncio.run(_readiness(connection))
    console = terminal().out
    is_ready = ready.get("status") == "ready"
    if as_json:
        write_json(console, {"url": connection.url, **ready})
    else:
        word = Text("ready", "green") if is_ready else Text("not ready", "red")
        console.print(Text.assemble(connection.url, " is ", word), soft_wrap=True)
        for part, answers in ready["parts"].items():
            console.print(
                f"  {printable(part)}: ", Text("answers", "green") if answers else Text("no answer", "red"), sep=""
            )
    return 0 if is_ready else FAILED


async def _readiness(connection: Connection) -> dict[str, Any]:
    async with Service(connection) as service:
        await service.check_health()
        return await service.readiness()


def show_documents(asked: Sequence[str], connection: Connection, repository: str | None, *, as_json: bool) -> int:
    """Show where documents stand: by id; by name in a knowledge base; or, where nothing is asked for, all of it.

    One that failed or is not there makes the exit code 1.
    """
    found = asyncio.run(_look_up(asked, connection, repository))
    streams = terminal()
    known = [one for _, one in found if one]
    unknown = [given for given, one in found if one is None]
    if as_json:
        for given, one in found:
            write_json(streams.out, _object(one) if one else _unknown_object(given, repository))
    else:
        show_ingestions(streams.out, known)
    for given in unknown:
        streams.err.print(f"kb: {printable(_not_found(given))}", style="red", soft_wrap=True)
    return FAILED if unknown or any(one.state == "failed" for one in known) else 0


async def _look_up(
    asked: Sequence[str], connection: Connection, repository: str | None
) -> list[tuple[str, Ingestion | None]]:
    async with Service(connection) as service:
        if repository is None:
            return [(document_id, await _with_id(service, document_id)) for document_id in asked]
        if asked:
            return [(name, await service.named_ingestion(repository, name)) for name in asked]
        return [(one.name, one) async for one in service.ingestions_of(repository)]


async def _with_id(service: Service, document_id: str) -> Ingestion | None:
    try:
        return await service.ingestion(document_id)
    except NotThere as absence:
        if absence.concerns_all:
            raise
        return None


def _object(one: Ingestion) -> dict[str, Any]:
    view = asdict(one)
    code, reason = view.pop("code"), view.pop("reason")
    return {**view, "error": {"code": code, "message": reason} if code else None}


def _unknown_object(given: str, repository: str | None) -> dict[str, Any]:
    error = {"code": "document_not_found", "message": _not_found(given)}
    return {"document_id" if repository is None else "name": given, "state": "unknown", "error": error}


def _not_found(given: str) -> str:
    return f"document not found: {given}"
