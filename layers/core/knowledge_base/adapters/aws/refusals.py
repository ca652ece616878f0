"""What DynamoDB's refusals mean."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from knowledge_base.adapters.aws.items import Plain, to_plain

_UNMET = {"ConditionalCheckFailed", "ConditionalCheckFailedException"}
# In a transaction throttling is one of the reasons, which botocore does not see and so does not try again.
_COLLISIONS = {
    "TransactionConflict",
    "TransactionConflictException",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}
_THROTTLED = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionInProgressException",
}
_INVALID = {"ValidationError", "ValidationException"}


class ConditionUnmet(Exception):
    """A condition did not hold, and nothing was written.

    `failed` are the places of the writes whose condition it was; `stored` is the item that a single
    write met, empty where there is none.
    """

    def __init__(self, failed: frozenset[int], stored: Plain) -> None:
        super().__init__("a condition did not hold")
        self.failed = failed
        self.stored = stored


class Refusal:
    """A refused request: a single write has one reason, a transaction has one for each write."""

    def __init__(self, error: ClientError) -> None:
        self._response: dict[str, Any] = {**error.response}
        self._reasons: list[Any] = self._response.get("CancellationReasons") or [self._response["Error"]]

    def unmet(self) -> ConditionUnmet | None:
        """Return which conditions really failed, None if none did."""
        failed = frozenset(place for place, reason in enumerate(self._reasons) if reason.get("Code") in _UNMET)
        return ConditionUnmet(failed, to_plain(self._response.get("Item", {}))) if failed else None

    def is_collision(self) -> bool:
        """Whether it only met another write: the same request may succeed a moment later."""
        return self._has(_COLLISIONS)

    def is_throttling(self) -> bool:
        """Whether the table is asked for more than it gives, also after botocore's own tries."""
        return self._has(_THROTTLED)

    def is_too_large(self) -> bool:
        """Whether an item would be larger than DynamoDB stores."""
        return any(
            "tem size" in str(reason.get("Message")) for reason in self._reasons if reason.get("Code") in _INVALID
        )

    def _has(self, codes: set[str]) -> bool:
        return any(reason.get("Code") in codes for reason in self._reasons)
