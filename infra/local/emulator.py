"""The emulator of AWS, made durable. Runs in a process of its own: `python -m infra.local.emulator STATE LOGS PORT`."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from infra.local import lifeline

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

OWN_PATHS = "/_local/"
_EMULATORS_OWN_PATHS = ("/_ministack/", "/_localstack/")


def set_environment(state: Path, port: int) -> None:
    """Set what the emulator reads from the environment while it is imported."""
    unpacked = state / "unpacked"  # a killed emulator leaves its workers' code there
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir(parents=True)
    os.environ.update(
        GATEWAY_PORT=str(port),
        BIND_HOST="127.0.0.1",
        MINISTACK_HOST="127.0.0.1",
        TMPDIR=str(unpacked),
        S3_DATA_DIR=str(state / "objects"),
        S3_PERSIST="0",
        PERSIST_STATE="0",
        LOG_LEVEL="WARNING",
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
        DOCKER_HOST="unix:///nonexistent",
        AWS_ACCESS_KEY_ID="local",
        AWS_SECRET_ACCESS_KEY="local",  # noqa: S106 - any will do
        POWERTOOLS_TRACE_DISABLED="true",
    )
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AUTH"):
        os.environ.pop(name, None)


class DurableEmulator:
    """The emulator's application with a few paths of our own beside it."""

    def __init__(self, state: Path, logs: Path) -> None:
        from ministack import app

        from infra.local import emulator_hooks
        from infra.local.durable_store import DurableStore
        from infra.local.function_logs import FunctionLog

        emulator_hooks.check_emulator()
        self._emulator = app.app
        self._hooks = emulator_hooks
        self._store = DurableStore(state / "items_and_messages.sqlite")
        emulator_hooks.serve_groups_fairly()
        emulator_hooks.work_on_groups_side_by_side()
        self._messages = emulator_hooks.KeptMessages(self._store)
        self._messages.keep()
        emulator_hooks.keep_items(self._store)
        emulator_hooks.keep_objects()
        emulator_hooks.log_functions(FunctionLog(logs / "functions.log").write)
        emulator_hooks.let_workers_die_with_emulator()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve a request: our own paths here, the emulator's own are closed, the rest is AWS."""
        path = str(scope.get("path", ""))
        if scope["type"] == "http" and path.startswith(OWN_PATHS):
            query = parse_qs(scope["query_string"].decode())
            await _reply(send, 200, await asyncio.to_thread(self._serve_own, path, query.get("function", [])))
        elif path.startswith(_EMULATORS_OWN_PATHS) and path != "/_ministack/ready":
            await _reply(send, 403, {"message": "closed: a POST from any web page could wipe the state"})
        else:
            await self._emulator(scope, receive, send)

    def close(self) -> None:
        """End the functions and let go of the state."""
        self._hooks.end_workers()
        self._store.close()

    def _serve_own(self, path: str, functions: list[str]) -> Any:
        if path == f"{OWN_PATHS}attach":
            return self._attach()
        if path == f"{OWN_PATHS}warm":
            return self._hooks.warm(functions)
        return self._hooks.worker_pids()

    def _attach(self) -> dict[str, int]:
        """Put back what was kept: items first, since messages set functions going that read them."""
        items = self._hooks.attach_items(self._store)
        self._hooks.attach_objects()
        return {"items": items, "messages": self._messages.attach()}


async def _reply(send: Send, status: int, body: Any) -> None:
    content = json.dumps(body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def allow_many_files() -> None:
    """Raise the limit of open files: each running function takes three."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, most) if most > 0 else 8192, most))


def main() -> None:
    """Serve until asked to end."""
    state, logs, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    set_environment(state, port)
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    allow_many_files()
    application = DurableEmulator(state, logs)
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    lifeline.hold()
    asyncio.run(serve(application, config))  # type: ignore[arg-type]
    application.close()


if __name__ == "__main__":
    main()
