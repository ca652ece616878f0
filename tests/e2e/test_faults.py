"""Whatever is killed, repeated or changed in the middle: every document ends, with one set of chunks."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from infra.local.stack import RunningStack
from knowledge_base.adapters.aws.s3_events import created_event
from tests.e2e.client import Behind, Client
from tests.e2e.files import fact, text_file
from tests.e2e.outside import Outside

KILLED = ("fetch", "parse", "chunk", "embed", "publish")


def long_file(number: int) -> bytes:
    paragraphs = [f"Paragraph {n} of file {number} is about valve {n}, and says little." for n in range(60)]
    return "\n\n".join([*paragraphs, fact(number)]).encode()


def test_the_same_event_three_times_in_parallel_gives_one_set_of_chunks(
    client: Client, behind: Behind, outside: Outside
) -> None:
    client.import_documents([outside.page("thrice.txt", text_file(61), "txt")], "thrice", outside.notify_url)
    outside.wait_for({"thrice.txt"}, seconds=30)
    before = client.stored_answer(client.ask("locker of engineer 61", "thrice").token)["references"]
    cited = before[0]
    for stage, queue in (("uploads", "parse"), ("parsed", "chunk")):
        event = created_event(behind.bucket, f"{stage}/default/{cited['document_id']}/{cited['ordinal']}")
        messages = [(behind.queue_url(queue), json.dumps(event))] * 3
        with ThreadPoolExecutor(3) as pool:
            list(
                pool.map(lambda message: behind.sqs.send_message(QueueUrl=message[0], MessageBody=message[1]), messages)
            )
    behind.wait_until_quiet()
    after = client.stored_answer(client.ask("locker of engineer 61", "thrice").token)["references"]
    assert after == before


def test_no_answer_mixes_two_versions_of_a_document_that_is_updated_meanwhile(
    client: Client, stack: RunningStack, outside: Outside
) -> None:
    def version(number: int) -> bytes:
        return "\n\n".join(f"Valve {n} has the setting {number}." for n in range(40)).encode()

    client.import_documents([outside.page("valves.txt", version(1), "txt")], "updated", outside.notify_url)
    outside.wait_for({"valves.txt"}, seconds=30)
    answers: list[str] = []
    stop = threading.Event()

    def keep_asking() -> None:
        mine = Client(stack)
        while not stop.is_set():
            answers.append(mine.ask("Which setting has valve 7?", "updated").text)

    asking = [threading.Thread(target=keep_asking) for _ in range(2)]
    for thread in asking:
        thread.start()
    for number in (2, 3):
        _wait_for_more(answers)
        document = outside.page("valves.txt", version(number), "txt")
        client.import_documents([document], "updated", outside.notify_url)
        outside.wait_for_version("valves.txt", document["md5"], seconds=60)
    last = client.ask("Which setting has valve 7?", "updated").text
    stop.set()
    for thread in asking:
        thread.join()
    seen = [{number for number in "123" if f"setting {number}." in text} for text in [*answers, last]]
    assert all(len(numbers) == 1 for numbers in seen)
    assert seen[0] == {"1"}
    assert seen[-1] == {"3"}


def _wait_for_more(answers: list[str], more: int = 4, seconds: float = 60) -> None:
    """Wait until so many more questions have been answered: two may have been under way before."""
    wanted, until = len(answers) + more, time.monotonic() + seconds
    while len(answers) < wanted:
        assert time.monotonic() < until, "the questions are not answered"
        time.sleep(0.02)


def test_a_receiver_that_refuses_at_first_is_told_in_the_end(client: Client, outside: Outside) -> None:
    outside.refusals = 2
    client.import_documents([outside.page("refused.txt", b"Refused.", "txt")], "refused", outside.notify_url)
    assert outside.wait_for({"refused.txt"}, seconds=40)["refused.txt"]["status"] == 200


@pytest.mark.timeout(300)
def test_documents_whose_functions_are_killed_in_the_middle_still_end_ready_within_four_minutes(
    client: Client, stack: RunningStack, behind: Behind, outside: Outside
) -> None:
    for number, function in enumerate(KILLED):
        stack.freeze_worker(function)
        document = outside.page(f"killed-{function}.txt", long_file(number), "txt")
        client.import_documents([document], f"killed-{function}", outside.notify_url)
        behind.wait_until_at_work(function)
        assert stack.kill_worker(function) > 0
    told = outside.wait_for({f"killed-{function}.txt" for function in KILLED}, seconds=240, every=behind.sweep)
    assert {document["message"] for document in told.values()} == {"OK"}
    for number, function in enumerate(KILLED):
        answer = client.ask(f"Which code opens the locker of engineer number {number}?", f"killed-{function}")
        assert fact(number) in answer.text
    assert behind.unfinished_versions() == []


@pytest.mark.timeout(180)
def test_after_everything_was_killed_what_was_ready_still_answers(
    client: Client, stack: RunningStack, outside: Outside
) -> None:
    client.import_documents([outside.page("durable.txt", text_file(71), "txt")], "durable", outside.notify_url)
    outside.wait_for({"durable.txt"}, seconds=30)
    before = client.ask("Which code opens the locker of engineer number 71?", "durable")
    stack.kill_everything()
    stack.restart()
    after = Client(stack).ask("Which code opens the locker of engineer number 71?", "durable")
    assert fact(71) in after.text
    assert (after.text, after.references) == (before.text, before.references)
