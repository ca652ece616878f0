"""Where the reading of an RTF file stands: the groups that are open, the paragraph, and where text goes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.blocks import Block, flat
from knowledge_base.adapters.parsing.rtf.sink import Sink
from knowledge_base.adapters.parsing.rtf.state import Look, State
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_DEPTH = 1_000_000
MAX_SIDES = 200_000
_DEEPEST_SIDE = 20


@dataclass(slots=True)
class Scene:
    """The state of the open group, with those around it, and the text that is being written."""

    state: State = field(default_factory=State)
    look: Look = field(default_factory=Look)
    sink: Sink = field(default_factory=Sink)
    margins: list[str] = field(default_factory=list)
    _around: list[tuple[State, bool]] = field(default_factory=list)
    _sides: list[tuple[int, Sink, Look]] = field(default_factory=list)
    _is_own: bool = True
    _count: int = 0

    def own(self) -> State:
        """Return the state of the open group, to be changed."""
        if not self._is_own:
            self.state = self.state.copy()
            self._is_own = True
        return self.state

    def open(self) -> None:
        """Begin a group.

        Raises:
            IngestionFailed: there are too many groups in each other.
        """
        self._around.append((self.state, self._is_own))
        self._is_own = False
        if len(self._around) > MAX_DEPTH:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file is nested too deeply to be read")

    @property
    def is_alternative(self) -> bool:
        """Whether the group that has just begun is one that a better one follows; true once."""
        around, _is_own = self._around[-1]
        is_alternative, around.in_alternative = around.in_alternative, False
        return is_alternative

    def close(self) -> None:
        """End a group, and the notes, boxes or margins that it held."""
        if not self._around:
            return
        closing = self.state.closing if self._is_own else ""
        self.state, self._is_own = self._around.pop()
        while self._sides and self._sides[-1][0] > len(self._around):
            self._leave()
        if closing:
            self.sink.add(closing)

    def close_all(self) -> None:
        """Close what was left open at the end of the file."""
        while self._sides:
            self._leave()

    def enter(self, sink: Sink) -> None:
        """Let text go to a note, box or margin until the open group ends.

        Raises:
            IngestionFailed: there are too many of them.
        """
        self._count += 1
        if self._count > MAX_SIDES:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, f"the file has more than {MAX_SIDES} notes and boxes")
        if len(self._sides) < _DEEPEST_SIDE:
            self._sides.append((len(self._around), self.sink, self.look))
            self.sink, self.look = sink, Look()

    def add(self, text: str) -> None:
        """Write text, unless it is unseen."""
        state = self.state
        if not (state.is_unseen or state.is_deleted or state.destination):
            self.sink.add(text, is_bold=state.is_bold)

    def _leave(self) -> None:
        side = self.sink
        _depth, self.sink, self.look = self._sides.pop()
        blocks = side.finish()
        text = flat(block.text for block in blocks) if side.label or side.is_margin else ""
        if side.is_margin:
            self.margins.append(text)
        elif not side.label:
            self.sink.attach(blocks)
        elif text:
            self.sink.attach([Block(f"{side.label}: {text}", is_aside=True)])


Action = Callable[[Scene, int | None], None]
