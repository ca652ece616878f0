"""The evaluation through the product's own pipeline, with a model of words in place of the bundled one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge_base.domain.retrieval import SearchMode
from knowledge_base.services.vocabulary import words_of
from tests.eval.bundled_model import CONFIG, BundledEmbedder
from tests.eval.product import Product, filled_product
from tests.eval.question_sets import Passage, Query, QuestionSet
from tests.eval.report import measure
from tests.eval.tables import tables

TWINS = "The boiler is checked every day."
QUESTIONS = QuestionSet(
    "plant",
    (
        Passage("pump", "Pump", "The pump starts at 40 degrees. It stops at 35 degrees."),
        Passage("invoice", "", "Invoices are paid within 30 days."),
        # twins: only their ids can order them
        *(Passage(f"boiler-{number}", "", TWINS) for number in range(4)),
    ),
    (
        Query("q1", "When does the pump start?", ("40 degrees",), {"pump": 1.0}, "word"),
        Query("q2", "Within how many days are invoices paid?", ("30 days",), {"invoice": 1.0}, "word"),
        Query("q3", "How often is the boiler checked?", (), {"boiler-3": 1.0}, "twins"),
    ),
    (Query("u1", "qwrt zxcv", (), {}, "gibberish"),),
)


class WordModel:
    """A text's vector has a place for each word; it counts how many texts it was given."""

    def __init__(self) -> None:
        self.texts = 0

    def encode(self, texts: Sequence[str], is_query: bool) -> list[list[float]]:
        self.texts += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * CONFIG.dimensions
        for word in words_of(text):
            vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % CONFIG.dimensions] = 1.0
        return vector


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> WordModel:
    model = WordModel()
    monkeypatch.setattr(BundledEmbedder, "_model", model)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    return model


@pytest.fixture
def product(model: WordModel, tmp_path: Path) -> Iterator[Product]:
    with filled_product(QUESTIONS, tmp_path / "vectors.sqlite", evidence="0.3") as product:
        yield product


@pytest.mark.parametrize("mode", SearchMode)
def test_a_search_finds_the_passage_in_every_mode(product: Product, mode: SearchMode) -> None:
    assert product.rank("When does the pump start?", mode)[0] == "pump"


def test_an_answer_quotes_its_passage_exactly(product: Product) -> None:
    text, sources = product.answer("When does the pump start?")

    assert "40 degrees" in text
    assert "40 degrees" in sources[0].reference.quote
    assert all(product.is_exact(source) for source in sources)


def test_a_quote_from_another_place_is_not_exact(product: Product) -> None:
    _, (source, *_) = product.answer("When does the pump start?")
    moved = replace(source, reference=replace(source.reference, start=source.reference.start + 1))
    assert not product.is_exact(moved)


def test_a_question_about_nothing_has_no_sources(product: Product) -> None:
    assert product.answer("qwrt zxcv")[1] == []


def test_two_runs_print_the_same_and_embed_once(model: WordModel, tmp_path: Path) -> None:
    printed, embedded = [], []
    for _ in range(2):
        with filled_product(QUESTIONS, tmp_path / "vectors.sqlite", evidence="0.3") as product:
            printed.append(tables(measure(product, QUESTIONS)))
        embedded.append(model.texts)

    assert printed[0] == printed[1]
    assert embedded[0] == embedded[1] > 0
