"""Where the emulator's items and messages outlive it: one SQLite file, written before a request is answered."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# A killed process loses nothing with synchronous=OFF, only a power failure could: the data is in the system's cache.
_SETUP = """
PRAGMA journal_mode=WAL;
PRAGMA synchronous=OFF;
CREATE TABLE IF NOT EXISTS items (
    name TEXT, pk TEXT, sk TEXT, item TEXT, PRIMARY KEY (name, pk, sk)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
    queue TEXT, id TEXT, position INTEGER, message TEXT, PRIMARY KEY (queue, id)
) WITHOUT ROWID;
"""


class DurableStore:
    """Items by table and key, messages by queue and id. Any thread may use it."""

    def __init__(self, path: Path) -> None:
        self.lock = threading.RLock()
        self._depth = 0
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.executescript(_SETUP)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what is written within either all durable or not at all; the inner ones join the outermost."""
        with self.lock:
            self._begin()
            try:
                yield
            finally:
                self._end()

    def put_item(self, table: str, key: tuple[str, str], item: Mapping[str, Any]) -> None:
        """Keep an item in place of the one with its key."""
        with self.transaction():
            self._connection.execute("INSERT OR REPLACE INTO items VALUES (?,?,?,?)", (table, *key, json.dumps(item)))

    def remove_item(self, table: str, key: tuple[str, str]) -> None:
        """Forget an item."""
        with self.transaction():
            self._connection.execute("DELETE FROM items WHERE name=? AND pk=? AND sk=?", (table, *key))

    def items(self, table: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Yield partition key, sort key and content of a table's items, in the order of their keys."""
        rows = self._connection.execute("SELECT pk, sk, item FROM items WHERE name=? ORDER BY pk, sk", (table,))
        for pk, sk, item in rows.fetchall():
            yield pk, sk, json.loads(item)

    def put_message(self, queue: str, position: int, message: Mapping[str, Any]) -> None:
        """Keep a message in place of the one with its id."""
        with self.transaction():
            row = (queue, message["id"], position, json.dumps(message))
            self._connection.execute("INSERT OR REPLACE INTO messages VALUES (?,?,?,?)", row)

    def remove_message(self, queue: str, message_id: str) -> None:
        """Forget a message."""
        with self.transaction():
            self._connection.execute("DELETE FROM messages WHERE queue=? AND id=?", (queue, message_id))

    def messages(self, queue: str) -> list[dict[str, Any]]:
        """Return a queue's messages in the order in which they stood there."""
        rows = self._connection.execute("SELECT message FROM messages WHERE queue=? ORDER BY position", (queue,))
        return [json.loads(message) for (message,) in rows.fetchall()]

    def close(self) -> None:
        """Write everything to the file itself and let go of it."""
        with self.lock:
            self._connection.close()

    def _begin(self) -> None:
        if self._depth == 0:
            self._connection.execute("BEGIN")
        self._depth += 1

    def _end(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._connection.execute("COMMIT")
