"""Passages that say the same are found once; those that only look alike are all found."""

from __future__ import annotations

import pytest

from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.retrieval import FoundChunk, Hit
from knowledge_base.services.duplicates import without_duplicates

MANUAL = "The pump starts when the water reaches forty degrees. Close the valve first, then press the green button."
CHINESE = "水泵在水温达到规定温度时启动。请先关闭阀门，然后按下绿色按钮。"


def found(*texts: str) -> list[FoundChunk]:
    return [
        FoundChunk(Hit(Chunk(f"doc-{number}", 1, 0, text, 0, len(text)), "kb"), "") for number, text in enumerate(texts)
    ]


def kept(*texts: str, limit: int = 10) -> list[str]:
    return [item.hit.chunk.text for item in without_duplicates(found(*texts), limit=limit)]


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        (MANUAL, MANUAL),
        (MANUAL, MANUAL.replace(". ", ".\n\n").upper()),
        (MANUAL * 2, MANUAL * 2 + " Thanks."),
        (CHINESE, CHINESE.replace("。", "．")),
    ],
)
def test_a_copy_is_left_out_and_the_better_one_stays(text: str, copy: str) -> None:
    assert kept(text, "Something else.", copy) == [text, "Something else."]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"In 2024: {MANUAL}", f"In 2025: {MANUAL}"),
        (MANUAL, MANUAL.partition(".")[0]),
        (CHINESE, "水泵在油温低于规定温度时停止。请先打开开关，然后转动红色手柄。"),
        ("", "a"),
    ],
)
def test_what_differs_in_a_number_or_in_what_it_says_is_kept(one: str, other: str) -> None:
    assert kept(one, other) == [one, other]


def test_the_limit_counts_what_is_kept() -> None:
    assert kept(MANUAL, MANUAL, MANUAL, "Two.", "Three.", limit=2) == [MANUAL, "Two."]
