"""Objects: contents, parsed texts, chunks, vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Any, Protocol


@dataclass(frozen=True, slots=True)
class UploadForm:
    """A presigned POST: send `fields` and then the file to `url` as multipart form data."""

    url: str
    fields: dict[str, str]


class ObjectStore(Protocol):
    """Holds bytes under keys. Writing a key under a watched prefix starts the next stage."""

    def put(self, key: str, data: bytes | IO[bytes]) -> None:
        """Store bytes under a key, in place of what was there."""

    def get(self, key: str) -> bytes:
        """Return the bytes under a key.

        Raises:
            ObjectNotFound: there is none.
        """

    def open(self, key: str) -> AbstractContextManager[Iterator[bytes]]:
        """Open a key for reading piece by piece, in bounded memory.

        Raises:
            ObjectNotFound: there is none.
        """

    def size(self, key: str) -> int:
        """Return the size in bytes.

        Raises:
            ObjectNotFound: there is none.
        """

    def copy(self, source: str, target: str) -> None:
        """Copy within the store.

        Raises:
            ObjectNotFound: there is no source.
        """

    def copy_in(self, bucket: str, source: str, target: str) -> None:
        """Copy from another bucket into the store.

        Raises:
            ObjectNotFound: there is no source.
        """

    def read_in(self, bucket: str, key: str, *, limit: int) -> bytes:
        """Return the first `limit` bytes of an object of another bucket.

        Raises:
            ObjectNotFound: there is none.
        """

    def delete_under(self, prefix: str) -> None:
        """Delete every object whose key begins with the prefix."""

    def upload_form(self, key: str, *, size: int, lifetime: int) -> UploadForm:
        """Return a form that lets its holder upload one object of exactly `size` bytes within `lifetime` seconds."""

    def event(self, key: str) -> dict[str, Any]:
        """Return the message that tells of a key as if it had just been written."""
