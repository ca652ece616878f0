"""Tokens are counted as the embedding models of OpenAI count them."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.adapters.chunking.tokens import count_each, length_of_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        ("<|endoftext|>", 7),
    ],
)
def test_count_is_that_of_cl100k_base(text: str, tokens: int) -> None:
    assert TextChunker().count_tokens(text) == tokens


def test_lone_surrogate_is_counted_and_not_refused() -> None:
    assert count_each(["a\ud800b", "ab"])[0] > 0


@pytest.mark.parametrize(
    ("text", "limit", "length"), [("hello world", 1, 5), ("hello world", 9, 11), ("🧠", 1, 0), ("", 3, 0)]
)
def test_beginning_of_some_tokens_is_never_cut_in_a_character(text: str, limit: int, length: int) -> None:
    assert length_of_tokens(text, limit) == length
