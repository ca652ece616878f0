"""What the platform tells of itself, of ingestions, and of answers that were asked for before."""

from __future__ import annotations

from typing import Literal, TypeAlias

from knowledge_base_client.core import Core, attempt, exchange, path
from knowledge_base_client.models.platform import (
    Alive,
    AnswerView,
    FeedbackView,
    GiveFeedback,
    IngestionView,
    Ready,
)
from knowledge_base_client.replies import json_object, refusal, understood
from knowledge_base_client.retrying import NONE, asked_wait
from knowledge_base_client.steps import Call, Flow

Rating: TypeAlias = int | Literal["up", "down"]
"""From 1 (useless) to 5 (just right); `up` is 5 and `down` is 1."""


def health(core: Core) -> Flow[Alive]:
    """Return whether the service is alive; needs no key."""
    return understood(Alive, (yield from exchange(core, Call("GET", "/health", repeatable=True))))


def ready(core: Core) -> Flow[Ready]:
    """Return which parts of the service answer, also when it says that it is not ready."""
    reply = yield from attempt(core, Call("GET", "/health/ready", repeatable=True), patience=NONE)
    if reply.is_success or "parts" in json_object(reply):
        return understood(Ready, reply)
    raise refusal(reply, asked_wait(reply))


def ingestion(core: Core, document_id: str) -> Flow[IngestionView]:
    """Return how far the ingestion of a document's newest version is."""
    call = Call("GET", path("ingestions", document_id), repeatable=True)
    return understood(IngestionView, (yield from exchange(core, call)))


def answer(core: Core, token: str) -> Flow[AnswerView]:
    """Return an answer of the caller's as far as it has come, with how it came about."""
    call = Call("GET", path("answers", token), repeatable=True)
    return understood(AnswerView, (yield from exchange(core, call)))


def cancel_answer(core: Core, token: str) -> Flow[None]:
    """End an answer that nobody waits for any more."""
    yield from exchange(core, Call("DELETE", path("answers", token), repeatable=True))


def give_feedback(core: Core, token: str, rating: Rating, *, comment: str = "") -> Flow[FeedbackView]:
    """Say what the caller thinks of an answer; saying it again changes it.

    Raises:
        Conflict: the answer is still being written.
    """
    body = GiveFeedback(rating=rating, comment=comment).model_dump(mode="json")
    call = Call("POST", path("answers", token, "feedback"), json=body, repeatable=True)
    return understood(FeedbackView, (yield from exchange(core, call)))
