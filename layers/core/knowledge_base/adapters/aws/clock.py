"""The time of this machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Tells this machine's time."""

    def now(self) -> datetime:
        """Return the present moment in UTC, with its time zone."""
        return datetime.now(UTC)
