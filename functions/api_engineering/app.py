"""The engineering contract's plain routes. Trigger: API Gateway, `/documents` and `/search`."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.logs import function_logger
from knowledge_base.dialects.engineering.routes import CONTRACT
from knowledge_base.dialects.lambda_proxy import rest_application
from knowledge_base.settings import settings

logger = function_logger("api_engineering")
app = rest_application(CONTRACT, get_container, logger, cors_origins=settings().cors_origins)


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_REST)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return app.resolve(event, context)
