"""A circuit breaker for each endpoint, by Powertools.

Its state is kept by this process for its threads, or, where a store is given, shared through that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from aws_lambda_powertools.utilities.circuit_breaker import (
    CircuitBreakerConfig,
    CircuitBreakerOpenError,
    CircuitTransition,
    circuit_breaker,
)
from aws_lambda_powertools.utilities.circuit_breaker.persistence.base import (
    CircuitBreakerExistingLockError,
    CircuitBreakerPersistenceLayer,
)

from knowledge_base.adapters.openai.endpoint_errors import EndpointClosed, EndpointDown

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.circuit_breaker.persistence.record import CircuitStateRecord

T = TypeVar("T")

FAILURES = 3
"""So many failures in a row open a breaker."""

OPEN_SECONDS = 15
"""How long it stays open before one call may try again."""

logger = logging.getLogger(__name__)


class BreakerOpen(Exception):
    """The endpoint is not asked at the moment; it may be tried after `retry_after` seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("is left alone after failures")
        self.retry_after = retry_after


class ProcessBreakerStore(CircuitBreakerPersistenceLayer):
    """Keeps the state of breakers in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._records: dict[str, CircuitStateRecord] = {}

    def _get_record(self, name: str) -> CircuitStateRecord | None:
        return self._records.get(name)

    def _put_record(
        self, record: CircuitStateRecord, condition: str | None = None, expected_opened_at: int | None = None
    ) -> None:
        with self._lock:
            held = self._records.get(record.name)
            if condition and held and not _is_free(held, expected_opened_at):
                raise CircuitBreakerExistingLockError
            self._records[record.name] = record

    def _update_record(self, record: CircuitStateRecord) -> None:
        self._records[record.name] = record


class Breaker:
    """Lets calls to one endpoint through while it works."""

    def __init__(self, name: str, store: CircuitBreakerPersistenceLayer) -> None:
        self._guard = circuit_breaker(
            name=name,
            persistence_store=store,
            on_transition=_log_transition,
            config=CircuitBreakerConfig(
                failure_threshold=FAILURES,
                recovery_timeout=OPEN_SECONDS,
                success_threshold=1,
                handled_exceptions=(EndpointDown, EndpointClosed),
            ),
        )

    def call(self, action: Callable[[], T]) -> T:
        """Return what an action gives, counting its failures.

        Raises:
            BreakerOpen: there were too many, and the action was not tried.
        """
        try:
            result: T = self._guard(action)()
        except CircuitBreakerOpenError as error:
            opened_at = (error.circuit and error.circuit.opened_at) or time.time()
            raise BreakerOpen(max(1.0, opened_at + OPEN_SECONDS - time.time())) from None
        return result


def _is_free(held: CircuitStateRecord, expected_opened_at: int | None) -> bool:
    """Whether the one probe of a half-open breaker is still to be had."""
    if held.half_open_owner is None:
        return held.opened_at == expected_opened_at
    return held.probe_lease_expiry is not None and held.probe_lease_expiry <= time.time()


def _log_transition(transition: CircuitTransition) -> None:
    logger.warning("breaker %s: %s → %s", transition.circuit_name, transition.from_state, transition.to_state)
