"""Cutting text into sentences, in any script."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_base.services.sentences import LONGEST, split_sentences


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It starts. It stops! Really? Yes", ["It starts.", "It stops!", "Really?", "Yes"]),
        ("水泵启动。压力过低时停止！为什么？", ["水泵启动。", "压力过低时停止！", "为什么？"]),
        ("他说：“安全第一。”然后离开。", ["他说：“安全第一。”", "然后离开。"]),
        ('He said "Stop!" Then he left.', ['He said "Stop!"', "Then he left."]),
        ("准确率85%以上．需要训练．", ["准确率85%以上．", "需要训练．"]),
        ("版本1．5发布。", ["版本1．5发布。"]),
        ("It is 3.5 m. Dr. Smith, e.g. No. 5, knows.", ["It is 3.5 m.", "Dr. Smith, e.g. No. 5, knows."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("J. R. Smith wrote it.", ["J. R. Smith wrote it."]),
        ("See example.com. now", ["See example.com. now"]),
    ],
)
def test_a_full_stop_ends_a_sentence_and_other_dots_do_not(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_headings_list_items_and_table_rows_are_sentences_without_their_marks() -> None:
    text = "# Start-up\n\n- first step\n- second step\n1. third\n• fourth\n| 40 | degrees |\n"

    assert sentences(text) == ["Start-up", "first step", "second step", "third", "fourth", "40 | degrees |"]


def test_a_line_that_was_only_wrapped_reads_on() -> None:
    text = "The pump starts when the temperature of the\nwater reaches 40 degrees. Then it\nstops."

    assert sentences(text)[0] == "The pump starts when the temperature of the\nwater reaches 40 degrees."


def test_a_short_line_does_not_read_on() -> None:
    assert sentences("Contents\nIntroduction\nStart-up") == ["Contents", "Introduction", "Start-up"]


def test_what_has_no_letter_is_no_sentence() -> None:
    assert sentences("---\n\n***\n. . .\n|---|---|\n") == []


def test_what_never_ends_is_cut_at_commas_or_spaces() -> None:
    text = "一段没有句号的文字，" * 100

    pieces = sentences(text)

    assert all(len(piece) <= LONGEST and piece.endswith("，") for piece in pieces)
    assert "".join(pieces) == text


def test_an_unbroken_token_ends_too() -> None:
    assert max(map(len, sentences("x" * 10_000))) <= LONGEST


@given(st.text(alphabet="aB1 .。！?\n-#|，“”水泵 \t\r\u2028", max_size=400))
def test_offsets_are_exact_and_in_order_and_nothing_is_lost(text: str) -> None:
    found = split_sentences(text)

    assert all(text[sentence.start : sentence.end] == sentence.text for sentence in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    kept = sum(sum(map(str.isalpha, sentence.text)) for sentence in found)
    assert kept == sum(map(str.isalpha, text))
