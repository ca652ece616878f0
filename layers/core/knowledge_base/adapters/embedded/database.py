"""The SQLite file of one embedding model: opened cheaply, read by many processes while one writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from knowledge_base.adapters.embedded.schema import SCHEMA
from knowledge_base.adapters.embedded.upgrading import upgrade
from knowledge_base.domain.errors import IndexUnavailable

if TYPE_CHECKING:
    from apsw import Connection

WAIT_MILLISECONDS = 60_000
"""How long one waits for its turn to write; a turn takes some 50 milliseconds."""

LOG_BYTES = 32_000_000
"""A longer log is emptied after a write. SQLite does it only in a moment without readers, which may never come."""

LOG_WAIT_MILLISECONDS = 2000
"""How long the emptying waits for the searches under way; if one takes longer, the next write tries again."""

PRAGMAS = ("PRAGMA synchronous = NORMAL", "PRAGMA mmap_size = 268435456", "PRAGMA temp_store = MEMORY")
"""NORMAL with a write-ahead log: what was committed survives the death of every process."""


class Database:
    """Gives every thread its own connection to a file that is made on first use, and brought to this format.

    Every error of SQLite becomes `IndexUnavailable`.
    """

    def __init__(self, path: Path, dimensions: int) -> None:
        self._path = path
        self._dimensions = dimensions
        self._local = local()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the file throughout."""
        with self._transaction("DEFERRED") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Wait for the turn to write, and yield a connection whose changes come all or not at all."""
        with self._transaction("IMMEDIATE") as connection:
            yield connection
        self._bound_log()

    @contextmanager
    def _transaction(self, mode: Literal["DEFERRED", "IMMEDIATE"]) -> Iterator[Connection]:
        import apsw

        try:
            connection = self._connection()
            connection.execute(f"BEGIN {mode}")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except (apsw.Error, OSError) as error:
            raise IndexUnavailable("the vector index does not answer") from error

    def _bound_log(self) -> None:
        import apsw

        with suppress(OSError, apsw.Error):  # what was written is safe in a long log too
            if self._path.with_name(f"{self._path.name}-wal").stat().st_size > LOG_BYTES:
                _empty_log(self._connection())

    def _connection(self) -> Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = _open(self._path, self._dimensions)
        connection: Connection = self._local.connection
        return connection


def _open(path: Path, dimensions: int) -> Connection:
    import apsw

    if not path.exists():
        _create(path)
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(WAIT_MILLISECONDS)
    for pragma in PRAGMAS:
        connection.execute(pragma).fetchall()
    upgrade(connection, dimensions)
    return connection


def _empty_log(connection: Connection) -> None:
    connection.set_busy_timeout(LOG_WAIT_MILLISECONDS)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.set_busy_timeout(WAIT_MILLISECONDS)


def _create(path: Path) -> None:
    """Make the file beside its place and put it there whole: nobody ever opens half of one."""
    import apsw

    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{uuid4().hex}")
    connection = apsw.Connection(str(beside))
    connection.pragma("page_size", 8192)
    connection.pragma("journal_mode", "wal")
    connection.execute(SCHEMA)
    connection.close()
    with suppress(FileExistsError):  # another process was faster
        path.hardlink_to(beside)
    beside.unlink()
