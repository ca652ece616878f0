"""The Java process of the server: its start, and its end."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from infra.local.opensearch_server.account import Account

SECONDS_TO_STOP = 8
# Told the number of a process, it waits for the end of its input, which comes with the end of whoever writes there.
GUARD = 'read -r process && { read -r _; kill -KILL "$process"; }'


def java_command(java: Path, server: Path, node: Path, port: int) -> list[str]:
    """Return what starts the server; a `port` of 0 means any free one, which it then writes to its file http.ports."""
    properties = {
        "java.io.tmpdir": node / "tmp",
        "opensearch.path.home": server,
        "opensearch.path.conf": node / "config",
    }
    settings = {"path.data": node / "indices", "path.logs": node / "logs", "http.port": port}
    return [
        str(java),
        f"@{server}/config/jvm.options",
        *(f"-D{name}={value}" for name, value in properties.items()),
        *("-cp", f"{server}/lib/*", "org.opensearch.bootstrap.OpenSearch"),
        *(f"-E{name}={value}" for name, value in settings.items()),
    ]


@contextmanager
def running_process(
    command: list[str], folder: Path, account: Account, log: BinaryIO
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `command` in `folder` for the length of the block; it does not outlive this program, however that ends."""
    with running_guard(account) as guard:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            user=account.uid,
            group=account.gid,
            extra_groups=account.groups,
        )
        try:
            print(process.pid, file=guard.stdin, flush=True)
            yield process
        finally:
            stop(process)


@contextmanager
def running_guard(account: Account) -> Iterator[subprocess.Popen[str]]:
    """Run a shell that kills the process whose number it reads, as soon as this program is gone."""
    with subprocess.Popen(
        ["/bin/sh", "-c", GUARD],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
        start_new_session=True,  # Ctrl-C is not for the guard
    ) as guard:
        try:
            yield guard
        finally:
            guard.kill()


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end, and kill it if it has not after some seconds, or if we are told to hurry."""
    process.terminate()
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()
        process.wait()
