"""`kb mcp`."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from knowledge_base_cli.connection import Connection
from knowledge_base_cli.errors import WrongUse
from knowledge_base_cli.terminal import terminal

EXTRA = frozenset({"mcp", "mcp_types", "knowledge_base_client", "pydantic"})
Serve: TypeAlias = Callable[[Connection, int | None], Coroutine[Any, Any, None]]


def run(connection: Connection, *, port: int | None) -> int:
    """Serve a knowledge base to agents; standard output carries the protocol and nothing else.

    Raises:
        WrongUse: what the server needs is not installed.
    """
    serve = _server()
    if port is None:
        # A thread waits for input, and Python's own answer to Ctrl-C would wait for that thread.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    else:
        terminal().err.print(f"Serving http://127.0.0.1:{port}/mcp until Ctrl-C, with one key for all who call it")
    asyncio.run(serve(connection, port))
    return 0


def _server() -> Serve:
    # The rest of `kb` starts without the SDK, which is larger than all of it.
    try:
        from knowledge_base_cli.agents.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in EXTRA:
            raise
        raise WrongUse(
            f"kb mcp needs {missing.name}, which is not installed: pip install 'knowledge-base-cli[mcp]'"
        ) from None
    return serve
