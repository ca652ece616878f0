"""The values of a JSON text one by one, without having all of it in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_DEPTH = 100
_LARGE = 1 << 20
"""Characters that are decoded at once; a structure that is longer is opened, and its members are decoded."""
_SCALARS_AT_ONCE = 1_000
_SPACE = re.compile(r"[\s\x1e]*")
_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str, strict=False)
"""Objects become tuples of pairs, so that a name that comes twice is kept; numbers keep their digits."""
_MISSING = object()


class JsonStream:
    """Reads the values of a text, which may be several that follow each other."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._text = ""
        self._place = 0
        self._is_whole = False

    def values(self, *, opened: int = 0) -> Iterator[tuple[str, Any]]:
        """Yield values with the paths that lead to them: whole ones where they are small, else their members.

        The members of a list of structures are always yielded one by one, and those of the `opened` outermost
        structures.

        Raises:
            ValueError: the text is no JSON.
            IngestionFailed: its structures nest too deep.
        """
        while self._peek():
            if self._peek() == "[" and self._opens_structures():
                yield from self._members("", 0, opened)
            else:
                yield from self._walk("", 0, opened)

    def rest(self) -> Iterator[str]:
        """Yield the text that has not been read yet."""
        yield self._text[self._place :]
        yield from self._pieces

    def _walk(self, path: str, depth: int, opened: int) -> Iterator[tuple[str, Any]]:
        check_depth(depth)
        first = self._peek()
        value = _MISSING if depth < opened and first in ("{", "[") else self._decode_small()
        if value is not _MISSING:
            yield path, value
        elif first in ("{", "["):
            yield from self._members(path, depth, opened)
        else:
            yield path, self._decode_whole()

    def _members(self, path: str, depth: int, opened: int) -> Iterator[tuple[str, Any]]:
        is_object = self._take("{")
        if not is_object:
            self._expect("[")
        end, place, scalars = "}" if is_object else "]", 0, _Scalars(path)
        while not self._take(end):
            if place:
                self._expect(",")
            name = f".{self._name()}" if is_object and path else self._name() if is_object else f"[{place}]"
            member = f"{path}{name}"
            for inner, value in self._walk(member, depth + 1, opened):
                if is_object or inner != member:
                    yield from scalars.flush()
                    yield inner, value
                else:
                    yield from scalars.pass_on(inner, value)
            place += 1
        yield from scalars.flush()

    def _name(self) -> str:
        self._peek()
        name = self._decode_small()
        if not isinstance(name, str) or not self._take(":"):
            raise ValueError("a name is missing")
        return tidy_name(name)

    def _opens_structures(self) -> bool:
        self._lengthen()
        after = _SPACE.match(self._text, self._place + 1)
        return after is not None and self._text[after.end() : after.end() + 1] in ("{", "[")

    def _decode_small(self) -> Any:
        """Decode a value if it ends within the text at hand."""
        self._lengthen()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
            except RecursionError:
                return _MISSING
            except ValueError:
                value, end = _MISSING, len(self._text)
            if end < len(self._text) or self._is_whole:
                self._place = self._place if value is _MISSING else end
                return value
            if len(self._text) - self._place > _LARGE or not self._fill():
                self._place = self._place if value is _MISSING else end
                return value

    def _decode_whole(self) -> Any:
        """Decode a value however long it is; it ends before the text does."""
        while self._fill():
            pass
        value, self._place = _DECODER.raw_decode(self._text, self._place)
        return value

    def _peek(self) -> str:
        """Return the next character that is no space, or an empty string at the end."""
        while True:
            space = _SPACE.match(self._text, self._place)
            self._place = space.end() if space else self._place
            if self._place < len(self._text) or not self._fill():
                return self._text[self._place : self._place + 1]

    def _take(self, sign: str) -> bool:
        is_next = self._peek() == sign
        self._place += is_next
        return is_next

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise ValueError(f"{sign} is missing")

    def _lengthen(self) -> None:
        if len(self._text) - self._place < _LARGE // 16:
            self._fill()

    def _fill(self) -> bool:
        """Put the next piece behind what has not been read."""
        piece = next(self._pieces, None)
        if piece is None:
            self._is_whole = True
            return False
        self._text, self._place = self._text[self._place :] + piece, 0
        return True


class _Scalars:
    """Joins the scalars of a long list, which are lines of their own otherwise."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._waiting: list[Any] = []

    def pass_on(self, path: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, (list, tuple)):
            yield from self.flush()
            yield path, value
            return
        self._waiting.append(value)
        if len(self._waiting) >= _SCALARS_AT_ONCE:
            yield from self.flush()

    def flush(self) -> Iterator[tuple[str, Any]]:
        if self._waiting:
            yield self._path, self._waiting
            self._waiting = []


def check_depth(depth: int) -> None:
    """Refuse structures that nest too deep.

    Raises:
        IngestionFailed: they do.
    """
    if depth > MAX_DEPTH:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"values are nested more than {MAX_DEPTH} deep")


def tidy_name(name: str) -> str:
    """Return a name on one line."""
    return name if name.isidentifier() else " ".join(name.split())
