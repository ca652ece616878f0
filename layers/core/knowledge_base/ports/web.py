"""Requests to addresses that callers name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Download:
    """What a URL gave, after redirects."""

    content: bytes
    content_type: str
    final_url: str


@dataclass(frozen=True, slots=True)
class PostReply:
    """The status and the first 64 KB of the body."""

    status: int
    body: bytes


class Web(Protocol):
    """The one guarded HTTP client for every address that a caller names.

    Only http and https; the resolved address must be globally reachable and is the one connected to,
    on every redirect anew; size and time are bounded. Allowed exceptions are a setting.
    """

    def check(self, url: str) -> None:
        """Refuse a URL that could never be requested, without resolving its name.

        Raises:
            AddressNotAllowed: its scheme, form or literal address is not allowed.
        """

    def download(self, url: str, *, max_size: int, seconds: float | None = None) -> Download:
        """Return the content of a URL; None: it may take as long as downloads may.

        Raises:
            AddressNotAllowed: the address may not be contacted.
            PayloadTooLarge: it has more than `max_size` bytes.
            DownloadFailed: it cannot be had.
        """

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostReply:
        """POST a body; redirects are not followed.

        Raises:
            AddressNotAllowed: the address may not be contacted.
            DownloadFailed: no reply came.
        """
