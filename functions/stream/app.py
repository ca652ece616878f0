"""Every route that streams, as an ASGI application. Trigger: API Gateway, through the Lambda Web Adapter."""

from __future__ import annotations

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.logs import function_logger
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.dialects.uran.routes import CONTRACT as URAN
from knowledge_base.settings import settings

logger = function_logger("stream")
app = streaming_application((PLATFORM, URAN), get_container, cors_origins=settings().cors_origins)
