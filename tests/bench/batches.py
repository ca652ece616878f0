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


def report() -> None:
    """Print the table."""
    with outside_world() as outside, tempfile.TemporaryDirectory() as folder:
        settings = {"KB_PORT": str(free_port()), "KB_FETCH_ALLOW_HOSTS": outside.host}
        with running_stack(Path(folder), settings) as stack:
            many = Client(stack)
            single = Client(stack, many.key_of("other"))
            single_alone = [_single(single, outside, f"alone-{number}") for number in range(SINGLES)]
            documents = [outside.page(f"many-{number}.txt", text_file(number), "txt") for number in range(MANY)]
            begin = time.perf_counter()
            many.import_documents(documents, "many", outside.notify_url)
            accepted = time.perf_counter() - begin
            seen = sum(1 for _ in many.ingestions("many"))
            single_beside = [_single(single, outside, f"beside-{number}") for number in range(SINGLES)]
            outside.wait_for({document["name"] for document in documents}, seconds=1800)
            ended = time.perf_counter() - begin
    print(f"\n## {MANY} documents in one call, and a single one of another tenant\n")
    print("| what | |\n|---|---|")
    print(f"| {MANY} documents, until they are accepted | {accepted:.2f} s |")
    print(f"| of these to be seen in `GET /ingestions` right after it | {seen} |")
    print(f"| until the last of them is told | {ended:.0f} s |")
    print(
        f"| another tenant's single document, alone (median of {SINGLES}) | {statistics.median(single_alone):.2f} s |"
    )
    print(f"| the same while the {MANY} are under way (median) | {statistics.median(single_beside):.2f} s |")
    print(f"| the slowest of them | {max(single_beside):.2f} s |")


def _single(client: Client, outside: Outside, name: str) -> float:
    """Import one document and return the seconds from sending it until it is told."""
    page = outside.page(f"{name}.txt", text_file(7000 + len(outside.pages)), "txt")
    begin = time.perf_counter()
    client.import_documents([page], "singles", outside.notify_url)
    outside.wait_for({page["name"]}, seconds=1800)
    return time.perf_counter() - begin
