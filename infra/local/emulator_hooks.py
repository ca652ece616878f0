"""The only module that reaches into the emulator. Written for MiniStack 1.5.33; it refuses to run with another one.

By its own switches MiniStack keeps tables and queues only at a clean shutdown, which a laptop that is closed or a
process that is killed does not grant. So what functions store is written through to a file as it changes, and is put
back by name after the template was deployed again: names follow from the template, and deploying takes a second.
"""

from __future__ import annotations

import inspect
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from importlib.metadata import version
from itertools import islice
from types import ModuleType
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import dynamodb, lambda_svc, s3, sqs

from infra.local.durable_store import DurableStore
from infra.local.failures import StackFailure

EMULATOR_VERSION = "1.5.33"

RETRY_SECONDS = 3.0
"""How long a message stays hidden whose function crashed or ran out of time."""

_EXPECTED: tuple[tuple[ModuleType, str, tuple[str, ...]], ...] = (
    (dynamodb, "_set_item", ("table", "pk_val", "sk_val", "item")),
    (dynamodb, "_remove_item", ("table", "pk_val", "sk_val")),
    (dynamodb, "handle_request", ("method", "path", "headers", "body", "query_params")),
    (sqs, "_receive_messages_for_esm", ("queue_url", "max_number")),
    (sqs, "_delete_messages_for_esm", ("queue_url", "receipt_handles")),
    (sqs, "_collect_msgs", ("q", "max_n", "vis_timeout")),
    (s3, "_deliver_event_to_sqs", ("arn", "event_payload", "bucket_region", "bucket_name")),
    (s3, "_fire_s3_test_event", ("bucket_name",)),
    (s3, "_load_persisted_data", ()),
    (lambda_svc, "_sqs_esm_concurrency", ("esm", "func_rec", "config", "queue")),
    (lambda_svc, "_run_sqs_batch", ("esm", "func_rec", "event", "batch", "queue_url", "queue_name")),
    (lambda_svc, "_emit_lambda_logs", ("func", "request_id", "log_text", "error", "duration_ms", "log_source")),
    (lambda_svc, "_emit_lambda_metrics", ("function_name", "duration_ms", "error", "throttle")),
    (lambda_runtime, "acquire_worker", ("func_name", "config", "code_zip", "qualifier", "max_concurrency")),
    (lambda_runtime, "ensure_spawned", ("worker",)),
    (lambda_runtime, "release_worker", ("worker",)),
)

# A worker notices the end of the emulator only between two invocations; one that goes on would meet its successor.
_DIE_WITH_EMULATOR = """
import os as _os, threading as _threading, time as _time
def _die_with(parent):
    while _os.getppid() == parent:
        _time.sleep(0.5)
    _os._exit(1)
_threading.Thread(target=_die_with, args=(_os.getppid(),), daemon=True).start()
"""

LogSink = Callable[[str, str], None]
"""Takes a function's name and one line of its output."""


def check_emulator() -> None:
    """Do nothing if the emulator is the one that this module was written for.

    Raises:
        StackFailure: it is not; the message says what differs.
    """
    found = version("ministack")
    if found != EMULATOR_VERSION:
        raise StackFailure(
            f"the local stack needs ministack {EMULATOR_VERSION}, but {found} is installed; run make setup"
        )
    for module, name, parameters in _EXPECTED:
        actual = tuple(inspect.signature(getattr(module, name, _missing)).parameters)
        if actual != parameters:
            raise StackFailure(f"ministack {found} is not as expected: {module.__name__}.{name} takes {actual}")


def _missing(*_: object) -> None: ...


def keep_items(store: DurableStore) -> None:
    """From now on write every change of a DynamoDB item to the store, before its request is answered."""
    set_item, remove_item, handle = dynamodb._set_item, dynamodb._remove_item, dynamodb.handle_request

    def set_and_keep(table: dict[str, Any], pk: Any, sk: Any, item: dict[str, Any]) -> Any:
        with store.lock:
            store.put_item(table["TableName"], (str(pk), str(sk)), item)
            return set_item(table, pk, sk, item)

    def remove_and_forget(table: dict[str, Any], pk: Any, sk: Any) -> Any:
        with store.lock:
            store.remove_item(table["TableName"], (str(pk), str(sk)))
            return remove_item(table, pk, sk)

    async def handle_as_one(*args: Any, **kwargs: Any) -> Any:
        with store.transaction():  # what TransactWriteItems writes is kept as a whole
            return await handle(*args, **kwargs)

    dynamodb._set_item, dynamodb._remove_item, dynamodb.handle_request = set_and_keep, remove_and_forget, handle_as_one
    dynamodb._local_stack_set_item = set_item


