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
