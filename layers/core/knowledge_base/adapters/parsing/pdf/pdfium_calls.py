"""PDFium's functions for calling them thousands of times.

pypdfium2 declares every function with typed pointers, which ctypes checks and wraps at each call. By their addresses,
with plain numbers for pointers and without letting other threads run, calls take less than half the time.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from ctypes import PYFUNCTYPE, c_int, c_void_p, cast
from functools import cache
from typing import Any

import pypdfium2.raw as pdfium


@cache
def quick(name: str, returns: Any, *arguments: Any) -> Callable[..., Any]:
    """Return a function by its name, with the ctypes of what it returns and of its arguments."""
    prototype: Callable[[int | None], Callable[..., Any]] = PYFUNCTYPE(returns, *arguments)
    return prototype(cast(getattr(pdfium, name), c_void_p).value)


def address(handle: Any) -> int:
    """Return the address that a handle of PDFium holds."""
    return cast(handle, c_void_p).value or 0


class Question:
    """A function that writes numbers through pointers, asked about many things at once.

    `arguments` are the ctypes of what comes before the pointers. The numbers are of a type of `array`: `per_answer`
    for each thing, through one pointer to all of them or through one to each.
    """

    def __init__(self, name: str, *arguments: Any, code: str, per_answer: int, pointers: int = 1) -> None:
        self._call = quick(name, c_int, *arguments, *[c_void_p] * pointers)
        self._code, self._per_answer, self._pointers = code, per_answer, pointers

    def ask(self, count: int, *columns: Iterable[int]) -> Sequence[float]:
        """Return the answers about `count` things one after the other, given a column for each of the arguments."""
        answers: Any = array(self._code, [0]) * (self._per_answer * count)
        begin, _ = answers.buffer_info()
        size = answers.itemsize * self._per_answer
        end = begin + size * count
        pointers = (range(begin + answers.itemsize * place, end, size) for place in range(self._pointers))
        deque(map(self._call, *columns, *pointers), maxlen=0)
        numbers: Sequence[float] = answers
        return numbers
