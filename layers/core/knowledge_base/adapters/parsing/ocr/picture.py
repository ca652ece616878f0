"""Pictures as they are given to a recogniser of text."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from knowledge_base.adapters.parsing.sandbox import progress
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_PIXELS = 10_000_000
"""A page of A4 or letter at 300 dots an inch, and a sixth more; larger pages are drawn smaller."""
DOTS_PER_INCH = 300
MAX_SECONDS = 90.0
"""How long the pictures of one file may take in all: a page of text takes two to four seconds."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in grey: a byte a pixel, rows `stride` bytes apart."""

    pixels: bytes
    width: int
    height: int
    stride: int
    dots_per_inch: int = DOTS_PER_INCH


@dataclass(frozen=True, slots=True)
class RecognizedText:
    """Paragraphs of a picture, divided by blank lines; `is_sure` says that the letters could be seen well."""

    text: str
    is_sure: bool


class Recognizer(Protocol):
    """Reads what is written in pictures."""

    @property
    def problem(self) -> str:
        """Why no text is recognised here, in plain words; empty where it is."""

    def recognize(self, picture: Picture, /) -> RecognizedText:
        """Return the text of a picture, empty where there is none, or none that can be made out in time."""


def too_many_pictures() -> IngestionFailed:
    """Return the failure of a file whose pictures take longer than they may."""
    words = f"the file has more pictures of text than can be read in {MAX_SECONDS:.0f} seconds"
    return IngestionFailed(FailureCode.TOO_COMPLEX, words)


class BoundedRecognizer:
    """Reads the pictures of one file with another recogniser, as long as they may take."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self._seconds = 0.0

    @property
    def problem(self) -> str:
        """Why no text is recognised here, in plain words; empty where it is."""
        return self._recognizer.problem

    def recognize(self, picture: Picture) -> RecognizedText | None:
        """Return the text of a picture, empty where none can be made out; None where no time is left for it."""
        if self._seconds > MAX_SECONDS:
            return None
        began = time.monotonic()
        found = self._recognizer.recognize(picture)
        taken = time.monotonic() - began
        self._seconds += taken
        progress.earn(taken)
        return found


class NoRecognizer:
    """Stands for a recogniser where none is set up."""

    problem = "text recognition is switched off"

    def recognize(self, _picture: Picture) -> RecognizedText:
        """Return nothing."""
        return RecognizedText("", is_sure=False)
