"""Speaks to one deployment over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from knowledge_base_cli.connection import Connection, is_this_machine, new_client
from knowledge_base_cli.documents import Ingestion, IngestionPage, Ticket
from knowledge_base_cli.errors import Unreachable
from knowledge_base_cli.replies import json_object, refusal, understood
from knowledge_base_cli.retrying import Note, Patience, no_note, with_patience

TIMEOUT = httpx.Timeout(60, connect=10)
STREAM_TIMEOUT = httpx.Timeout(60, connect=10, read=45)
"""A stream is never silent for longer than 15 seconds; after three times that it has broken."""

FIRST_CONTACT = Patience(tries=3, first=0.3)
"""Whoever calls an address where nothing listens should be told soon."""


class Service:
    """A deployment; every method raises `Unreachable` if it does not answer and a `Refusal` if it says no."""

    def __init__(self, connection: Connection, *, patience: Patience | None = None, note: Note = no_note) -> None:
        self.connection = connection
        self._address = httpx.URL(connection.url)
        self._patience = patience or Patience()
        self._note = note
        headers = {"Authorization": f"Bearer {connection.key}", "Accept": "application/json"}
        self._http = new_client(self._address, headers=headers, timeout=TIMEOUT)

    async def __aenter__(self) -> Service:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def check_health(self) -> None:
        """Make sure that a knowledge base answers at all, before anything is sent to it."""
        reply = await self._reply("GET", "/health", patience=FIRST_CONTACT)
        if reply.is_redirect or reply.is_server_error:
            raise refusal(reply)
        if not reply.is_success or json_object(reply).get("status") != "ok":
            raise Unreachable(f"{self.connection.url} answers, but not as a knowledge base does")

    async def readiness(self) -> dict[str, Any]:
        """Return what `GET /health/ready` says, also when it says that the service is not ready."""
        reply = await self._reply("GET", "/health/ready", patience=Patience(tries=1))
        if "parts" in (said := json_object(reply)):
            return said
        raise refusal(reply)

    async def announce(self, upload: dict[str, Any]) -> Ticket:
        """Announce a file; return where to send it, or the document that has it already."""
        return understood(await self._json("POST", "/uploads", json=upload), Ticket.read)

    async def ingestion(self, document_id: str) -> Ingestion:
        """Return where a document stands."""
        return understood(await self._json("GET", f"/ingestions/{quote(document_id, safe='')}"), Ingestion.read)

    async def named_ingestion(self, repository: str, name: str) -> Ingestion | None:
        """Return where the document of a name stands, None if the knowledge base has none."""
        page = await self._ingestions(repository=repository, name=name)
        # A document may go by several names, and tells the first of them.
        return replace(page.ingestions[0], name=name) if page.ingestions else None

    async def ingestions_of(self, repository: str) -> AsyncIterator[Ingestion]:
        """Yield where each document of a knowledge base stands, oldest first."""
        page = await self._ingestions(repository=repository, limit="100")
        while True:
            for one in page.ingestions:
                yield one
            if not page.next_cursor:
                return
            page = await self._ingestions(repository=repository, limit="100", cursor=page.next_cursor)

    async def _ingestions(self, **query: str) -> IngestionPage:
        return understood(await self._json("GET", f"/ingestions?{urlencode(query)}"), IngestionPage.read)

    async def answer(self, token: str) -> dict[str, Any]:
        """Return an answer as far as it has come."""
        return await self._json("GET", f"/answers/{quote(token, safe='')}")

    async def cancel_answer(self, token: str) -> None:
        """End an answer that nobody waits for any more."""
        await self._http.delete(self._url(f"/answers/{quote(token, safe='')}"), timeout=3)

    async def delete_documents(self, names: Sequence[str], repository: str) -> list[str]:
        """Delete documents by name; return the names that are not there, of which some was."""
        body = {"documents": list(names), "repository": repository}
        said = await self._json("DELETE", "/uran/lm/documents", json=body, repeatable=False)
        missing: list[str] = (said.get("data") or {}).get("notFound", [])
        return missing

    @asynccontextmanager
    async def question(self, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
        """Ask a question, and open the stream of its answer."""
        request = self._http.build_request("POST", self._url("/uran/lm/question"), json=body, timeout=STREAM_TIMEOUT)
        async with self._stream(request, repeatable=False) as reply:
            yield reply

    @asynccontextmanager
    async def answer_events(self, token: str, *, after: str) -> AsyncIterator[httpx.Response]:
        """Open the stream of an answer's events that came after one of them."""
        headers = {"Last-Event-ID": after} if after else {}
        url = self._url(f"/answers/{quote(token, safe='')}/events")
        request = self._http.build_request("GET", url, headers=headers, timeout=STREAM_TIMEOUT)
        async with self._stream(request, repeatable=True, patience=FIRST_CONTACT) as reply:
            yield reply

    @asynccontextmanager
    async def _stream(
        self, request: httpx.Request, *, repeatable: bool, patience: Patience | None = None
    ) -> AsyncIterator[httpx.Response]:
        async def send() -> httpx.Response:
            return await self._http.send(request, stream=True)

        reply = await with_patience(send, repeatable=repeatable, patience=patience or self._patience, note=self._note)
        try:
            if not reply.is_success:
                await reply.aread()
                raise refusal(reply)
            yield reply
        finally:
            await reply.aclose()

    async def _json(
        self, method: str, path: str, *, json: dict[str, Any] | None = None, repeatable: bool = True
    ) -> dict[str, Any]:
        reply = await self._reply(method, path, json=json, repeatable=repeatable)
        if not reply.is_success:
            raise refusal(reply)
        return json_object(reply)

    async def _reply(
        self,
        method: str,
        path: str,
        *,
        json: dict[str, Any] | None = None,
        repeatable: bool = True,
        patience: Patience | None = None,
    ) -> httpx.Response:
        async def send() -> httpx.Response:
            return await self._http.request(method, self._url(path), json=json)

        try:
            return await with_patience(
                send, repeatable=repeatable, patience=patience or self._patience, note=self._note
            )
        except httpx.TransportError as error:
            raise unreachable(self._address, error) from error

    def _url(self, path: str) -> str:
        return self.connection.url + path


def unreachable(address: httpx.URL, error: httpx.TransportError) -> Unreachable:
    """Return what a person is told when an address does not answer."""
    if isinstance(error, httpx.TimeoutException):
        why = "no connection in time" if isinstance(error, httpx.ConnectTimeout) else "no reply in time"
    elif str(error) == "All connection attempts failed":
        why = "nothing listens there"
    else:
        why = str(error) or type(error).__name__
    is_absent = isinstance(error, httpx.ConnectError) and is_this_machine(address)
    hint = " (`make up` starts the stack on this machine)" if is_absent else ""
    return Unreachable(f"{address} cannot be reached: {why}{hint}")
