"""Ties a process to the one that started it, so that nothing is left behind when that one is killed.

A parent keeps the write end of its child's standard input open and never writes to it again; when the parent is
gone, however it went, the child reads the end of the file. Unlike Linux's parent-death signal this also works
on macOS, and does not fire when merely the thread that started the child ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

GRACE_SECONDS = 3.0


def hold() -> None:
    """End this process soon after its parent has ended; ask it first, so that it can finish cleanly."""
    threading.Thread(target=_watch, name="lifeline", daemon=True).start()


def _watch() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # not by sys.stdin, whose lock a waiting thread would hold at exit
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(1)
