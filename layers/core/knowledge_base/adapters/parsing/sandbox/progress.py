"""How the reading of a file comes along, told to whoever bounds its time.

A reader says which part it has read and how long such a part may well take; that much time is added to what
the file is allowed. So a long file is read to its end, while one that does not get on is given up as soon as
any other.
"""

from __future__ import annotations

from collections.abc import Callable

_LEAST = 0.1

_tell: Callable[[float], None] | None = None
_untold = 0.0


def listen(tell: Callable[[float], None]) -> None:
    """Have `tell` called with the seconds earned since its last call, whenever they are worth a call."""
    global _tell, _untold
    _tell, _untold = tell, 0.0


def earn(seconds: float) -> None:
    """Say that a part of the file has been read that may well take `seconds`."""
    global _untold
    _untold += seconds
    if _tell is not None and _untold >= _LEAST:
        _tell(_untold)
        _untold = 0.0
