"""What a file may cost: time by its progress, and memory in all."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Iterator

import pytest

from knowledge_base.adapters.parsing.sandbox.limits import Limits
from knowledge_base.adapters.parsing.sandbox.parser import SandboxedDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.settings import MEGABYTE
from tests.unit.parsing.files import PROSE, a_zip, p, part, relations
from tests.unit.parsing.memory import PeakMemory
from tests.unit.parsing.parsers import Obedient
from tests.unit.parsing.pdf_files import a_stream, from_objects, with_content
from tests.unit.parsing.progressing import STEP, Progressing

MOST = 600 * MEGABYTE


@pytest.fixture
def sandbox() -> Iterator[SandboxedDocumentParser]:
    parser = SandboxedDocumentParser(Progressing, limits=Limits(seconds=3 * STEP, most_seconds=8 * STEP))
    yield parser
    parser.close()


@pytest.fixture(scope="module")
def real() -> Iterator[SandboxedDocumentParser]:
    parser = SandboxedDocumentParser()
    parser.parse(b"warm", name="a.txt")
    yield parser
    parser.close()


def failure_code(sandbox: SandboxedDocumentParser, content: bytes, name: str = "a") -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        sandbox.parse(content, name=name)
    return caught.value.code


def test_long_file_that_gets_on_is_read_to_its_end(sandbox: SandboxedDocumentParser) -> None:
    assert sandbox.parse(b"steady", name="a").text == "read to the end"


def test_file_that_gets_on_too_slowly_is_given_up_as_early_as_one_that_does_not(
    sandbox: SandboxedDocumentParser,
) -> None:
    began = time.monotonic()
    assert failure_code(sandbox, b"slow") is FailureCode.TOO_COMPLEX
    assert time.monotonic() - began < 6 * STEP


def test_no_progress_is_worth_more_than_the_time_there_is_in_all(sandbox: SandboxedDocumentParser) -> None:
    began = time.monotonic()
    assert failure_code(sandbox, b"boastful") is FailureCode.TOO_COMPLEX
    assert 7 * STEP < time.monotonic() - began < 14 * STEP


def test_time_earned_by_one_file_is_not_left_to_the_next(sandbox: SandboxedDocumentParser) -> None:
    sandbox.parse(b"steady", name="a")
    assert failure_code(sandbox, b"slow") is FailureCode.TOO_COMPLEX


def test_memory_taken_bit_by_bit_is_bounded_with_that_of_the_process_that_forks(
    sandbox: SandboxedDocumentParser,
) -> None:
    sandbox.parse(b"short", name="a")
    with PeakMemory() as peak:
        assert failure_code(sandbox, b"greedy") is FailureCode.TOO_COMPLEX
    assert 300 * MEGABYTE < peak.bytes < MOST


def test_content_counts_in_the_memory_that_a_file_may_take(sandbox: SandboxedDocumentParser) -> None:
    """Whoever reads the content holds it, and what it makes of it besides."""
    with PeakMemory() as peak:
        failure_code(sandbox, b"x" * 50 * MEGABYTE)
        assert failure_code(sandbox, b"greedy") is FailureCode.TOO_COMPLEX
    assert peak.bytes < MOST


def a_document_bomb() -> bytes:
    """A DOCX of 300 KB whose main part unpacks to 300 MB."""
    main = part("document", f"<w:body>{p('x')}").removesuffix("</w:document>").encode()
    return a_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": main + b"<w:p/>" * 50_000_000 + b"</w:body></w:document>",
        }
    )


def an_inflating_pdf() -> bytes:
    """A PDF of some KB with a page of 700 MB."""
    once = zlib.compressobj(1)
    packed = b"".join(once.compress(b" " * MEGABYTE) for _ in range(700)) + once.flush()
    return from_objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>",
        a_stream(zlib.compress(packed, 9), b"/Filter[/FlateDecode/FlateDecode]"),
    )


def a_pdf_of_forms_within_forms() -> bytes:
    """A PDF whose page draws a form ten times that draws a form ten times, nine deep."""
    depth = 9
    forms = [
        a_stream(
            b"/X Do " * 10 if level < depth else b"BT /F 1 Tf (lol) Tj ET",
            b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>/XObject<</X %d 0 R>>>>"
            % (6 + level),
        )
        for level in range(1, depth + 1)
    ]
    return from_objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        a_stream(b"/X Do"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *forms,
    )


def a_pdf_of_millions_of_words() -> bytes:
    return with_content(b"BT /F 10 Tf 10 10 Td " + b"(hello world) Tj 0 1 Td " * 3_000_000)


@pytest.mark.parametrize(
    "make",
    [
        a_document_bomb,
        an_inflating_pdf,
        a_pdf_of_forms_within_forms,
        a_pdf_of_millions_of_words,
    ],
)
def test_bomb_is_refused_within_thirty_seconds_and_six_hundred_megabytes(
    real: SandboxedDocumentParser, make: Callable[[], bytes]
) -> None:
    content = make()
    began = time.monotonic()
    with PeakMemory() as peak:
        assert failure_code(real, content) is FailureCode.TOO_COMPLEX
    assert time.monotonic() - began < 30
    assert peak.bytes < MOST
    assert real.parse(PROSE.encode(), name="a.txt").text == PROSE


def test_small_file_is_ready_in_five_seconds_while_another_stands_still() -> None:
    busy = SandboxedDocumentParser(Obedient, limits=Limits(seconds=4))
    other = SandboxedDocumentParser()
    hanging = threading.Thread(target=lambda: failure_code(busy, b"spin"))
    hanging.start()
    began = time.monotonic()
    assert other.parse(PROSE.encode(), name="a.txt").text == PROSE
    assert time.monotonic() - began < 5
    hanging.join()
    busy.close()
    other.close()
