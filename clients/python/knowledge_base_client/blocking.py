"""The client that blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import httpx
from httpx_sse import EventSource, ServerSentEvent

from knowledge_base_client import answering, searching, service, waiting
from knowledge_base_client import documents as storing
from knowledge_base_client.connection import connection
from knowledge_base_client.core import Core
from knowledge_base_client.retrying import Patience
from knowledge_base_client.signatures import seen_from
from knowledge_base_client.steps import FAULTS, Course, Feed, Flow, Give, Load, Next, Open, Pause, Send, Step

P = ParamSpec("P")
T = TypeVar("T")


def _method(flow: Callable[Concatenate[Core, P], Flow[T]]) -> Callable[Concatenate[KnowledgeBase, P], T]:
    """Return the method that does a flow's steps, and returns its result."""

    def method(self: KnowledgeBase, /, *arguments: P.args, **named: P.kwargs) -> T:
        with _Hands(self) as hands:
            course = Course(flow(self._core, *arguments, **named))
            while not course.is_over:
                hands.do(course)
            return course.result

    return seen_from(method, flow)


def _iterator(
    feed: Callable[Concatenate[Core, P], Feed[T]],
) -> Callable[Concatenate[KnowledgeBase, P], Generator[T, None, None]]:
    """Return the method that does a feed's steps, and yields what it gives."""

    def method(self: KnowledgeBase, /, *arguments: P.args, **named: P.kwargs) -> Generator[T, None, None]:
        with _Hands(self) as hands:
            course = Course(feed(self._core, *arguments, **named))
            while not course.is_over:
                if isinstance(course.step, Give):
                    yield course.step.item
                    course.go_on(None)
                else:
                    hands.do(course)

    return seen_from(method, feed)


class KnowledgeBase:
    """A deployment of the knowledge base; every method raises a `KnowledgeBaseError` if it cannot do what it says.

    May be used by several threads. `close`, or the end of a `with` block, closes its connections.

    Args:
        url: Where the deployment is; the stack on this machine unless given.
        key: An API key or a token; this machine's own stack needs none.
        timeout: The seconds that a reply may take; answers and uploads have their own.
        patience: How often and how long calls are tried.
        transport: What carries requests instead of the network, as for tests.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        patience: Patience | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._core = Core(connection(url, key), patience or Patience(), timeout)
        self._http = httpx.Client(transport=transport, trust_env=not self._core.connection.is_local)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeBase({self._core.connection.url!r})"

    add_document = _method(storing.add_document)
    get_document = _method(storing.get_document)
    documents = _iterator(storing.documents)
    document_page = _method(storing.document_page)
    update_document = _method(storing.update_document)
    delete_document = _method(storing.delete_document)
    versions = _method(storing.versions)
    restore_version = _method(storing.restore_version)
    text = _method(storing.text)
    parsed_text = _method(storing.parsed_text)
    content = _method(storing.content)
    wait_until_ready = _method(waiting.wait_until_ready)
    search = _method(searching.search)
    search_similar = _method(searching.search_similar)
    rate_result = _method(searching.rate_result)
    related_documents = _method(searching.related_documents)
    ask = _method(answering.ask)
    stream_answer = _iterator(answering.stream_answer)
    answer_events = _iterator(answering.answer_events)
    answer = _method(service.answer)
    cancel_answer = _method(service.cancel_answer)
    give_feedback = _method(service.give_feedback)
    ingestion = _method(service.ingestion)
    health = _method(service.health)
    ready = _method(service.ready)


class _Hands:
    """Does the steps of one flow; what it opens is closed with it."""

    def __init__(self, client: KnowledgeBase) -> None:
        self._core, self._http = client._core, client._http
        self._stream: httpx.Response | None = None
        self._events: Iterator[ServerSentEvent] = iter(())

    def __enter__(self) -> _Hands:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream:
            self._stream.close()

    def do(self, course: Course[T]) -> None:
        """Do the step that is to be done, and take the next one."""
        try:
            found = self._take(course.step)
        except FAULTS as fault:
            course.fail(fault)
        else:
            course.go_on(found)

    def _take(self, step: Step) -> httpx.Response | ServerSentEvent | bytes | None:
        match step:
            case Send(call):
                return self._http.send(self._core.request(call), follow_redirects=call.is_elsewhere)
            case Open():
                return self._open(step)
            case Next():
                return next(self._events, None)
            case Pause(seconds):
                time.sleep(seconds)
                return None
            case Load(path):
                return Path(path).read_bytes()

    def _open(self, step: Open) -> httpx.Response:
        self.__exit__()
        self._stream = self._http.send(self._core.request(step.call), stream=True)
        if not self._stream.is_success:
            self._stream.read()
        self._events = EventSource(self._stream).iter_sse()
        return self._stream
