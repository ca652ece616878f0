"""A chat model over OpenAI-compatible endpoints."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.openai.capabilities import probe
from knowledge_base.adapters.openai.endpoint_errors import EndpointError, RequestRefused
from knowledge_base.adapters.openai.endpoint_pool import EndpointPool, Pace, PoolExhausted
from knowledge_base.adapters.openai.pool_member import LONE_SURROGATES, Member, timeout
from knowledge_base.adapters.openai.token_stream import Reply, TokenStream, whole_characters
from knowledge_base.domain.errors import ChatRefused, ChatUnavailable, ImagesRefused
from knowledge_base.domain.traces import Usage
from knowledge_base.ports.models import Capabilities, ChatMessage
from knowledge_base.settings import Endpoint

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.circuit_breaker.persistence.base import CircuitBreakerPersistenceLayer

FIRST_PIECE = Pace(limit=30.0, patience=90.0)
"""How long to wait for the first piece of a reply."""

GAP = 20.0
"""How long to wait between two pieces, in seconds."""

_MAY_BE_UNKNOWN = frozenset({"max_tokens", "temperature", "stream_options"})
"""Newer models refuse the first two: they want `max_completion_tokens`, and no temperature; some servers the last."""


@dataclass(frozen=True, slots=True)
class _Completion:
    """What is asked of a model."""

    messages: list[dict[str, Any]]
    max_tokens: int
    temperature: float
    model: str
    on_usage: Callable[[Usage], None] | None
    has_images: bool


class OpenAIChatModel:
    """Writes with the models of any number of endpoints."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        first_piece: Pace = FIRST_PIECE,
        gap: float = GAP,
        breaker_store: CircuitBreakerPersistenceLayer | None = None,
    ) -> None:
        self._pool = EndpointPool(endpoints, purpose="chat", breaker_store=breaker_store)
        self._pace = first_piece
        self._gap = gap
        self._probed: list[Capabilities] | None = None
        self._unknown: dict[Endpoint, frozenset[str]] = {}

    def capabilities(self) -> Capabilities:
        """Return what the endpoints can do, as far as they say; asked once, then remembered."""
        return _common(self._known())

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        model: str = "",
        on_usage: Callable[[Usage], None] | None = None,
    ) -> Iterator[str]:
        """Yield the pieces of the reply as they come; an empty `model` means the endpoint's own.

        When the reply is complete, `on_usage` is told what it used, if the endpoint says so.

        An endpoint with a model of this name is preferred; another one uses its own model. Fails over
        to another endpoint until the first piece has come, never after it.

        Raises:
            ImagesRefused: no endpoint takes the images of the messages.
            ChatRefused: the endpoint does not take this request.
            ChatUnavailable: no endpoint answers, or the one that had begun broke off.
        """
        wire, has_images = [_wire_form(message) for message in messages], any(message.images for message in messages)
        asked = _Completion(wire, max_tokens, temperature, model, on_usage, has_images)
        failure: EndpointError
        try:
            with closing(self._begin(asked)) as pieces:
                yield from _not_empty(whole_characters(pieces))
            return
        except EndpointError as error:
            failure = error
        raise ChatUnavailable(f"the chat endpoint {failure}")

    def _known(self) -> list[Capabilities]:
        """Return what each endpoint says of itself, or is said to be by its setting."""
        if self._probed is None:
            self._probed = [_as_set(member.endpoint, probe(member)) for member in self._pool.members]
        return self._probed

    def _seeing(self) -> Sequence[Member]:
        """Return those to ask about images: who sees, or else who does not say; a single one needs no choosing."""
        members = self._pool.members
        if len(members) == 1:
            return members
        known = list(zip(members, self._known(), strict=True))
        for answer in (True, None):
            if chosen := [member for member, capabilities in known if capabilities.sees_images is answer]:
                return chosen
        return members

    def _begin(self, asked: _Completion) -> Generator[str]:
        """Return the reply of the endpoint that was first to begin one."""
        retry_after: float | None = None
        try:
            return self._pool.ask(
                lambda member, seconds: self._first(member, asked, seconds),
                self._pace,
                model=asked.model,
                among=self._seeing() if asked.has_images else None,
            )
        except PoolExhausted as error:
            said, retry_after = "no chat endpoint answers", error.retry_after
        except RequestRefused as error:
            said = f"the chat endpoint {error}"
            if asked.has_images:
                raise ImagesRefused(said) from None
            raise ChatRefused(said) from None
        raise ChatUnavailable(said, retry_after=retry_after)

    def _first(self, member: Member, asked: _Completion, seconds: float) -> Generator[str]:
        """Wait for an endpoint's first piece; where it names a parameter it does not know, ask again without."""
        try:
            return self._open(member, asked, seconds)
        except RequestRefused as refusal:
            known = self._unknown.get(member.endpoint, frozenset())
            if refusal.parameter not in _MAY_BE_UNKNOWN - known:
                raise
            self._unknown[member.endpoint] = known | {refusal.parameter}
        return self._first(member, asked, seconds)

    def _open(self, member: Member, asked: _Completion, seconds: float) -> Generator[str]:
        parameters = self._parameters(member.endpoint, asked)
        # The reading thread outlives whoever waits for it by this much at most.
        silence = timeout(max(seconds, self._gap))

        def open_reply() -> AbstractContextManager[Reply]:
            completions: Any = member.client.chat.completions.with_streaming_response
            reply: AbstractContextManager[Reply] = completions.create(stream=True, timeout=silence, **parameters)
            return reply

        stream = TokenStream(open_reply)
        pieces = stream.read(first=seconds, gap=self._gap)
        return _resumed(next(pieces, ""), pieces, lambda: _tell_usage(asked, member.endpoint, stream.usage))

    def _parameters(self, endpoint: Endpoint, asked: _Completion) -> dict[str, Any]:
        unknown = self._unknown.get(endpoint, frozenset())
        length = "max_completion_tokens" if "max_tokens" in unknown else "max_tokens"
        parameters = {"model": endpoint.model, "messages": asked.messages, length: asked.max_tokens}
        may_be_unknown = {"temperature": asked.temperature, "stream_options": {"include_usage": True}}
        return parameters | {name: value for name, value in may_be_unknown.items() if name not in unknown}


