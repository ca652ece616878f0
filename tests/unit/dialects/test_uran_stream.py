"""An answer's events as uran's frames."""

from __future__ import annotations

import json
from typing import Any

from knowledge_base.dialects.uran.stream import UranStream
from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerFinished,
    AnswerStarted,
    EventId,
    LoggedEvent,
    Reference,
    SourceFound,
    Stage,
    Step,
    StepReached,
    TextDelta,
)

REFERENCE = Reference(1, "doc-1", "guide.pdf", "https://x.example", "abc", 2, 10, 20, "40 degrees", 0.9, 0.8)


def frames(*events: AnswerEvent) -> list[Any]:
    stream = UranStream()
    text = "".join(
        frame
        for number, event in enumerate(events)
        for frame in stream.encode(LoggedEvent(EventId(Stage.ANSWER, number), event))
    )
    data = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in data]


def test_steps_are_said_in_the_contracts_words() -> None:
    said = frames(*(StepReached(step) for step in Step))
    steps = [frame["choices"][0]["delta"]["step"] for frame in said]
    assert steps == ["正在解析图片内容", "图片无法读取", "图片内容未被分析", "正在检索知识库", "正在组织解决方案"]


def test_an_answer_is_role_then_content_then_references_then_done() -> None:
    said = frames(AnswerStarted(), SourceFound(REFERENCE), TextDelta("40 度"), AnswerFinished())
    assert said[0] == {"choices": [{"delta": {"role": "assistant"}}]}
    assert said[1] == {"choices": [{"delta": {"content": "40 度"}}]}
    assert said[2]["choices"] == [{"delta": {}}]
    assert said[2]["references"][0] == {
        "index": 1,
        "name": "guide.pdf",
        "url": "https://x.example",
        "md5": "abc",
        "page": 2,
        "start": 10,
        "end": 20,
        "quote": "40 degrees",
        "score": 0.9,
        "similarity": 0.8,
    }
    assert said[3] == "[DONE]"


def test_a_failure_is_one_error_frame_and_the_end() -> None:
    said = frames(AnswerFailed("not_configured", "chat needs the setting KB_LLM_ENDPOINTS"))
    assert said == [
        {
            "choices": [{"delta": {}, "finish_reason": "error"}],
            "error": {"status": 503, "message": "chat needs the setting KB_LLM_ENDPOINTS"},
        },
        "[DONE]",
    ]


def test_a_degraded_answer_says_so() -> None:
    assert frames(AnswerFinished(("embedding",)))[0]["degraded"] == ["embedding"]


def test_every_frame_but_the_end_carries_the_events_id() -> None:
    text = "".join(UranStream().encode(LoggedEvent(EventId(Stage.ANSWER, 7), TextDelta("a\nb"))))
    assert text == 'id: 3.7\ndata: {"choices": [{"delta": {"content": "a\\nb"}}]}\n\n'
