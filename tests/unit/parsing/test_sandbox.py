"""One bad file never takes the worker down."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.sandbox.limits import Limits
from knowledge_base.adapters.parsing.sandbox.parser import SandboxedDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.settings import MEGABYTE
from tests.unit.parsing.files import PROSE, a_docx, a_pdf, p
from tests.unit.parsing.parsers import Obedient, Unstartable


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxedDocumentParser]:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    parser = SandboxedDocumentParser(Obedient, limits=Limits(seconds=1))
    yield parser
    parser.close()


@pytest.fixture(scope="module")
def real() -> Iterator[SandboxedDocumentParser]:
    parser = SandboxedDocumentParser()
    yield parser
    parser.close()


def failure_of(sandbox: SandboxedDocumentParser, deed: str) -> IngestionFailed:
    with pytest.raises(IngestionFailed) as caught:
        sandbox.parse(deed.encode(), name="a")
    return caught.value


@pytest.mark.parametrize("deed", ["hang", "spin", "crash", "exit", "recurse", "eat"])
def test_file_that_takes_the_reader_down_is_too_complex_and_the_next_is_read(
    sandbox: SandboxedDocumentParser, deed: str
) -> None:
    assert failure_of(sandbox, deed).code is FailureCode.TOO_COMPLEX
    assert sandbox.parse(b"hello", name="a").text == "hello"


def test_endless_file_is_given_up_in_time(sandbox: SandboxedDocumentParser) -> None:
    began = time.monotonic()
    failure_of(sandbox, "hang")
    assert time.monotonic() - began < 5


def test_fault_of_the_parser_is_internal_and_tells_nothing(sandbox: SandboxedDocumentParser) -> None:
    failure = failure_of(sandbox, "fail")
    assert failure.code is FailureCode.INTERNAL
    assert "secret" not in failure.message


def test_child_sees_no_credentials(sandbox: SandboxedDocumentParser) -> None:
    assert "AWS_SECRET_ACCESS_KEY" not in sandbox.parse(b"environment", name="a").text


def test_child_holds_few_open_files_however_many_its_parents_hold(sandbox: SandboxedDocumentParser) -> None:
    kept = [os.dup(0) for _ in range(50)]
    try:
        assert len(sandbox.parse(b"descriptors", name="a").text.split()) < 10
    finally:
        for number in kept:
            os.close(number)


def test_child_may_write_no_file(sandbox: SandboxedDocumentParser) -> None:
    assert failure_of(sandbox, "write_file").code in (FailureCode.INTERNAL, FailureCode.TOO_COMPLEX)


def test_output_of_libraries_does_not_disturb_the_replies(sandbox: SandboxedDocumentParser) -> None:
    assert sandbox.parse(b"chatter", name="a").text == "still understood"


def test_long_text_and_odd_name_come_through_whole(sandbox: SandboxedDocumentParser) -> None:
    parsed = sandbox.parse(b"big", name="合同 \ud800.pdf")
    assert parsed.text == "長" * 5_000_000
    assert parsed.title.startswith("合同")


def test_process_that_was_killed_is_started_again(sandbox: SandboxedDocumentParser) -> None:
    process = int(sandbox.parse(b"process", name="a").text)
    os.kill(process, signal.SIGKILL)
    time.sleep(0.1)
    assert sandbox.parse(b"hello", name="a").text == "hello"


def test_parallel_callers_each_get_their_own_answer(real: SandboxedDocumentParser) -> None:
    texts: dict[int, str] = {}

    def read(number: int) -> None:
        texts[number] = real.parse(f"text {number}".encode(), name="a.txt").text

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {number: f"text {number}" for number in range(8)}


def test_process_that_cannot_start_is_no_fault_of_the_file() -> None:
    with pytest.raises(RuntimeError, match="does not start"):
        SandboxedDocumentParser(Unstartable).parse(b"hello", name="a")


def test_parser_that_the_process_could_not_find_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="function of a module"):
        SandboxedDocumentParser(lambda: LibraryDocumentParser())


@pytest.mark.parametrize("content", [a_pdf(PROSE[:60]), a_docx(p(PROSE)), PROSE.encode("utf-16")])
def test_sandboxed_reading_gives_what_direct_reading_gives(real: SandboxedDocumentParser, content: bytes) -> None:
    assert real.parse(content, name="a") == LibraryDocumentParser().parse(content, name="a")


def test_failures_keep_their_code_and_words(real: SandboxedDocumentParser) -> None:
    with pytest.raises(IngestionFailed, match="empty") as caught:
        real.parse(b" ", name="a")
    assert caught.value.code is FailureCode.EMPTY


def test_document_that_needs_too_much_memory_is_too_complex() -> None:
    sandbox = SandboxedDocumentParser(LibraryDocumentParser, limits=Limits(memory=128 * MEGABYTE))
    with pytest.raises(IngestionFailed) as caught:
        sandbox.parse(b"<html><p>many</p>" + b"<p>many words" * 2_000_000, name="a.html")
    sandbox.close()
    assert caught.value.code is FailureCode.TOO_COMPLEX


def test_warm_sandbox_adds_little_time(real: SandboxedDocumentParser) -> None:
    real.parse(b"warm", name="a.txt")
    times = []
    for _ in range(9):
        began = time.perf_counter()
        real.parse(b"words", name="a.txt")
        times.append(time.perf_counter() - began)
    assert sorted(times)[4] < 0.06
