"""The SQLite file of one embedding model: opened cheaply, read by many processes while one writes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Literal

from knowledge_base.adapters.embedded.lucene import lucene
from knowledge_base.adapters.embedded.schema import SCHEMA
from knowledge_base.domain.errors import IndexUnavailable

if TYPE_CHECKING:
    from apsw import Connection

WAIT_MILLISECONDS = 60_000
"""How long one waits for its turn to write; a turn takes some 50 milliseconds."""

PRAGMAS = ("PRAGMA synchronous = NORMAL", "PRAGMA mmap_size = 268435456", "PRAGMA temp_store = MEMORY")
"""NORMAL with a write-ahead log: what was committed survives the death of every process."""


class Database:
    """Gives every thread its own connection to a file that is made on first use.

    Every error of SQLite becomes `IndexUnavailable`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
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
            self._local.connection = _open(self._path)
        connection: Connection = self._local.connection
        return connection


def _open(path: Path) -> Connection:
    import apsw

    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(WAIT_MILLISECONDS)
    connection.enable_load_extension(True)
    connection.load_extension(str(_vector_extension()))
    connection.enable_load_extension(False)
    connection.register_fts5_function("lucene", lucene)
    for pragma in PRAGMAS:
        connection.execute(pragma).fetchall()
    if connection.pragma("user_version") == 0:
        _create(connection)
    return connection


def _create(connection: Connection) -> None:
    connection.pragma("page_size", 8192)
    _write_ahead(connection)
    connection.execute("BEGIN IMMEDIATE")
    if connection.pragma("user_version") == 0:
        connection.execute(SCHEMA)
        connection.pragma("user_version", 1)
    connection.execute("COMMIT")


def _write_ahead(connection: Connection) -> None:
    """Switch to a write-ahead log; of several who do so at once each holds what the others wait for, so none waits."""
    deadline = time.monotonic() + WAIT_MILLISECONDS / 1000
    connection.set_busy_timeout(0)
    while not _is_write_ahead(connection):
        if time.monotonic() > deadline:
            raise IndexUnavailable("the vector index cannot be made: its directory allows no write-ahead log")
        time.sleep(0.01 * random.random())  # noqa: S311
    connection.set_busy_timeout(WAIT_MILLISECONDS)


def _is_write_ahead(connection: Connection) -> bool:
    import apsw

    try:
        return bool(connection.pragma("journal_mode", "wal") == "wal")
    except apsw.BusyError:
        return False


def _vector_extension() -> Path:
    """Return where sqlite-vec lies, without importing its package, which would import numpy."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise IndexUnavailable("the embedded vector index needs the package sqlite-vec")
    return Path(spec.submodule_search_locations[0]) / "vec0"
