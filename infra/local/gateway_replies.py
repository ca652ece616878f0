"""What API Gateway says by itself, read from the template; the emulator does not carry that part out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class GatewayReply:
    """A reply of the gateway; its body may hold `$context.error` variables."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def saying(self, kind: str, message: str) -> GatewayReply:
        """Return the reply with its variables filled in."""
        body = self.body.replace("$context.error.messageString", json.dumps(message))
        return GatewayReply(self.status, body.replace("$context.error.responseType", kind), self.headers)


@dataclass(frozen=True, slots=True)
class GatewayReplies:
    """The replies that the front door gives in the gateway's place."""

    not_found: GatewayReply
    too_large: GatewayReply
    broken: GatewayReply


def read_gateway_replies(template: Mapping[str, Any]) -> GatewayReplies:
    """Return the replies that a template's API sets."""
    responses = template["Resources"]["Api"]["Properties"]["GatewayResponses"]
    return GatewayReplies(
        not_found=_reply(responses["MISSING_AUTHENTICATION_TOKEN"], 404),
        too_large=_reply(responses["REQUEST_TOO_LARGE"], 413),
        broken=_reply(responses["DEFAULT_5XX"], 502),
    )


def _reply(response: Mapping[str, Any], status: int) -> GatewayReply:
    headers = response.get("ResponseParameters", {}).get("Headers", {})
    return GatewayReply(
        status=int(response.get("StatusCode", status)),
        body=response["ResponseTemplates"]["application/json"],
        headers={name: value.strip("'") for name, value in headers.items()},
    )
