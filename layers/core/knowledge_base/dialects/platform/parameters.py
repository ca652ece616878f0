"""Query parameters that several routes of the platform contract take."""

from __future__ import annotations

from datetime import UTC, datetime

from knowledge_base.dialects.contract import Request
from knowledge_base.domain.errors import InvalidInput


def limit(request: Request) -> int:
    """Return how many the caller wants at most, 50 unless said.

    Raises:
        InvalidInput: it is no whole number from 1 to 100.
    """
    given = request.one("limit") or "50"
    if not (given.isascii() and given.isdigit() and 1 <= int(given) <= 100):
        raise InvalidInput("limit must be a whole number from 1 to 100", field="limit")
    return int(given)


def moment(request: Request, name: str) -> datetime | None:
    """Return a time that the caller names, UTC unless it says otherwise; None when it is not there.

    Raises:
        InvalidInput: it is no time.
    """
    given = request.one(name)
    if not given:
        return None
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise InvalidInput(f"{name} must be a time, such as 2026-01-31T12:00:00Z", field=name) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
