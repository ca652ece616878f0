"""Parsers that take their time or their memory, and say how they come along."""

from __future__ import annotations

import time

from knowledge_base.adapters.parsing.sandbox import progress
from knowledge_base.domain.parsed import ParsedDocument

STEP = 0.4


class Progressing:
    """Does what the content says."""

    def parse(self, content: bytes, *, name: str, declared_type: str = "") -> ParsedDocument:
        return ParsedDocument(str(getattr(self, content.decode())()), "text/plain", title=name)

    def steady(self) -> str:
        """Takes five steps, each of them proven."""
        for _ in range(5):
            time.sleep(STEP)
            progress.earn(STEP)
        return "read to the end"

    def slow(self) -> str:
        """Takes five steps that are worth little."""
        for _ in range(5):
            time.sleep(STEP)
            progress.earn(STEP / 10)
        return "read to the end"

    def boastful(self) -> None:
        """Claims to have come far, and stands still."""
        progress.earn(1000)
        time.sleep(1000)

    def greedy(self) -> int:
        """Takes memory bit by bit, and touches all of it."""
        hoard = []
        while True:
            hoard.append(b"x" * (1 << 20))

    def short(self) -> str:
        return "short"
