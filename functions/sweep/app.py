"""End or resume unfinished work, and purge. Trigger: a schedule, every minute."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.logs import function_logger

logger = function_logger("sweep")


@logger.inject_lambda_context
def lambda_handler(_event: dict[str, Any], _context: LambdaContext) -> None:
    get_container().sweeping.sweep()
