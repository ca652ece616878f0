"""Reads what the service says, in whichever of its forms it says it."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from knowledge_base_client import errors

Model = TypeVar("Model", bound=BaseModel)

_KINDS: dict[int, type[errors.Refused]] = {
    400: errors.InvalidRequest,
    401: errors.NotAuthenticated,
    403: errors.NotPermitted,
    404: errors.NotFound,
    409: errors.Conflict,
    412: errors.EditionMismatch,
    413: errors.TooLarge,
    422: errors.InvalidRequest,
    429: errors.Busy,
    503: errors.Busy,
}


def understood(model: type[Model], reply: httpx.Response, **besides: Any) -> Model:
    """Return what a reply says, with what its headers say besides.

    Raises:
        UnexpectedReply: it has not the form that it must have.
    """
    try:
        return model.model_validate({**json_object(reply), **besides})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise errors.UnexpectedReply(f"the reply is not as this client knows it: {where}: {fault['msg']}") from None


def json_object(reply: httpx.Response) -> dict[str, Any]:
    """Return the object that a reply holds; anything else counts as an empty one."""
    try:
        said = reply.json()
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def refusal(reply: httpx.Response, retry_after: float | None) -> errors.Refused:
    """Return what a reply that is no success means."""
    kind = _KINDS.get(reply.status_code, errors.ServiceFailed if reply.is_server_error else errors.Refused)
    code, detail = fault_of(reply)
    return kind(reply.status_code, code, detail, retry_after=retry_after)


def fault_of(reply: httpx.Response) -> tuple[str, str]:
    """Return an error's code, and its words for people.

    Problem details have `detail` (RFC 9457), the platform says `{"error": {code, message}}`, a gateway by itself
    `{message}`, and an object store `<Error><Code>…</Code><Message>…</Message>…`.
    """
    said = json_object(reply)
    error = said.get("error")
    fault: dict[str, Any] = error if isinstance(error, dict) else said
    detail = fault.get("detail") or fault.get("message") or _element("Message", reply) or _without_words(reply)
    return str(fault.get("code") or _element("Code", reply) or f"http_{reply.status_code}"), str(detail)


def _element(name: str, reply: httpx.Response) -> str:
    if "xml" not in reply.headers.get("content-type", ""):
        return ""
    found = re.search(rf"<{name}>([^<]{{1,500}})</{name}>", reply.text)
    return found.group(1) if found else ""


def _without_words(reply: httpx.Response) -> str:
    if reply.is_redirect:
        return f"it is moved to {reply.headers.get('location', 'somewhere')}: give that address instead"
    return f"the service answered {reply.status_code} {reply.reason_phrase} without saying why"
