"""What every function has in common: a logger with ids, and for queue readers the reading of messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.typing import LambdaContext

from knowledge_base.adapters.aws.queue_records import BackoffProcessor, handle_records
from knowledge_base.bootstrap.container import get_container
from knowledge_base.bootstrap.logs import function_logger


@cache
def backoff_processor(name: str) -> BackoffProcessor:
    """Return the processor that a queue-reading function reports failures with."""
    return BackoffProcessor(hide=get_container().stores.hide_message, logger=function_logger(name))


def consume(
    name: str, act: Callable[[Mapping[str, Any]], None]
) -> Callable[[dict[str, Any], LambdaContext], PartialItemFailureResponse]:
    """Return the handler of a function that acts on each message of a queue."""
    logger = function_logger(name)

    @logger.inject_lambda_context
    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
        read = get_container().read_message
        return handle_records(event, context, act, read=read, processor=backoff_processor(name))

    return lambda_handler
