"""An AWS in this process, for tests: moto, with the tables' keys and indexes as they are deployed.

Where moto is laxer than AWS: it never lets two transactions collide, and its secondary indexes never lag.
It undoes a cancelled transaction by putting back a copy of the whole table, which loses what other
threads wrote meanwhile: threads have to share a client that is `one_at_a_time`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Barrier, Lock
from typing import Any

from botocore.exceptions import ClientError
from botocore.session import Session, get_session
from moto import mock_aws

from knowledge_base.adapters.aws import tables

REGION = "us-east-1"


class EmulatedAws:
    """Clients and what they work on; everything is empty at first."""

    dynamodb: Any
    s3: Any
    sqs: Any

    def __init__(self) -> None:
        self.dynamodb, self.s3, self.sqs = _client("dynamodb"), _client("s3"), _client("sqs")

    def catalog_table(self) -> str:
        return self._table("catalog", tables.CATALOG)

    def runtime_table(self) -> str:
        return self._table("runtime", tables.RUNTIME)

    def bucket(self, name: str = "documents") -> str:
        self.s3.create_bucket(Bucket=name)
        return name

    def queue(self, name: str) -> str:
        attributes = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
        return str(self.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])

    def _table(self, name: str, schema: dict[str, Any]) -> str:
        keys = {key: value for key, value in schema.items() if key != "TimeToLiveSpecification"}
        self.dynamodb.create_table(TableName=name, **keys)
        return name


@contextmanager
def emulated_aws() -> Iterator[EmulatedAws]:
    with mock_aws():
        yield EmulatedAws()


@cache
def _session() -> Session:
    return get_session()


@cache
def _client(service: str) -> Any:
    return _session().create_client(
        service, region_name=REGION, aws_access_key_id="testing", aws_secret_access_key="testing"
    )


class Intercepted:
    """A client whose calls go through `around(operation, call)`."""

    def __init__(self, client: Any, around: Callable[[str, Callable[[], Any]], Any]) -> None:
        self._client = client
        self._around = around

    def __getattr__(self, operation: str) -> Any:
        method = getattr(self._client, operation)
        return lambda *args, **kwargs: self._around(operation, lambda: method(*args, **kwargs))


def one_at_a_time(client: Any) -> Any:
    """Return the client with its calls in a queue, so that threads can use it together with moto."""
    lock = Lock()

    def around(_: str, call: Callable[[], Any]) -> Any:
        with lock:
            return call()

    return Intercepted(client, around)


def counted(client: Any, calls: Counter[str]) -> Any:
    """Return the client with its calls counted by operation."""

    def around(operation: str, call: Callable[[], Any]) -> Any:
        calls[operation] += 1
        return call()

    return Intercepted(client, around)


def refusing(client: Any, refusals: dict[str, list[ClientError]]) -> Any:
    """Return the client with the first calls of an operation refused by these errors."""

    def around(operation: str, call: Callable[[], Any]) -> Any:
        if refusals.get(operation):
            raise refusals[operation].pop(0)
        return call()

    return Intercepted(client, around)


def a_refusal(code: str, operation: str, *reasons: str, message: str = "") -> ClientError:
    """Return the error of a refused request; for a transaction also with the reason of each write."""
    response: Any = {"Error": {"Code": code, "Message": message}}
    if reasons:
        response["CancellationReasons"] = [{"Code": reason, "Message": message} for reason in reasons]
    return ClientError(response, operation)


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Return what `work` gave for each number, or the error it raised, after all have run at once."""

    together = Barrier(count)

    def outcome(number: int) -> Any:
        together.wait()
        try:
            return work(number)
        except Exception as error:  # noqa: BLE001 - the test looks at it
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(outcome, range(count)))
