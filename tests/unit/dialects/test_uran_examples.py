"""The examples of the OpenAPI document are the uran document's own, and are taken as they stand."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from knowledge_base.dialects.openapi import openapi
from knowledge_base.dialects.uran.examples import EXAMPLES
from knowledge_base.dialects.uran.routes import CONTRACT


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_example_is_taken_by_its_model_and_shown(model: type[BaseModel]) -> None:
    model.model_validate(EXAMPLES[model])
    assert openapi(CONTRACT)["components"]["schemas"][model.__name__]["examples"] == [EXAMPLES[model]]


def test_every_body_and_reply_of_the_contract_has_an_example() -> None:
    routes = (*CONTRACT.routes, *CONTRACT.slow, *CONTRACT.answers, *CONTRACT.streams)
    shown = {model for route in routes for model in (route.body, getattr(route, "reply", None)) if model}
    assert shown <= EXAMPLES.keys()
