"""What is searched for when a question rests on the turns before it."""

from __future__ import annotations

import pytest

from knowledge_base.domain.answers import Message, Question
from knowledge_base.domain.errors import ChatUnavailable
from knowledge_base.services.condensing import Condensing
from tests.fakes import FakeChat

PUMP_EN = "How warm must the crankcase heater of the heat pump be?"
PUMP_ZH = "热泵的曲轴箱加热器需要预热多长时间？"


def conversation(*said: str) -> Question:
    roles = ("user", "assistant")
    return Question(tuple(Message(roles[at % 2], text) for at, text in enumerate(said)))


@pytest.mark.parametrize(
    ("before", "follow_up"),
    [
        (PUMP_EN, "And in winter?"),
        (PUMP_EN, "Why?"),
        (PUMP_EN, "Who has to switch it on before the compressor may run?"),
        (PUMP_EN, "What about the oil of the second compressor stage?"),
        (PUMP_ZH, "冬天呢？"),
        (PUMP_ZH, "那么它在哪里可以关闭和检查？"),
        (PUMP_ZH, "该部件由哪家供应商的工程师负责更换和保养？"),
    ],
)
def test_without_a_model_the_question_before_stands_in_front_of_a_follow_up(before: str, follow_up: str) -> None:
    searched = Condensing(None).stand_alone(conversation(before, "Four hours.", follow_up))
    assert searched == f"{before}\n{follow_up}"


@pytest.mark.parametrize(
    "text",
    [
        "Which form is needed for travel expenses above the limit?",
        "出差住宿费超出标准的部分由谁承担并如何报销？",
    ],
)
def test_a_question_that_stands_by_itself_stays_as_it_is(text: str) -> None:
    assert Condensing(FakeChat(["never asked"])).stand_alone(conversation(PUMP_EN, "Four hours.", text)) == text


@pytest.mark.parametrize("text", ["Why?", "它呢？", "", "???"])
def test_a_first_question_has_nothing_to_rest_on(text: str) -> None:
    assert Condensing(None).stand_alone(conversation(text)) == text


def test_with_a_model_the_follow_up_is_rewritten() -> None:
    chat = FakeChat(["How warm must the heater ", "be in winter?"])
    searched = Condensing(chat).stand_alone(conversation(PUMP_EN, "Four hours.", "And in winter?"))
    assert searched == "How warm must the heater be in winter?"
    assert PUMP_EN in chat.asked[0][-1].content


@pytest.mark.parametrize(
    "pieces", [[ChatUnavailable("down")], ["begun", ChatUnavailable("broke off")], [""], ["x" * 2000]]
)
def test_a_model_that_fails_or_talks_does_not_keep_the_question_from_being_searched(
    pieces: list[str | Exception],
) -> None:
    searched = Condensing(FakeChat(pieces)).stand_alone(conversation(PUMP_EN, "Four hours.", "And in winter?"))
    assert searched == f"{PUMP_EN}\nAnd in winter?"


def test_a_very_long_turn_before_is_not_carried_whole() -> None:
    searched = Condensing(None).stand_alone(conversation("word " * 5000, "Yes.", "And in winter?"))
    assert len(searched) < 1_100
