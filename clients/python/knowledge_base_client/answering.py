"""Ask the documents, and follow an answer as it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx
from httpx_sse import ServerSentEvent
from pydantic import ValidationError

from knowledge_base_client import errors
from knowledge_base_client.core import Core, exchange, path
from knowledge_base_client.models.engineering import AnswerView as Answer
from knowledge_base_client.models.engineering import AskQuestion, Filters, Source, Turn
from knowledge_base_client.replies import understood
from knowledge_base_client.steps import Call, Feed, Flow, Give, Next, Pause

ANSWER_SECONDS = 310.0
"""The service ends every question after 5 minutes, in one way or the other."""
SILENCE_SECONDS = 45.0
"""A stream is never silent for longer than 15 seconds; after three times that it has broken."""


@dataclass(frozen=True, slots=True)
class QuestionAccepted:
    """The question is taken in; `token` names its answer from now on."""

    token: str


@dataclass(frozen=True, slots=True)
class StepReached:
    """Work on the answer reached a step: `reading_images`, `searching` or `composing`."""

    step: str


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """The answer's text begins."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class SourceFound:
    """A source that the answer cites."""

    source: Source


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The answer is complete; `evidence` is False where nothing was found to answer from."""

    degraded: tuple[str, ...] = ()
    evidence: bool = True


AnswerEvent: TypeAlias = QuestionAccepted | StepReached | AnswerStarted | TextDelta | SourceFound | AnswerFinished


def ask(
    core: Core,
    question: str,
    *,
    filters: Filters | None = None,
    limit: int = 5,
    min_score: float | None = None,
    history: Sequence[Turn] = (),
    max_tokens: int | None = None,
    temperature: float | None = None,
) -> Flow[Answer]:
    """Return the answer to a question, made of at most `limit` chunks of the documents that the caller may read.

    After a broken connection it is not asked again; `stream_answer` takes up an answer where it was.
    """
    more = {"limit": limit, "min_score": min_score, "max_tokens": max_tokens, "temperature": temperature}
    body = _question(question, filters, history, **more)
    reply = yield from exchange(core, Call("POST", "/answer", json=body, seconds=ANSWER_SECONDS))
    return understood(Answer, reply)


def stream_answer(
    core: Core,
    question: str,
    *,
    filters: Filters | None = None,
    limit: int = 5,
    min_score: float | None = None,
    history: Sequence[Turn] = (),
    max_tokens: int | None = None,
    temperature: float | None = None,
) -> Feed[AnswerEvent]:
    """Iterate over an answer's events as it is written; a stream that breaks is taken up where it was.

    Leaving early closes the stream; `cancel_answer` ends the answer as well.

    Raises:
        AnswerFailed: the answer ends without being complete.
        StreamBroken: the stream could not be taken up again.
    """
    more = {"limit": limit, "min_score": min_score, "max_tokens": max_tokens, "temperature": temperature}
    body = _question(question, filters, history, stream=True, **more)
    headers = {"Accept": "text/event-stream"}
    call = Call("POST", "/answer", json=body, headers=headers, seconds=SILENCE_SECONDS)
    reply = yield from exchange(core, call, opens=True)
    token = reply.headers.get("x-answer-token", "")
    yield Give(QuestionAccepted(token))
    yield from _events(core, token, "")


def answer_events(core: Core, token: str, *, after: str = "") -> Feed[AnswerEvent]:
    """Iterate over the events of an answer that was asked for before, also while it is written.

    Raises:
        AnswerFailed: the answer ends without being complete.
        StreamBroken: the stream could not be taken up again.
    """
    yield from exchange(core, _log(token, after), opens=True)
    yield from _events(core, token, after)


def _events(core: Core, token: str, last: str) -> Feed[AnswerEvent]:
    """Give the events of the stream that is open; open it again after the last of them when it breaks."""
    breaks = 0
    while True:
        event: ServerSentEvent | None = yield from _next_event()
        if event is None:
            breaks += 1
            yield from _take_up(core, token, last, breaks)
            continue
        breaks, last = 0, event.id or last
        known = read_event(event, token)
        if known:
            yield Give(known)
        if isinstance(known, AnswerFinished):
            return


def _next_event() -> Flow[ServerSentEvent | None]:
    try:
        event: ServerSentEvent | None = yield Next()
    except httpx.TransportError:
        return None
    return event


def _take_up(core: Core, token: str, last: str, breaks: int) -> Flow[None]:
    if breaks >= core.patience.tries or not token:
        raise errors.StreamBroken(token)
    yield Pause(core.patience.wait(breaks))
    try:
        yield from exchange(core, _log(token, last), opens=True)
    except errors.Unreachable:
        raise errors.StreamBroken(token) from None


def _log(token: str, after: str) -> Call:
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": after} if after else {})}
    return Call("GET", path("answers", token, "events"), headers=headers, repeatable=True, seconds=SILENCE_SECONDS)


def read_event(event: ServerSentEvent, token: str) -> AnswerEvent | None:
    """Return what an event says; None for one that this client does not know.

    Raises:
        AnswerFailed: it says that the answer failed.
        UnexpectedReply: it has not the form that it must have.
    """
    try:
        said = json.loads(event.data)
        if event.event == "failed":
            raise errors.AnswerFailed(token, str(said["code"]), str(said["message"]))
        return _read(event.event, said)
    except (ValueError, KeyError, TypeError, ValidationError):
        raise errors.UnexpectedReply(f"an event {event.event!r} is not as this client knows it") from None


def _read(kind: str, said: Mapping[str, Any]) -> AnswerEvent | None:
    match kind:
        case "started":
            return AnswerStarted()
        case "step":
            return StepReached(said["step"])
        case "delta":
            return TextDelta(said["text"])
        case "source":
            return SourceFound(_source(said["reference"]))
        case "finished":
            return AnswerFinished(tuple(said.get("degraded", ())), bool(said.get("evidence", True)))
    return None


def _source(said: dict[str, Any]) -> Source:
    """Return a source; an answer's log, which is the same for all contracts, has other names for three fields."""
    if "chunk_id" in said:
        place = {"version": said["ordinal"], "chunk_index": said["chunk_id"].rpartition(":")[2]}
        said = {"title": said["name"], **place, **said}
    return Source.model_validate(said)


def _question(question: str, filters: Filters | None, history: Sequence[Turn], **more: Any) -> dict[str, Any]:
    given = {"question": question, "filters": filters, "history": list(history) or None, **more}
    asked = AskQuestion.model_validate({name: value for name, value in given.items() if value is not None})
    return asked.model_dump(mode="json", exclude_unset=True, exclude_none=True)
