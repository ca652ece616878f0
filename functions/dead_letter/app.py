"""Mark what the queues have given up as failed, and keep it for operators. Trigger: every dead-letter queue."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.batch import process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from knowledge_base.adapters.aws.given_up import source_queue, subject_of
from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import backoff_processor
from knowledge_base.bootstrap.logs import function_logger
from knowledge_base.services.dead_letters import GivenUpMessage

logger = function_logger("dead_letter")
TRIES = 3
"""The `maxReceiveCount` of every queue in infra/messaging.yaml, which a template test holds to this."""


def bury(record: SQSRecord) -> None:
    queue = source_queue(record.event_source_arn)
    subject = subject_of(queue, record.body, get_container().read_message)
    if subject is not None:
        get_container().dead_letters.bury(GivenUpMessage(queue, record.body, TRIES, **subject))


@logger.inject_lambda_context
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    processor = backoff_processor("dead_letter")
    return process_partial_response(event=event, record_handler=bury, processor=processor, context=context)
