"""A changed document is embedded only where it changed."""

from __future__ import annotations

import random

import pytest

from tests.unit.dialects.engineering import Caller
from tests.world import World

MOST_EMBEDDED = 3


def manual(seed: int = 0) -> list[str]:
    """The paragraphs of a text of some hundred chunks."""
    chance = random.Random(seed)
    words = ["pump", "valve", "sensor", "pressure", "start", "stop", "check", "replace", "oil", "filter", "the", "of"]

    def paragraph(number: int) -> str:
        said = " ".join(chance.choice(words) for _ in range(chance.randrange(40, 140)))
        return f"Section {number}. {said}."

    return [paragraph(number) for number in range(150)]


LONGER = "This paragraph is new, and as long as it likes to be. " * 9


@pytest.mark.parametrize(
    ("name", "place", "said"),
    [
        ("manual.txt", 70, LONGER),
        ("manual.md", 70, LONGER),
        ("manual.txt", 70, "Short."),
        ("manual.txt", 70, ""),
        ("manual.txt", 0, LONGER),
        ("manual.txt", 149, LONGER),
    ],
    ids=["longer", "markdown", "shorter", "removed", "first", "last"],
)
def test_a_replaced_paragraph_costs_at_most_three_chunks(world: World, name: str, place: int, said: str) -> None:
    ann, paragraphs = Caller(world), manual()
    document_id = ann.store("\n\n".join(paragraphs), name=name)
    assert ann.search("pump", limit=100)["total_results"] >= 100
    embedder = world.stores.embedders.embedder
    embedder.calls.clear()
    changed = "\n\n".join([*paragraphs[:place], *([said] if said else []), *paragraphs[place + 1 :]])
    assert ann("PUT", f"/documents/{document_id}", files={"document": (name, changed)}).status == 200
    world.clock.pass_seconds(1)
    world.run()
    assert ann("GET", f"/documents/{document_id}").body["status"] == "ready"
    embedded = [text for call in embedder.calls for text in call]
    assert len(embedded) <= MOST_EMBEDDED, [text[:60] for text in embedded]
