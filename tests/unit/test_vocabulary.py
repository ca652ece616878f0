"""What questions ask about, and whether a text has it."""

from __future__ import annotations

import pytest

from knowledge_base.services.vocabulary import matches, question_words, script_of, words_of


def test_words_that_say_nothing_are_not_asked_about() -> None:
    assert question_words("What is the price of the pump?") == question_words("price pump")
    assert question_words("请问水泵的价格是多少？") == ["水泵", "价格"]
    assert question_words("How do you do?") == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When does it start?", "It started at noon."),
        ("prices", "The price is 5."),
        ("charging", "It charges slowly."),
        ("policy", "All policies apply."),
        ("ERR-4711", "Code err-4711 means overload."),
        ("4711", "Code ERR-4711 means overload."),
        ("ＡＢＣ１２３", "model abc123"),
        ("水泵", "离心水泵已启动"),
        ("水泵的启动温度", "启动温度为四十度"),
        ("目的是什么", "其目的在于安全"),
        ("起動温度は何度ですか", "起動温度は40度です"),
        ("시작 온도", "시작 온도는 40도"),
        ("Straße", "STRASSE"),
        ("Where is the user name fetched?", "def getUserName(self): ..."),
        ("what does getUserName return", "def getUserName(self): ..."),
    ],
)
def test_a_word_is_found_in_its_other_forms(question: str, text: str) -> None:
    assert matches(question_words(question), words_of(text))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("asdkjh qwelkj", "The pump starts at 40 degrees."),
        ("What is it and how?", "What it is and how it is."),
        ("什么是这个？", "这个是什么"),
        ("今天天气怎么样", "天天检查水泵"),
        ("？！", "？！"),
        ("", "anything"),
    ],
)
def test_what_shares_no_word_that_says_something_does_not_match(question: str, text: str) -> None:
    assert not matches(question_words(question), words_of(text))


@pytest.mark.parametrize(
    ("text", "script"),
    [("The pump", "LATIN"), ("水泵 ABC 启动温度", "HAN"), ("ポンプの起動", "KANA"), ("펌프", "HANGUL"), ("123", "")],
)
def test_a_text_is_in_the_script_of_most_of_its_letters(text: str, script: str) -> None:
    assert script_of(text) == script
