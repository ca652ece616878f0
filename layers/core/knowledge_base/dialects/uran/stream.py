"""An answer's events as the uran contract's SSE frames."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from knowledge_base.dialects.contract import failure_status
from knowledge_base.dialects.uran.translate import reference
from knowledge_base.domain.answers import (
    AnswerFailed,
    AnswerFinished,
    AnswerStarted,
    LoggedEvent,
    Reference,
    SourceFound,
    Step,
    StepReached,
    TextDelta,
)

STEPS: Mapping[Step, str] = {
    Step.READING_IMAGES: "正在解析图片内容",
    Step.SEARCHING: "正在检索知识库",
    Step.COMPOSING: "正在组织解决方案",
}
DONE = "data: [DONE]\n\n"


class UranStream:
    """Encodes one answer; sources are kept until the text is complete and sent as one frame."""

    def __init__(self) -> None:
        self._references: list[Reference] = []

    def encode(self, logged: LoggedEvent) -> Iterator[str]:
        """Yield the frames of one event; the last frame of an event carries the event's id."""
        event = logged.event
        if isinstance(event, SourceFound):
            self._references.append(event.reference)
        elif isinstance(event, AnswerFinished):
            yield from self._finish(event, str(logged.event_id))
        elif isinstance(event, AnswerFailed):
            yield from self.fail(failure_status(event.code), event.message)
        else:
            yield _frame({"choices": [{"delta": _delta(event)}]}, str(logged.event_id))

    def fail(self, status: int, message: str) -> Iterator[str]:
        """Yield the error frame and the end of the stream."""
        choice = {"delta": {}, "finish_reason": "error"}
        yield _frame({"choices": [choice], "error": {"status": status, "message": message}})
        yield DONE

    def _finish(self, event: AnswerFinished, event_id: str) -> Iterator[str]:
        frame: dict[str, Any] = {"choices": [{"delta": {}}], "references": [reference(r) for r in self._references]}
        if event.degraded:
            frame["degraded"] = list(event.degraded)
        yield _frame(frame, event_id)
        yield DONE


def _delta(event: StepReached | AnswerStarted | TextDelta) -> dict[str, str]:
    if isinstance(event, StepReached):
        return {"step": STEPS[event.step]}
    if isinstance(event, AnswerStarted):
        return {"role": "assistant"}
    return {"content": event.text}


def _frame(body: dict[str, Any], event_id: str = "") -> str:
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}data: {json.dumps(body, ensure_ascii=False)}\n\n"
