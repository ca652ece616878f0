"""The state of circuit breakers, shared by all processes of a deployment."""

from __future__ import annotations

from typing import Protocol

from knowledge_base.domain.breakers import Breaker


class Breakers(Protocol):
    """Holds one breaker under each name; one that has not been stored for some days is closed."""

    def get(self, name: str) -> Breaker:
        """Return the breaker of a name. Consistent."""

    def put(self, name: str, breaker: Breaker, *, before: Breaker) -> None:
        """Store a breaker in place of `before`, with the next turn.

        Raises:
            StaleState: another process has changed it since.
        """
