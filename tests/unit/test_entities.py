"""What a text names."""

from __future__ import annotations

import pytest

from knowledge_base.services.entities import MOST_ENTITIES, entities_of, shared_entities


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The pump TK-6100 and ISO9001 apply.", {"TK-6100", "ISO9001"}),
        ("Call getUserName or max_retries.", {"getUserName", "max_retries"}),
        ("It was written by Anna Berg for the IAEA.", {"Anna Berg", "IAEA"}),
        ("When it rains, Otto stays.", {"Otto"}),
        ("《质量手册》规定了检查。", {"质量手册"}),
        ("冷却系统启动。冷却系统停止。检查冷却系统。", {"冷却系统"}),
        ("there is nothing here.", set()),
        ("", set()),
    ],
)
def test_names_codes_identifiers_titles_and_repeated_terms_are_entities(text: str, names: set[str]) -> None:
    assert set(entities_of([text])) == names


def test_what_is_named_more_often_weighs_more_and_the_heaviest_are_kept() -> None:
    weights = entities_of([f"AB-{number} " * (number + 1) for number in range(60)])
    assert len(weights) == MOST_ENTITIES
    assert list(weights.values()) == sorted(weights.values(), reverse=True)
    assert "AB-59" in weights and "AB-0" not in weights


def test_an_entity_is_shared_as_a_whole_word_whatever_its_case() -> None:
    assert shared_entities(["TK-61", "Anna Berg", "冷却系统"], "tk-6100, ANNA BERG; 主冷却系统") == [
        "Anna Berg",
        "冷却系统",
    ]


def test_a_long_text_without_spaces_is_read_in_time() -> None:
    assert entities_of(["传热" * 50_000, "a" * 200_000, "A" * 200_000, "_" * 100_000, "A " * 100_000]) is not None
