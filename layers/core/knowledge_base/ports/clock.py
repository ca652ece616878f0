"""Time."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time, so that tests can."""

    def now(self) -> datetime:
        """Return the present moment in UTC, with its time zone."""
