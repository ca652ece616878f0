"""Runs the front door in a process of its own, which first waits to be told where the emulated stack is."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from infra.local import lifeline
from infra.local.front_door import FrontDoor
from infra.local.gateway_replies import read_gateway_replies
from infra.local.packaging import load_template

LOCAL_KEY = "local-dev-key"
LOCAL_TENANT = "default"


def main() -> None:
    """Serve until asked to end."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    template = load_template(Path(sys.argv[1]))
    told: dict[str, Any] = json.loads(sys.stdin.buffer.readline() or b"null") or sys.exit(0)
    lifeline.hold()
    os.environ.update(told["environment"])
    grant_local_key()
    serve(template, api_url=told["api_url"], port=told["port"])


def serve(template: Mapping[str, Any], *, api_url: str, port: int) -> None:
    """Serve the front door of an API on a port."""
    from functions.stream.app import app as stream

    limits = httpx.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30)
    front_door = FrontDoor(
        stream=stream,
        api_url=api_url,
        client=httpx.AsyncClient(timeout=httpx.Timeout(60, read=300), limits=limits, trust_env=False),
        replies=read_gateway_replies(template),
    )
    config = uvicorn.Config(
        front_door,
        host="127.0.0.1",
        port=port,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,  # nobody stands in front of this; a client must not choose its own address
        timeout_keep_alive=75,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run()


def grant_local_key() -> None:
    """Make the well-known operator key, unless it is there; this profile is reached from this machine only."""
    from knowledge_base.bootstrap import get_container
    from knowledge_base.domain.access import ADMIN, OPERATOR, Principal
    from knowledge_base.domain.errors import NotAuthenticated

    access = get_container().access
    operator = Principal(tenant=LOCAL_TENANT, user_id="local-operator", roles=frozenset({ADMIN, OPERATOR}))
    try:
        access.authenticate({"x-api-key": LOCAL_KEY})
    except NotAuthenticated:
        access.create_key(operator, operator, key=LOCAL_KEY)


if __name__ == "__main__":
    main()