def attach_items(store: DurableStore) -> int:
    """Put the kept items back into the tables that the template made; return how many."""
    count = 0
    for table in dynamodb._tables.all_values():
        for pk, sk, item in store.items(table["TableName"]):
            if sk not in table["items"].get(pk, {}):
                dynamodb._local_stack_set_item(table, pk, sk, item)
                count += 1
    return count


def keep_objects() -> None:
    """From now on keep S3 objects as files; not by `S3_PERSIST`, which loads them before there are buckets."""
    s3.S3_PERSIST = True
    # On AWS a bucket sends its test event once. Here it is made at every start, and would start four workers.
    s3._fire_s3_test_event = lambda _bucket_name: None


def attach_objects() -> None:
    """Put the kept objects back into the buckets that the template made."""
    s3._load_persisted_data()


class KeptMessages:
    """Writes every change of an SQS message to a store, before its request is answered."""

    def __init__(self, store: DurableStore) -> None:
        self._store = store
        self._known: dict[str, dict[str, tuple[float, int]]] = {}
        self._position = time.time_ns()

    def keep(self) -> None:
        """From now on write changes, under one lock: the emulator itself changes queues from several threads."""
        sqs._queues_lock = self._store.lock
        for name in ("_receive_messages_for_esm", "_delete_messages_for_esm", "_collect_msgs"):
            setattr(sqs, name, self._then_write(getattr(sqs, name)))
        for action, act in list(sqs._HANDLERS.items()):
            if not inspect.iscoroutinefunction(act):  # ReceiveMessage waits, and changes messages by _collect_msgs
                sqs._HANDLERS[action] = self._then_write(act)
        s3._deliver_event_to_sqs = self._then_write(s3._deliver_event_to_sqs)
        lambda_svc._run_sqs_batch = self._then_retry(lambda_svc._run_sqs_batch)

    def attach(self) -> int:
        """Put the kept messages back into the queues that the template made; return how many."""
        with self._store.transaction():
            count = sum(self._attach_to(queue) for queue in sqs._queues._data.values())
            self._write_changes()
        sqs.esm_wake.set()
        return count

    def _attach_to(self, queue: dict[str, Any]) -> int:
        present = {message["id"] for message in queue["messages"]}
        kept = [message for message in self._store.messages(queue["name"]) if message["id"] not in present]
        for message in kept:
            _make_visible_again(message)
        queue["messages"][:0] = kept
        queue["fifo_seq"] = max([queue["fifo_seq"], *(int(message.get("seq") or 0) for message in kept)])
        return len(kept)

    def _then_write(self, change: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(change)
        def changed(*args: Any, **kwargs: Any) -> Any:
            with self._store.transaction():
                try:
                    return change(*args, **kwargs)
                finally:
                    self._write_changes()

        return changed

    def _then_retry(self, run: Callable[..., None]) -> Callable[..., None]:
        """Let a batch whose worker died come back soon.

        On AWS it stays hidden for its visibility timeout, up to a quarter of an hour; nobody waits so long at a laptop.
        """
        release = self._then_write(_show_again)

        def run_and_release(
            mapping: dict[str, Any], function: Any, event: Any, batch: Any, url: str, name: str
        ) -> None:
            own = {**mapping, "LastProcessingResult": ""}  # batches that run side by side share the mapping
            run(own, function, event, batch, url, name)
            mapping["LastProcessingResult"] = own["LastProcessingResult"]
            if own["LastProcessingResult"] == "FAILED":
                release(batch)

        return run_and_release

    def _write_changes(self) -> None:
        for queue in sqs._queues._data.values():
            known = self._known.setdefault(queue["name"], {})
            if known or queue["messages"]:
                self._write_queue(queue["name"], queue["messages"], known)

    def _write_queue(self, name: str, messages: list[dict[str, Any]], known: dict[str, tuple[float, int]]) -> None:
        for gone in known.keys() - {message["id"] for message in messages}:
            self._store.remove_message(name, gone)
            del known[gone]
        for message in messages:
            mark = (message["visible_at"], message["receive_count"])
            if known.get(message["id"]) != mark:
                self._position += 1
                self._store.put_message(name, message.setdefault("local_stack_position", self._position), message)
                known[message["id"]] = mark


def _show_again(batch: Iterable[dict[str, Any]]) -> None:
    for message in batch:
        message["visible_at"] = min(message["visible_at"], time.time() + RETRY_SECONDS)


def _make_visible_again(message: dict[str, Any]) -> None:
    """Take back a delivery whose receiver ended together with the emulator."""
    if message.get("receive_count") and message["visible_at"] > time.time():
        message["visible_at"] = time.time()
        message["receive_count"] -= 1


def serve_groups_fairly() -> None:
    """From now on let a group with few messages in work go before one with many, as fair queues of SQS do.

    SQS does so on any standard queue whose messages have a `MessageGroupId`; the emulator keeps the id and does not
    look at it. Messages without one are served in their order, like those of a group that has nothing in work.
    """
    collect = sqs._collect_msgs

    def collect_fairly(q: dict[str, Any], max_n: int, vis_timeout: int) -> list[dict[str, Any]]:
        if q["is_fifo"]:
            return list(collect(q, max_n, vis_timeout))
        return list(collect({**q, "messages": list(islice(_in_turn(q["messages"]), max_n))}, max_n, vis_timeout))

    sqs._collect_msgs = collect_fairly


def work_on_groups_side_by_side() -> None:
    """From now on let a FIFO queue's reader work on several groups at a time, as Lambda does.

    The emulator works on one message of such a queue at a time, because its batches span groups. Batches of one
    message do not, and it keeps back the messages of a group that has one in work.
    """
    concurrency = lambda_svc._sqs_esm_concurrency

    def concurrency_by_groups(
        esm: dict[str, Any], func_rec: dict[str, Any], config: dict[str, Any], queue: dict[str, Any] | None = None
    ) -> int:
        return int(concurrency(esm, func_rec, config, None if esm.get("BatchSize") == 1 else queue))

    lambda_svc._sqs_esm_concurrency = concurrency_by_groups


def _in_turn(messages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the messages that wait, each time the oldest of the group with the fewest in work."""
    now = time.time()
    in_work: Counter[str] = Counter()
    waiting: defaultdict[str, deque[dict[str, Any]]] = defaultdict(deque)
    for message in messages:
        group = message.get("group_id") or ""
        if message.get("visible_at", 0) <= now:
            waiting[group].append(message)
        elif group and message.get("receive_count"):
            in_work[group] += 1
    while waiting:
        group = min(waiting, key=in_work.__getitem__)
        in_work[group] += bool(group)
        yield waiting[group].popleft()
        if not waiting[group]:
            del waiting[group]


def log_functions(sink: LogSink) -> None:
    """Send what functions print to a sink line by line, instead of piling it up in memory as CloudWatch Logs."""

    def read_stderr(worker: Any) -> None:
        for line in worker._proc.stderr:
            sink(worker.func_name, line.rstrip("\n"))

    def log_run(func: dict[str, Any], _id: str, text: str, error: bool, duration_ms: int, **_: Any) -> None:
        name = func.get("config", func)["FunctionName"]
        for line in [*text.splitlines(), f"{'failed' if error else 'ran'} for {duration_ms} ms"]:
            sink(name, line)

    lambda_runtime.Worker._read_stderr = read_stderr
    # The emulator waits 50 ms for the first line of a function that prints nothing; no line comes this way any more.
    lambda_runtime.Worker._drain_stderr_bounded = lambda _worker, *_: ""
    lambda_svc._emit_lambda_logs = log_run
    lambda_svc._emit_lambda_metrics = lambda *_, **__: None


def let_workers_die_with_emulator() -> None:
    """Make the processes that run functions end within a second of the emulator, even in the middle of one."""
    script = lambda_runtime._PYTHON_WORKER_SCRIPT
    if not script.rstrip().endswith("run()"):
        raise StackFailure(f"ministack {EMULATOR_VERSION} is not as expected: its worker script ends otherwise")
    lambda_runtime._PYTHON_WORKER_SCRIPT = _DIE_WITH_EMULATOR + script


def warm(functions: Iterable[str]) -> None:
    """Start one worker for each of the functions, one after the other, so that its first call does not wait."""
    known = {function["config"]["FunctionName"]: function for function in lambda_svc._functions._data.values()}
    for name in functions:
        config = known[name]["config"]
        worker, _ = lambda_runtime.acquire_worker(name, config, known[name]["code_zip"])
        try:
            lambda_runtime.ensure_spawned(worker)
        finally:
            lambda_runtime.release_worker(worker)


def worker_pids() -> dict[str, list[int]]:
    """Return the processes that run functions, by function name."""
    found: dict[str, list[int]] = {}
    for worker in [worker for pool in list(lambda_runtime._workers.values()) for worker in pool]:
        process = worker._proc
        if process is not None and process.poll() is None:
            found.setdefault(worker.func_name, []).append(process.pid)
    return found


def end_workers() -> None:
    """End all processes that run functions."""
    lambda_runtime.reset()
