"""What counts as evidence: how near a passage must be, and what the question's own words in it are worth."""

from __future__ import annotations

import pytest

from knowledge_base.domain.evidence import EvidenceRule, Nearness
from knowledge_base.domain.retrieval import Hit
from knowledge_base.services.evidence import coverage, has_evidence
from knowledge_base.services.vocabulary import question_words, script_of, words_of
from knowledge_base.settings import evidence_rule, read_settings
from tests.builders import a_chunk

PUMP = "Pumps need care. The pump starts at 40 degrees. It stops at 20 degrees."
PUMP_ZH = "水泵在四十度时启动，在二十度时停止。"
RULE = evidence_rule("*=0.74-0.84,HAN=0.80-0.90,MIXED=0.70-0.78")


def is_evidence(question: str, similarity: float | None, text: str = PUMP, rule: EvidenceRule = RULE) -> bool:
    return has_evidence(Hit(a_chunk(text), "kb-1", similarity), rule, question)


def test_a_passage_without_a_word_of_the_question_must_be_the_nearest() -> None:
    assert not is_evidence("At which temperature does it begin to run?", 0.83)
    assert is_evidence("At which temperature does it begin to run?", 0.84)


def test_each_word_of_the_question_in_a_passage_lets_it_be_farther() -> None:
    assert not is_evidence("Which pump has three valves?", 0.80)
    assert is_evidence("Which pump starts?", 0.75)


def test_a_word_alone_is_no_evidence_when_the_passage_is_far() -> None:
    assert not is_evidence("Which pump?", 0.73)


def test_chinese_passages_must_be_nearer_than_english_ones() -> None:
    assert not is_evidence("图书馆星期几闭馆？", 0.88, PUMP_ZH)
    assert is_evidence("水泵何时启动？", 0.88, PUMP_ZH)


def test_passages_in_another_script_than_the_question_have_a_measure_of_their_own() -> None:
    assert is_evidence("水泵何时启动？", 0.79, PUMP)
    assert not is_evidence("水泵何时启动？", 0.77, PUMP)


def test_figures_alone_are_measured_by_the_script_of_the_question() -> None:
    assert not is_evidence("水泵何时启动？", 0.88, "2024 | 17 | 40")
    assert is_evidence("When does it begin to run?", 0.88, "2024 | 17 | 40")


@pytest.mark.parametrize("question", ["What does alarm E57 of the pump mean?", "What does alarm TK-6100 mean?"])
def test_a_neighbour_of_the_thing_that_the_question_names_is_no_evidence(question: str) -> None:
    neighbour = "Alarm E58 of the pump means dirt, alarm TK-6101 means a jam."
    named = neighbour.replace("E58", "E57").replace("6101", "6100")

    assert not is_evidence(question, 0.80, neighbour)
    assert is_evidence(question, 0.80, named)


@pytest.mark.parametrize("question", ["What happened in the 19th century?", "How long is the 5km run?"])
def test_ordinals_and_measures_name_nothing(question: str) -> None:
    assert coverage(question_words(question), words_of("The century of the long run: what happened?")) > 0


@pytest.mark.parametrize("question", ["What is it?", "什么是这个", "?!", ""])
def test_a_question_about_nothing_has_no_evidence(question: str) -> None:
    assert not is_evidence(question, 0.99)


def test_without_a_cosine_a_word_of_the_question_has_to_do() -> None:
    assert is_evidence("Which pump?", None)
    assert not is_evidence("asdkjh qwelkj", None)


def test_under_a_model_that_nobody_measured_everything_near_is_evidence() -> None:
    assert is_evidence("asdkjh", 0.0, rule=EvidenceRule())


def test_one_cosine_alone_is_asked_of_passages_in_every_script_that_hold_no_word() -> None:
    rule = evidence_rule("0.3")

    assert rule == EvidenceRule({"*": Nearness(0.0, 0.3)})
    assert not is_evidence("asdkjh", 0.29, rule=rule)
    assert is_evidence("pump", 0.0, rule=rule)
    assert is_evidence("水泵", 0.31, rule=rule)


@pytest.mark.parametrize("value", ["", " "])
def test_no_setting_is_no_rule(value: str) -> None:
    assert read_settings({"KB_NO_EVIDENCE": value}).evidence == EvidenceRule()


@pytest.mark.parametrize("value", ["high", "HAN=0.8", "HAN=0.8-", "han=0.8-0.9", "0.8-0.9", "83", "1.5", "HAN=0.8-1.2"])
def test_a_rule_that_is_not_written_so_is_refused_and_named(value: str) -> None:
    with pytest.raises(ValueError, match="KB_NO_EVIDENCE"):
        read_settings({"KB_NO_EVIDENCE": value})


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("ShelfKeeper 无法启动", "HAN"),
        ("CoolPilot 显示 E57 是什么故障？", "HAN"),
        ("Which function is behind the button 续借?", "LATIN"),
        ("図書館の休館日は何曜日ですか", "KANA"),
        ("图书馆 カ", "HAN"),
        ("도서관 open", "HANGUL"),
        ("1,2,3", ""),
    ],
)
def test_the_script_of_a_text_is_that_of_most_of_its_words(text: str, script: str) -> None:
    assert script_of(text) == script
