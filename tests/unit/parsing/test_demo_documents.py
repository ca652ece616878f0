"""The sample documents answer the sample questions, each in one place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from infra.local.demo import make_documents
from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

QUESTIONS: list[dict[str, Any]] = json.loads(
    (Path(make_documents.__file__).parent / "questions.json").read_text(encoding="utf-8")
)
DOCUMENTS: dict[str, ParsedDocument] = {
    file.name: LibraryDocumentParser().parse(file.read_bytes(), name=file.name)
    for file in sorted(make_documents.FOLDER.iterdir())
}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["document"])
def test_answer_stands_in_the_document_and_on_the_page_that_are_named(question: dict[str, Any]) -> None:
    parsed = DOCUMENTS[question["document"]]
    pages = [
        span.number for span in parsed.spans_of(SpanKind.PAGE) if question["must"] in parsed.text[span.start : span.end]
    ]
    assert question["must"] in parsed.text
    assert pages == ([question["page"]] if question["page"] else [])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["document"])
def test_answer_stands_in_no_other_document(question: dict[str, Any]) -> None:
    assert [name for name, parsed in DOCUMENTS.items() if question["must"] in parsed.text] == [question["document"]]


def test_every_document_has_a_question_and_is_small() -> None:
    assert {question["document"] for question in QUESTIONS} == set(DOCUMENTS)
    assert all(file.stat().st_size < 60_000 for file in make_documents.FOLDER.iterdir())


def test_documents_are_those_that_the_script_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_documents, "FOLDER", tmp_path)
    make_documents.main()
    written = {
        file.name: LibraryDocumentParser().parse(file.read_bytes(), name=file.name) for file in tmp_path.iterdir()
    }
    assert written == DOCUMENTS
