"""Ask a chat model as a question wants it asked, and make events of what it writes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerStarted,
    Question,
    Step,
    StepReached,
    TextDelta,
)
from knowledge_base.domain.errors import ChatRefused, ChatUnavailable, ImagesRefused
from knowledge_base.domain.traces import Usage
from knowledge_base.ports.models import ChatMessage, ChatModel
from knowledge_base.services.context import MOST_TOKENS
from knowledge_base.services.images import REFUSED, unseen
from knowledge_base.services.tracing import Notes

RULE_TOKENS = 300
"""What the rules and the frames of the sources take."""
IMAGE_TOKENS = 1_000
"""What an image takes of a model's room, about: 765 to 1,105 at OpenAI, up to 1,600 at Anthropic."""
COUNTED = 0.8
"""The product counts in tokens of its own; a model's may be smaller."""


class Filter(Protocol):
    """Holds a model to its sources, piece by piece."""

    def feed(self, piece: str) -> str: ...
    def finish(self) -> str: ...


class Asking:
    """Asks a chat model, and notes what that uses."""

    def __init__(self, chat: ChatModel, question: Question, count_tokens: Callable[[str], int], notes: Notes) -> None:
        self._chat = chat
        self._question = question
        self._count_tokens = count_tokens
        self._notes = notes

    def ask(self, messages: Sequence[ChatMessage]) -> Iterator[str | StepReached]:
        """Yield the pieces of the reply; tokens are counted here where the endpoint does not say.

        A model that does not take the images is asked without them, after a step that says so.
        """
        try:
            yield from self._pieces(messages)
            return
        except ImagesRefused:
            self._notes.images = unseen(self._notes.images)
        yield StepReached(Step.IMAGES_NOT_ANALYSED, REFUSED)
        yield from self._pieces([replace(message, images=()) for message in messages])

    def room_for_sources(self) -> int:
        """Return the tokens that sources may take, besides the rules, the conversation and the answer."""
        known = self._chat.capabilities().context_tokens
        if known is None:
            return MOST_TOKENS
        asked = self._question
        said = sum(self._count_tokens(turn.content) for turn in asked.messages) + IMAGE_TOKENS * len(asked.images)
        room = known - asked.max_tokens - said - self._count_tokens(asked.background) - RULE_TOKENS
        return max(0, min(MOST_TOKENS, int(room * COUNTED)))

    def _pieces(self, messages: Sequence[ChatMessage]) -> Iterator[str]:
        asked, said = self._question, []
        for piece in self._chat.stream(
            messages,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
            model=asked.model,
            on_usage=self._note,
        ):
            said.append(piece)
            yield piece
        if self._notes.usage is None:
            prompt = sum(self._count_tokens(message.content) for message in messages)
            self._note(Usage(asked.model, prompt, self._count_tokens("".join(said)), is_estimated=True))

    def _note(self, usage: Usage) -> None:
        self._notes.usage = usage


def written(
    pieces: Iterator[str | StepReached],
    through: Filter | None = None,
    *,
    otherwise: Iterator[AnswerEvent] | None = None,
) -> Generator[AnswerEvent, None, bool]:
    """Yield what a model writes, filtered where there is a filter; True when it has come to its end.

    A model that does not even begin is replaced by `otherwise`, if there is that; one that breaks off fails the answer.
    """
    begun = False
    try:
        for piece in pieces:
            if isinstance(piece, StepReached):
                yield piece
                continue
            if not begun:
                begun = True
                yield AnswerStarted()
            yield from _delta(through.feed(piece) if through else piece)
        if through:
            yield from _delta(through.finish())
    except ChatUnavailable as error:
        if begun or otherwise is None:
            yield AnswerFailed("refused" if isinstance(error, ChatRefused) else "unavailable", str(error))
        else:
            yield from otherwise
        return False
    return True


def _delta(text: str) -> Iterator[TextDelta]:
    if text:
        yield TextDelta(text)
