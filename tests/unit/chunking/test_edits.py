"""An edit changes the chunks around it, and no others: those whose text stays need no new embedding."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

chunker = TextChunker()
CONFIGS = {
    strategy: ChunkingConfig(strategy, *((1000, 200) if strategy is ChunkingStrategy.OVERLAPPING else (512, 64)))
    for strategy in ChunkingStrategy
}


def words(numbers: random.Random, count: int) -> str:
    return " ".join("".join(numbers.choices("aeinrstlmo", k=numbers.randint(2, 9))) for _ in range(count)).capitalize()


def paragraph(numbers: random.Random) -> str:
    return " ".join(f"{words(numbers, numbers.randint(5, 20))}." for _ in range(numbers.randint(2, 7)))


def chinese(numbers: random.Random) -> str:
    return "".join(chr(0x4E00 + numbers.randrange(800)) for _ in range(numbers.randint(60, 300))) + "。"


def definition(numbers: random.Random) -> str:
    name = words(numbers, 2).replace(" ", "_")
    return f"def {name}(a, b):\n" + "".join(
        f"    a += {numbers.randrange(999)} * b\n" for _ in range(numbers.randint(3, 20))
    )


MAKERS = {
    "paragraphs": (paragraph, "\n\n"),
    "lines": (paragraph, "\n"),
    "chinese": (chinese, "\n\n"),
    "sections": (lambda numbers: f"## {words(numbers, 3)}\n\n{paragraph(numbers)}\n\n{paragraph(numbers)}", "\n\n"),
    "code": (definition, "\n\n"),
}


def texts_of(kind: str, strategy: ChunkingStrategy, text: str) -> list[str]:
    spans = (Span(SpanKind.CODE, 0, len(text)),) if kind == "code" else find_spans(text)
    parsed = ParsedDocument(text, "text/x-python" if kind == "code" else "text/markdown", spans)
    return [chunk.text for chunk in chunker.split(parsed, CONFIGS[strategy], document_id="d", ordinal=1)]


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("strategy", list(ChunkingStrategy))
def test_nine_chunks_in_ten_outlive_an_edit_in_the_middle(kind: str, strategy: ChunkingStrategy) -> None:
    numbers = random.Random(11)
    make, joint = MAKERS[kind]
    parts = [make(numbers) for _ in range(360 if kind != "sections" else 140)]
    before = set(texts_of(kind, strategy, joint.join(parts)))
    kept = []
    for _ in range(12):
        place = numbers.randrange(len(parts) // 4, 3 * len(parts) // 4)
        edited = [*parts[:place], make(numbers), *parts[place + numbers.randrange(2) :]]
        after = texts_of(kind, strategy, joint.join(edited))
        kept.append(sum(text in before for text in after) / len(after))
    assert sum(kept) / len(kept) >= 0.9


@pytest.mark.parametrize("kind", ["paragraphs", "lines", "chinese"])
def test_an_edit_of_a_paragraph_costs_two_or_three_windows_of_characters_and_hardly_ever_more(kind: str) -> None:
    numbers = random.Random(7)
    make, joint = MAKERS[kind]
    costs = []
    for _ in range(40):
        parts = [make(numbers) for _ in range(60)]
        place = numbers.randrange(len(parts))
        edited = [*parts[:place], make(numbers), *parts[place + numbers.randrange(2) :]]
        before = set(texts_of(kind, ChunkingStrategy.OVERLAPPING, joint.join(parts)))
        after = texts_of(kind, ChunkingStrategy.OVERLAPPING, joint.join(edited))
        costs.append(sum(text not in before for text in after))
    assert sum(costs) / len(costs) <= 2.5
    assert sum(cost > 3 for cost in costs) <= len(costs) / 20


def test_windows_of_characters_overlap_as_asked_for_and_end_at_paragraphs_or_full() -> None:
    numbers = random.Random(5)
    text = "\n\n".join(paragraph(numbers) for _ in range(100))
    parsed = ParsedDocument(text, "text/plain")
    chunks = list(chunker.split(parsed, CONFIGS[ChunkingStrategy.OVERLAPPING], document_id="d", ordinal=1))
    assert {before.end - after.start for before, after in pairwise(chunks)} == {200}
    assert sum(len(chunk.text) for chunk in chunks) / len(chunks) > 600
    assert all(len(chunk.text) == 1000 or text[: chunk.end].endswith("\n\n") for chunk in chunks[:-1])
