"""How the uran contract words its deliveries, and what reply it takes for success."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from knowledge_base.dialects.uran import translate
from knowledge_base.ports.web import PostReply


class _Taken:
    """What every delivery of the contract takes for success."""

    def is_taken(self, reply: PostReply) -> bool:
        """A 2xx is success unless its JSON says another `status` (or the document's `staus`) than 200."""
        return 200 <= reply.status < 300 and _said_status(reply.body) in (None, 200, "200")


class DocumentStatus(_Taken):
    """The notification of one document's end."""

    def body(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON body to POST."""
        return translate.document_status(facts)


class PostedAnswer(_Taken):
    """The answer to a question that named where to post it."""

    def body(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON body to POST."""
        return translate.posted_answer(facts)


def _said_status(body: bytes) -> Any:
    try:
        said = json.loads(body)
    except ValueError:
        return None
    return said.get("status", said.get("staus")) if isinstance(said, dict) else None
