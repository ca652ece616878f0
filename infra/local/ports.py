"""Ports of this machine: finding a free one, and who holds one that is not."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

from infra.local.failures import StackFailure

LOOPBACK = "127.0.0.1"


def free_port(preferred: int = 0) -> int:
    """Return a port that nobody listens on; the preferred one if it is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, preferred))
        except OSError:
            return free_port()
        port: int = probe.getsockname()[1]
        return port


def check_is_free(port: int) -> None:
    """Do nothing if a server could listen on a port.

    Raises:
        StackFailure: it could not; the message names who listens, where that can be found out.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except PermissionError:
            raise StackFailure(
                f"port {port} needs administrator rights; take another one: KB_PORT=8080 make up"
            ) from None
        except OSError:
            raise StackFailure(
                f"port {port} is taken{_by_whom(port)}; stop that, or take another port: KB_PORT={port + 1} make up"
            ) from None


def _by_whom(port: int) -> str:
    holder = _holder_by_proc(port) if Path("/proc/net/tcp").exists() else _holder_by_lsof(port)
    return f" by {holder}" if holder else ""


def _holder_by_proc(port: int) -> str:
    inodes = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(link.readlink()) in inodes:
                pid = link.parts[2]
                words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
                return f"process {pid} ({' '.join(words).strip()[:80]})"
        except OSError:  # another user's process, or one that just ended
            continue
    return ""


def _listening_inodes(port: int) -> list[str]:
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    rows = [row.split() for table in tables if table.exists() for row in table.read_text().splitlines()[1:]]
    return [row[9] for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port]


def _holder_by_lsof(port: int) -> str:
    lsof = shutil.which("lsof")
    if not lsof:
        return ""
    command = [lsof, "-nP", f"-iTCP:{port}", "-sTCP:LISTEN", "-Fpc"]
    fields = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    values = {field[0]: field[1:] for field in fields if field}
    return f"process {values['p']} ({values.get('c', '?')})" if "p" in values else ""
