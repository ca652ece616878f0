"""What a batch of a thousand documents costs its sender and another tenant, on the local stack."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from infra.local.ports import free_port
from infra.local.stack import running_stack
from tests.e2e.client import Client
from tests.e2e.files import text_file
from tests.e2e.outside import Outside, outside_world

MANY = 1000
SINGLES = 5
UNDER_WAY = 5
"""Seconds after which all stages have something to do."""


def report() -> None:
    """Print the table, each row as soon as it is known."""
    with outside_world() as outside, tempfile.TemporaryDirectory() as folder:
        settings = {"KB_PORT": str(free_port()), "KB_FETCH_ALLOW_HOSTS": outside.host}
        print(f"\n## {MANY} documents in one call, and single ones of another tenant\n\n| what | |\n|---|---|")
        with running_stack(Path(folder), settings) as stack:
            many = Client(stack)
            single = Client(stack, many.key_of("other"))
            alone = [_single(single, outside, f"alone-{number}") for number in range(SINGLES)]
            _row("another tenant's single document, alone (median)", f"{statistics.median(alone):.2f} s")
            _beside_a_batch(many, single, outside)


def _beside_a_batch(many: Client, single: Client, outside: Outside) -> None:
    documents = [outside.page(f"many-{number}.txt", text_file(number), "txt") for number in range(MANY)]
    begin = time.perf_counter()
    many.import_documents(documents, "many", outside.notify_url)
    _row(f"{MANY} documents, until they are accepted", f"{time.perf_counter() - begin:.2f} s")
    _row("of these to be seen in `GET /ingestions` right after it", str(sum(1 for _ in many.ingestions("many"))))
    time.sleep(UNDER_WAY)
    beside = [_single(single, outside, f"beside-{number}") for number in range(SINGLES)]
    _row(f"a single document while the {MANY} are under way (median)", f"{statistics.median(beside):.2f} s")
    _row("the slowest of them", f"{max(beside):.2f} s")
    outside.wait_for({document["name"] for document in documents}, seconds=3600)
    _row(f"the {MANY}, until the last is told", f"{time.perf_counter() - begin:.0f} s")


def _row(what: str, figure: str) -> None:
    print(f"| {what} | {figure} |", flush=True)


def _single(client: Client, outside: Outside, name: str) -> float:
    """Import one document and return the seconds from sending it until it is told."""
    page = outside.page(f"{name}.txt", text_file(7000 + len(outside.pages)), "txt")
    begin = time.perf_counter()
    client.import_documents([page], "singles", outside.notify_url)
    outside.wait_for({page["name"]}, seconds=1800)
    return time.perf_counter() - begin
