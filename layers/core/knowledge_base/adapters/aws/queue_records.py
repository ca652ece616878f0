"""Read messages off a queue: one at a time, failures reported one by one, the next try soon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

BACKOFF_SECONDS = (5, 30, 120)
"""How long a failed message waits for its next try, by the number of tries: far less than its visibility timeout."""

Hide = Callable[[str, str, int], None]
"""Called with a queue's ARN, a receipt handle and seconds."""


class BackoffProcessor(BatchProcessor):
    """Reports failed messages and lets each come back after a backoff instead of its visibility timeout."""

    def __init__(self, hide: Hide, logger: Logger) -> None:
        super().__init__(EventType.SQS, raise_on_entire_batch_failure=False)
        self._hide = hide
        self._logger = logger

    def failure_handler(self, record: Any, exception: Any) -> Any:
        """Log a failure, once, and arrange the next try."""
        tries = int(record.attributes.approximate_receive_count)
        self._logger.error(
            "message failed",
            message_id=record.message_id,
            tries=tries,
            error_type=type(exception[1]).__name__,
            exc_info=exception,
        )
        wait = getattr(exception[1], "retry_after", None) or BACKOFF_SECONDS[min(tries, len(BACKOFF_SECONDS)) - 1]
        try:
            self._hide(record.event_source_arn, record.receipt_handle, min(900, max(1, int(wait))))
        except Exception:  # noqa: BLE001 - without it the message comes back all the same, later
            self._logger.warning("backoff could not be set", message_id=record.message_id)
        return super().failure_handler(record, exception)


def handle_records(
    event: dict[str, Any],
    context: LambdaContext,
    act: Callable[[Mapping[str, Any]], None],
    *,
    read: Callable[[str], Mapping[str, Any]],
    processor: BackoffProcessor,
) -> PartialItemFailureResponse:
    """Act on each message's body and report those that failed."""

    def handle(record: SQSRecord) -> None:
        act(read(record.body))

    return process_partial_response(event=event, record_handler=handle, processor=processor, context=context)
