"""What a word is."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.words import count_words, question_words, separate_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The PUMP starts, at 40.5 °C!", "the pump starts at 40 5 c"),
        ("foo_bar e-mail@host", "foo bar e mail host"),
        ("锅炉启动", "锅炉 炉启 启动"),
        ("水", "水"),
        ("用GPU显卡2024年", "用 gpu 显卡 2024 年"),
        ("ｶﾞﾗｽ と ガラス", "ガラ ラス と ガラ ラス"),
        ("GPU한국어", "gpu 한국 국어"),
        ("हिन्दी cafe\u0301", "हिन्दी cafe\u0301"),
        ("İSTANBUL ΟΔΟΣ", "istanbul οδοσ"),
        ("ไทยabc", "ไทย abc"),
        ("a\u200bb soft\u00adhyphen 葛\ufe00城", "ab softhyphen 葛城"),
        ("ＡＢＣ１２", "abc12"),
        ("😀 — “…”", ""),
    ],
)
def test_text_is_parted_into_words(text: str, words: str) -> None:
    ascii_separators = {code: " " for code in range(128) if not chr(code).isalnum()}
    assert separate_words(text).lower().translate(ascii_separators).split() == words.split()


def test_text_in_ascii_is_left_as_it_is() -> None:
    text = "Any (ASCII) text_42\n"
    assert separate_words(text) is text


def test_question_has_each_word_once_without_stop_words() -> None:
    assert question_words("What is the PUMP of the pump-house? 什么是水泵") == ["pump", "house", "是水", "水泵"]


@pytest.mark.parametrize("text", ["", "?!", "the of and", "\u0301", "\x00\x1f"])
def test_question_without_words_has_none(text: str) -> None:
    assert question_words(text) == []


def test_long_question_keeps_its_beginning_and_its_end() -> None:
    words = question_words(" ".join(f"w{number}" for number in range(1000)))
    assert (len(words), words[0], words[-1]) == (256, "w0", "w999")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("call getUserName(uid)", "call getusername get user name uid"),
        ("HTTPServerFactory", "httpserverfactory http server factory"),
        ("parseXMLDocument", "parsexmldocument parse xml document"),
        ("sha256Hash utf8", "sha256hash sha256 hash utf8"),
        ("delete_stale_sessions", "delete stale sessions"),
        ("PDFs GHz TK6100A 4K A4 NASA Hello", "pdfs ghz tk6100a 4k a4 nasa hello"),
        ("读取getUserName方法", "读取 getusername get user name 方法"),
        ("naïveBayes", "naïvebayes naïve bayes"),
    ],
)
def test_an_identifier_is_its_parts_too(text: str, words: str) -> None:
    assert b" ".join(words_of(text)).decode() == words


def test_the_parts_of_identifiers_make_no_text_longer() -> None:
    assert count_words("call getUserName(uid)") == 3


def test_a_question_of_an_identifier_asks_for_its_parts_too() -> None:
    assert question_words("Where is getUserName?") == ["getusername", "get", "user", "name"]
