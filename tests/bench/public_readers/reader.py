"""What a reader is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Read = Callable[[Path, bytes], str]
"""Takes a file's path and its bytes, and returns its text."""
OURS, OURS_IN_SANDBOX = "ours", "ours, in its sandbox"
ANY = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader by name, what makes it, and the endings of the files that it reads; `ANY` reads them all."""

    name: str
    make: Callable[[], Read]
    endings: str = ANY

    @property
    def is_ours(self) -> bool:
        """Whether it is the product's own."""
        return self.name in (OURS, OURS_IN_SANDBOX)

    def reads(self, path: Path) -> bool:
        """Whether it reads files with such an ending."""
        return not self.endings or path.suffix[1:].lower() in self.endings.split()
