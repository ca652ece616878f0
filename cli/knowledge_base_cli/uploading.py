"""Brings a file's bytes to where the service wants them: announced by its digest, then sent as a form."""

from __future__ import annotations

import hashlib
import mimetypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import httpx

from knowledge_base_cli.connection import new_client
from knowledge_base_cli.documents import SourceFile, Ticket
from knowledge_base_cli.errors import Refusal
from knowledge_base_cli.replies import bucket_refusal
from knowledge_base_cli.retrying import Note, Patience, no_note, with_patience
from knowledge_base_cli.service import TIMEOUT, unreachable

Told = Callable[[int], None]
"""Is told how many bytes have been sent."""


class FileChanged(Exception):
    """A file became shorter while it was read."""


class MeteredFile:
    """A file as it is sent: never more than its announced size, and telling how far it is.

    A file that grows meanwhile, as a log does, is sent as it was when it was announced.
    """

    def __init__(self, stream: BinaryIO, size: int, tell: Told) -> None:
        self._stream = stream
        self._size = size
        self._tell = tell
        self._at = 0

    def read(self, count: int = -1) -> bytes:
        """Return the next bytes.

        Raises:
            FileChanged: the file ends before its announced size.
        """
        left = self._size - self._at
        piece = self._stream.read(left if count < 0 else min(count, left))
        if left and not piece:
            raise FileChanged
        self._at += len(piece)
        self._tell(self._at)
        return piece

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, as when the file is sent once more."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = self._stream.seek(start + offset)
        return self._at

    def tell(self) -> int:
        """Return the place in the file."""
        return self._at


class Bucket:
    """Sends files to the addresses that the service hands out; these never see the key."""

    def __init__(self, *, patience: Patience | None = None, note: Note = no_note) -> None:
        self._patience = patience or Patience()
        self._note = note
        self._clients: dict[str, httpx.AsyncClient] = {}

    async def __aenter__(self) -> Bucket:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients.values():
            await client.aclose()

    async def send(self, file: SourceFile, ticket: Ticket, *, tell: Told) -> None:
        """Send a file as the form that its announcement was answered with: the fields, and the file as the last one.

        Raises:
            FileChanged: it became shorter meanwhile.
            OSError: it cannot be read.
            Refusal: the object store does not take it.
            Unreachable: the object store does not answer.
        """
        address = httpx.URL(ticket.url)
        client = self._client(address)
        with file.path.open("rb") as stream:
            content = MeteredFile(stream, file.size, tell)

            async def post() -> httpx.Response:
                return await client.post(address, data=ticket.fields, files={"file": ("document", content)})  # type: ignore[dict-item]

            try:
                reply = await with_patience(post, repeatable=True, patience=self._patience, note=self._note)
            except httpx.TransportError as error:
                raise unreachable(address.copy_with(raw_path=b"/"), error) from error
        if not reply.is_success:
            raise bucket_refusal(reply)

    def _client(self, address: httpx.URL) -> httpx.AsyncClient:
        if address.scheme not in ("http", "https") or not address.host:
            raise Refusal(200, "upload_refused", "the service gave no address to send the file to")
        origin = f"{address.scheme}://{address.netloc.decode()}"
        if origin not in self._clients:
            self._clients[origin] = new_client(address, headers={}, timeout=TIMEOUT)
            # A new bucket answers by 307 at first, with the address of its region (S3, "Request routing").
            self._clients[origin].follow_redirects = True
        return self._clients[origin]


def announcement(file: SourceFile, sha256: str, repository: str) -> dict[str, object]:
    """Return the body of `POST /uploads` for a file."""
    return {
        "filename": file.name.rpartition("/")[2],
        "size": file.size,
        "content_type": mimetypes.guess_type(file.name)[0] or "application/octet-stream",
        "sha256": sha256,
        "target": {"dialect": "uran", "repository": repository, "name": file.name},
    }


def digest(path: Path, size: int) -> str:
    """Return the SHA-256 of a file's first bytes.

    Raises:
        FileChanged: the file is shorter than that.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        content = MeteredFile(stream, size, lambda _sent: None)
        sha256 = hashlib.sha256()
        while piece := content.read(MOST_AT_ONCE):
            sha256.update(piece)
        return sha256.hexdigest()


MOST_AT_ONCE = 1 << 20
