"""Asks a question and reads the answer's stream, also over breaks of the connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError

from knowledge_base_cli.errors import Refusal, StreamBroken
from knowledge_base_cli.retrying import Patience
from knowledge_base_cli.service import Service, unreachable

DONE = "[DONE]"
MAX_TOKENS = 1024

SOURCE_FIELDS = ("index", "name", "url", "md5", "page", "start", "end", "quote", "score", "similarity")
"""What is told of a source, whichever of the two streams it came by."""

STEPS = {
    "正在解析图片内容": "Reading the images",
    "正在检索知识库": "Searching",
    "正在组织解决方案": "Composing the answer",
    "reading_images": "Reading the images",
    "searching": "Searching",
    "composing": "Composing the answer",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """What one frame of a stream brings for the eye: a step that was reached, or text."""

    step: str = ""
    text: str = ""


@dataclass(slots=True)
class Answer:
    """An answer as far as it was read; `last_event` is where to go on from after a break."""

    question: str
    token: str = ""
    text: str = ""
    references: list[dict[str, Any]] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    code: str = ""
    reason: str = ""
    last_event: str = ""
    is_over: bool = False

    def fail(self, code: object, reason: object) -> None:
        """Say that the answer has ended without being complete, and why."""
        self.code, self.reason, self.is_over = str(code), str(reason), True


Decode = Callable[[ServerSentEvent, Answer], Piece]


class Asking:
    """One question and its answer."""

    def __init__(
        self, service: Service, answer: Answer, *, tell: Callable[[Piece], None], patience: Patience | None = None
    ) -> None:
        self._service = service
        self._tell = tell
        self._patience = patience or Patience()
        self.answer = answer

    async def run(self, repository: str, *, top_k: int, threshold: float) -> None:
        """Ask, and tell the answer's pieces as they come; `answer` holds all of it at the end.

        Raises:
            Refusal: the service does not take the question.
            StreamBroken: the stream broke off and could not be taken up again.
            Unreachable: nothing answers.
        """
        body = question_body(self.answer.question, repository, top_k=top_k, threshold=threshold)
        await self._read(self._service.question(body), decode_uran)
        tried = 0
        while not self.answer.is_over:
            tried += 1
            await self._pause(tried)
            before = self.answer.last_event
            events = self._service.answer_events(self.answer.token, after=before)
            await self._read(events, decode_platform)
            if self.answer.is_over:
                await self._complete()
            elif self.answer.last_event != before:
                tried = 0

    async def _pause(self, tried: int) -> None:
        if not self.answer.token:
            raise StreamBroken("the stream broke off, and the service gave no token to take it up again")
        if tried >= self._patience.tries:
            raise StreamBroken(
                f"the stream broke off and brings nothing new any more; "
                f"the whole answer will be at {self._service.connection.url}/answers/{self.answer.token}"
            )
        await asyncio.sleep(self._patience.wait(tried))

    async def _read(self, opening: AbstractAsyncContextManager[httpx.Response], decode: Decode) -> None:
        """Tell what a stream brings until the answer or the connection ends."""
        try:
            async with opening as reply:
                self.answer.token = reply.headers.get("x-answer-token", self.answer.token)
                async with aclosing(EventSource(reply).aiter_sse()) as events:
                    async for event in events:
                        if event.data:
                            self._tell(self._taken(event, decode))
                        if self.answer.is_over:
                            return
        except httpx.TransportError as error:
            if not self.answer.token:
                raise unreachable(httpx.URL(self._service.connection.url), error) from error
        except SSEError:
            raise Refusal(200, "unexpected_reply", "the service did not answer with a stream of events") from None

    def _taken(self, event: ServerSentEvent, decode: Decode) -> Piece:
        try:
            piece = decode(event, self.answer)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise StreamBroken("the stream holds something that this version of kb does not know") from None
        self.answer.text += piece.text
        self.answer.last_event = event.id or self.answer.last_event
        return piece

    async def _complete(self) -> None:
        """Fetch what a stream that was taken up again does not repeat: the sources that came before."""
        if not self.answer.code:
            whole = await self._service.answer(self.answer.token)
            self.answer.references = _sources(whole.get("references", []))
            self.answer.degraded = whole.get("degraded", [])


def question_body(question: str, repository: str, *, top_k: int, threshold: float) -> dict[str, Any]:
    """Return the body of `POST /uran/lm/question`."""
    return {
        "messages": [{"role": "user", "content": question}],
        "repository": {"name": repository, "threshold": threshold, "topK": top_k},
        "maxTokens": MAX_TOKENS,
        "temperature": 0,
        "model": "",
    }


def decode_uran(event: ServerSentEvent, answer: Answer) -> Piece:
    """Read one frame of `POST /uran/lm/question`; the sources are in its last frame but `[DONE]`."""
    if event.data == DONE:
        answer.is_over = True
        return Piece()
    frame = json.loads(event.data)
    if error := frame.get("error"):
        answer.fail(error.get("status"), error.get("message"))
    elif "references" in frame:
        answer.references, answer.degraded = _sources(frame["references"]), frame.get("degraded", [])
        answer.is_over = True
    delta = frame["choices"][0]["delta"]
    return Piece(delta.get("step", ""), delta.get("content", ""))


def _sources(references: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: reference.get(name) for name in SOURCE_FIELDS} for reference in references]


def decode_platform(event: ServerSentEvent, answer: Answer) -> Piece:
    """Read one event of `GET /answers/{token}/events`."""
    data = json.loads(event.data)
    if event.event == "failed":
        answer.fail(data.get("code"), data.get("message"))
    elif event.event == "finished":
        answer.is_over = True
    elif event.event == "delta":
        return Piece(text=data["text"])
    elif event.event == "step":
        return Piece(step=data["step"])
    return Piece()
