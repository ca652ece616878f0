"""Every route that streams or downloads, as an ASGI application. Trigger: API Gateway, by the Lambda Web Adapter."""

from __future__ import annotations

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.logs import function_logger
from knowledge_base.dialects.engineering.routes import CONTRACT as ENGINEERING
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.dialects.uran.routes import CONTRACT as URAN
from knowledge_base.settings import settings

logger = function_logger("stream")
app = streaming_application((PLATFORM, URAN, ENGINEERING), get_container, cors_origins=settings().cors_origins)
