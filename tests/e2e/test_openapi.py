"""Whatever obeys the OpenAPI documents, or nearly does, is answered as they say (schemathesis)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.e2e.client import Client

FOLDER = Path("infra/openapi")
FORMS = [status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance]
LONGEST_BODY = 20_000
"""Characters; longer ones take the whole time and tell no more."""
ALIASES = re.compile(
    r"/uran/llm/(assistant|block_embedding|combine|documents|response)|/uran/lm/(embedding|repositories)"
)
"""Each route is tried under the name that the uran document gives it."""
ANSWERED = ["/uran/lm/assistant", "/uran/lm/combine", "/uran/lm/question"]
EVENTS = "/answers/{token}/events"
"""Tried in `test_streams.py`."""


def bounded(examples: int) -> settings:
    """Return settings that try the same so many examples every time."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


uran = schemathesis.openapi.from_path(FOLDER / "uran.yaml").exclude(path_regex=ALIASES)
platform = schemathesis.openapi.from_path(FOLDER / "platform.yaml").exclude(path=EVENTS)


@pytest.fixture(scope="session")
def key(stack: Any) -> str:
    """A key of a tenant that nobody else uses, since much is made and removed."""
    body = {"user_id": "fuzz", "tenant": "fuzzed", "roles": ["admin"]}
    return str(Client(stack).http.post("/admin/keys", json=body).json()["key"])


def check(case: Any, url: str, key: str) -> None:
    assume(len(json.dumps(case.body, default=str)) <= LONGEST_BODY)
    response = case.call(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120)
    # A 503 says which setting is missing or what is down, as documented; every other error of ours is a fault.
    failing = [] if response.status_code == 503 else [not_a_server_error]
    case.validate_response(response, checks=[*FORMS, *failing, negative_data_rejection])


@uran.include(path=ANSWERED).parametrize()
@bounded(2)
def test_answers_of_uran_are_given_as_documented(case: Any, stack: Any, key: str) -> None:
    check(case, stack.url, key)


@uran.exclude(path=ANSWERED).parametrize()
@bounded(4)
def test_uran_is_served_as_documented(case: Any, stack: Any, key: str) -> None:
    check(case, stack.url, key)


@platform.parametrize()
@bounded(4)
def test_platform_is_served_as_documented(case: Any, stack: Any, key: str) -> None:
    check(case, stack.url, key)
