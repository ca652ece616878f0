"""Reads what a deployment says, in whichever of its forms it says it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import httpx

from knowledge_base_cli.errors import Busy, KeyRefused, NotThere, Refusal
from knowledge_base_cli.retrying import BUSY

T = TypeVar("T")
_KINDS: dict[int, type[Refusal]] = {401: KeyRefused, 403: KeyRefused, 404: NotThere, **dict.fromkeys(BUSY, Busy)}


def json_object(reply: httpx.Response) -> dict[str, Any]:
    """Return the object that a reply holds; anything else counts as an empty one."""
    try:
        said = reply.json()
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def understood(said: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> T:
    """Return what an object means.

    Raises:
        Refusal: it has not the form that it must have.
    """
    try:
        return read(said)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Refusal(
            200, "unexpected_reply", "the service answered in a form that this version of kb does not know"
        ) from None


def refusal(reply: httpx.Response) -> Refusal:
    """Return what a reply that is no success means.

    The platform says `{"error": {code, message}}`, uran `{status, message}`, and so does a gateway by itself.
    """
    said = json_object(reply)
    error = said.get("error")
    fault: dict[str, Any] = error if isinstance(error, dict) else said
    message = fault.get("message") or _without_words(reply)
    kind = _KINDS.get(reply.status_code, Refusal)
    return kind(reply.status_code, str(fault.get("code") or f"http_{reply.status_code}"), str(message))


def bucket_refusal(reply: httpx.Response) -> Refusal:
    """Return what the object store means, which speaks XML: `<Error><Code>…</Code><Message>…</Message>…`."""
    code = _element("Code", reply.text) or f"http_{reply.status_code}"
    message = _element("Message", reply.text) or _without_words(reply)
    return Refusal(reply.status_code, "upload_refused", f"the object store refused the file: {message} ({code})")


def _element(name: str, xml: str) -> str:
    found = re.search(rf"<{name}>([^<]{{1,500}})</{name}>", xml)
    return found.group(1) if found else ""


def _without_words(reply: httpx.Response) -> str:
    if reply.is_redirect:
        return f"it is moved to {reply.headers.get('location', 'somewhere')}: give that address as --url"
    return f"the service answered {reply.status_code} {reply.reason_phrase} without saying why"
