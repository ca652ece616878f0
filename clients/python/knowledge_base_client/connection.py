"""Which deployment is spoken to, and with which key."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

import httpx

from knowledge_base_client.errors import WrongUse

LOCAL_URL = "http://127.0.0.1:8000"
LOCAL_KEY = "local-dev-key"
"""The key that every stack on a laptop knows; it is sent to this machine's own addresses and nowhere else."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A deployment's address, without a slash at its end, and a key for it."""

    url: str
    key: str = field(repr=False)

    @property
    def is_local(self) -> bool:
        """Whether the address is written as this machine's own; such a one is reached past any proxy."""
        return _is_this_machine(httpx.URL(self.url))


def connection(url: str | None, key: str | None) -> Connection:
    """Return the deployment at a URL (default: the stack on this machine), with its key.

    Raises:
        WrongUse: the URL is none, or the key is missing for a deployment elsewhere.
    """
    address = _checked(LOCAL_URL if url is None else url.strip())
    return Connection(str(address).rstrip("/"), _key_for(address, key))


def _checked(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise WrongUse("the URL is none") from None
    if address.userinfo:
        raise WrongUse("a URL with a user name or password in it is not taken; give the key by itself")
    if address.scheme not in ("http", "https") or not address.host:
        raise WrongUse(f"{url!r} is no address of a service: it must look like https://example.org")
    if address.query or address.fragment:
        raise WrongUse("a URL must end with its path, without ? or #")
    return address


def _key_for(address: httpx.URL, key: str | None) -> str:
    key = (key or "").strip()
    if not key and _is_this_machine(address):
        return LOCAL_KEY
    if not key:
        raise WrongUse(f"{address.host} needs a key")
    if not (key.isascii() and key.isprintable()):
        raise WrongUse("the key holds a character that no key has")
    return key


def _is_this_machine(address: httpx.URL) -> bool:
    try:
        return ipaddress.ip_address(address.host).is_loopback
    except ValueError:
        return address.host == "localhost"
