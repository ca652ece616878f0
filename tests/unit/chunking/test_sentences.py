"""Sentences end where readers of a script see their end."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.chunking.sentences import sentence_ends
from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument


def sentences(text: str) -> list[str]:
    found, start = [], 0
    for end, _ in sentence_ends(text, 0, len(text)):
        found.append(text[start:end])
        start = end
    assert "".join(found) + text[start:] == text
    return [sentence.strip() for sentence in (*found, text[start:]) if sentence.strip()]


@pytest.mark.parametrize(
    "expected",
    [
        ["It starts.", "It stops!", "Really?", "Yes"],
        ["It is 3.5 m.", "Dr. Smith, e.g. No. 5, knows.", "He left."],
        ["He said no.", "Then he left."],
        ["J. R. R. Smith wrote it.", "It is by Acme Inc. as before."],
        ["See example.com. now.", "Look at www.a.b today."],
        ["Wait... what?", "Yes...", "Then he left."],
        ['He asked "Why?"', 'She said "No."', "(It was late.)", "Then they left."],
        ["1. First item.", "2. Second item.", "See Fig. 7 and p. 5."],
        ["Er kam am 3. Oktober an.", "Die 2. Auflage ist z.B. hier.", "Siehe Abs. 3."],
        ["Il a dit « Bonjour ! »", "Puis M. Dupont est parti.", "Voir p. 5."],
        ["El Sr. García vive aquí.", "¿Dónde está?", "¡Aquí!", "Fin."],
        ["Он жил в г. Москве.", "Это т.е. так.", "А. С. Пушкин писал стихи."],
        ["هل هذا جيد؟", "نعم.", "حسنا۔", "انتهى"],
        ["यह एक वाक्य है।", "दूसरा वाक्य।", "क्या?", "हाँ॥"],
        ["これは1.5です。", "本当？", "はい！"],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences_of_scripts_with_spaces_end_with_their_marks(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["水泵启动。", "压力过低时停止！", "为什么？", "因为3.5度。"],
        ["他说：“停！”", "然后走了。", "（见下文。）", "结束"],
        ["「はい。」", "『いいえ！』", "そうです。"],
        ["温度不明……", "请检查！？", "版本2.0发布。", "OK.", "然后"],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences_of_scripts_without_spaces_end_with_their_marks(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


def test_dot_before_a_small_letter_or_a_digit_ends_nothing() -> None:
    assert sentences("approx. half of it, ca. 5 m, v1.2.3 and a.b.c") == [
        "approx. half of it, ca. 5 m, v1.2.3 and a.b.c"
    ]


def test_text_without_marks_is_cut_at_its_spaces() -> None:
    words = ["ระบบทำงานได้ดี", "ปั๊มน้ำหยุดทำงาน", "ตรวจสอบวาล์ว"]
    text = " ".join(words * 60)
    config = ChunkingConfig(ChunkingStrategy.SEMANTIC, 120)
    for chunk in TextChunker().split(ParsedDocument(text, "text/plain"), config, document_id="d", ordinal=1):
        assert set(chunk.text.split()) <= set(words)
