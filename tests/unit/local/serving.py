"""Serves an ASGI application on a real port."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from infra.local.ports import free_port


@contextmanager
def serving(application: Any) -> Iterator[int]:
    port = free_port()
    config = uvicorn.Config(
        application, host="127.0.0.1", port=port, log_level="error", lifespan="off", proxy_headers=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()
