"""What a call consists of, without doing it: a flow yields steps, and whoever drives it does them.

Both faces, the one that blocks and the one that awaits, drive the same flows, so that everything is decided once.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

import httpx

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it is to be made.

    `target` is a path of the service or, for an object store, an address of its own, which never sees the key. What
    is `repeatable` may be carried out twice without harm. `seconds` is how long a reply may take.
    """

    method: str
    target: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, str] | None = None
    files: Mapping[str, tuple[str | None, bytes, str]] | None = None
    repeatable: bool = False
    seconds: float | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether it goes to an address of its own."""
        return not self.target.startswith("/")


@dataclass(frozen=True, slots=True)
class Send:
    """Make a call; the result is its `httpx.Response`, read to its end."""

    call: Call


@dataclass(frozen=True, slots=True)
class Open:
    """Make a call whose reply is a stream of events; the result is its `httpx.Response`, read only if an error."""

    call: Call


@dataclass(frozen=True, slots=True)
class Next:
    """Wait for the stream's next event; the result is a `ServerSentEvent`, or None at the stream's end."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Load:
    """Read a file; the result is its bytes."""

    path: str


@dataclass(frozen=True, slots=True)
class Give(Generic[T]):
    """Hand an item to whoever iterates."""

    item: T


Step: TypeAlias = Send | Open | Next | Pause | Load
Flow: TypeAlias = Generator[Step, Any, T]
"""Ends in a result."""
Feed: TypeAlias = Generator[Step | Give[T], Any, None]
"""Gives items on its way."""

FAULTS = (httpx.TransportError, OSError)
"""What may happen to whoever does a step; the flow is told."""


class Course(Generic[T]):
    """A flow under way: the step that is to be done now, or how it ended."""

    def __init__(self, flow: Generator[Any, Any, T]) -> None:
        self._flow = flow
        self.step: Any = None
        self.is_over = False
        self.result: T
        self.go_on(None)

    def go_on(self, found: Any) -> None:
        """Tell what the step has brought, and take the next one; an error of the flow is raised here."""
        try:
            self.step = self._flow.send(found)
        except StopIteration as end:
            self.is_over, self.result = True, end.value

    def fail(self, fault: Exception) -> None:
        """Tell that the step has failed, and take the next one."""
        try:
            self.step = self._flow.throw(fault)
        except StopIteration as end:
            self.is_over, self.result = True, end.value
