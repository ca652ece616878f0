"""A model that fails shuts the assistant's gateway, and one probe opens it again when the model is back."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from infra.local.stack import RunningStack
from tests.e2e.client import Client
from tests.e2e.talking import TalkingModel


def assist(client: Client) -> httpx.Response:
    return client.http.post("/uran/lm/assistant", json={"question": "Hello?"}, timeout=120)


def gateway(client: Client, name: str = "assistant") -> dict[str, Any]:
    found = client.http.get("/admin/gateways").json()["gateways"]
    return next(view for view in found if view["name"] == name)


@pytest.mark.timeout(300)
def test_failures_shut_the_gateway_and_a_probe_opens_it_again(talking: RunningStack, model: TalkingModel) -> None:
    client = Client(talking)
    model.is_down = True
    try:
        failed = [assist(client) for _ in range(3)]
        assert {reply.status_code for reply in failed} == {503}
        time.sleep(1.1)
        refused = assist(client)
        assert (refused.status_code, refused.json()["status"]) == (503, 503)
        assert int(refused.headers["retry-after"]) >= 1
        shut = gateway(client)
        assert shut["state"] in ("open", "half_open")
        assert "unavailable" in shut["reason"]
        assert shut["since"]
        assert gateway(client, "questions")["state"] == "closed"
    finally:
        model.is_down = False
    until = time.monotonic() + 90
    while gateway(client)["state"] != "closed":
        assert time.monotonic() < until, "the gateway never opens again"
        assist(client)
        time.sleep(0.5)
    assert assist(client).status_code == 200
