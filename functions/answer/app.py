"""Write answers. Trigger: the answer queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume


def answer(message: Mapping[str, Any]) -> None:
    get_container().answering.answer(message)


lambda_handler = consume("answer", answer)