def _common(known: Sequence[Capabilities]) -> Capabilities:
    """A request may go to any endpoint: what one of them cannot do cannot be relied on, but for images."""
    contexts = [each.context_tokens for each in known if each.context_tokens]
    return Capabilities(
        min(contexts, default=None),
        _any(each.sees_images for each in known),
        _all(each.calls_tools for each in known),
    )


def _all(said: Iterable[bool | None]) -> bool | None:
    answers = set(said)
    if False in answers:
        return False
    return None if None in answers or not answers else True


def _any(said: Iterable[bool | None]) -> bool | None:
    answers = set(said)
    if True in answers:
        return True
    return None if None in answers or not answers else False


def _as_set(endpoint: Endpoint, probed: Capabilities) -> Capabilities:
    return probed if endpoint.vision is None else replace(probed, sees_images=endpoint.vision)


def _not_empty(pieces: Iterator[str]) -> Iterator[str]:
    first = next((piece for piece in pieces if piece), None)
    if first is None:
        raise ChatUnavailable("the chat model's reply is empty")
    yield first
    yield from pieces


def _resumed(first: str, rest: Generator[str], when_complete: Callable[[], None]) -> Generator[str]:
    with closing(rest):
        yield first
        yield from rest
    when_complete()


def _tell_usage(asked: _Completion, endpoint: Endpoint, counts: dict[str, Any]) -> None:
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if asked.on_usage and isinstance(prompt, int) and isinstance(completion, int):
        asked.on_usage(Usage(endpoint.model, prompt, completion))


def _wire_form(message: ChatMessage) -> dict[str, Any]:
    text = message.content.translate(LONE_SURROGATES)
    if not message.images:
        return {"role": message.role, "content": text}
    images = [{"type": "image_url", "image_url": {"url": url}} for url in message.images]
    return {"role": message.role, "content": [{"type": "text", "text": text}, *images]}
