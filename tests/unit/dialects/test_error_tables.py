"""Each dialect tells every error, and tells nothing of an unforeseen one."""

from __future__ import annotations

import inspect
import json

import pytest

from knowledge_base.dialects.contract import Contract
from knowledge_base.dialects.engineering.routes import CONTRACT as ENGINEERING
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.uran.routes import CONTRACT as URAN
from knowledge_base.domain import errors

CONTRACTS = pytest.mark.parametrize("contract", [PLATFORM, URAN, ENGINEERING], ids=lambda contract: contract.name)
LEAVES = [
    kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.KnowledgeBaseError)
]


@CONTRACTS
@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_every_error_of_the_domain_has_a_status(contract: Contract, kind: type[errors.KnowledgeBaseError]) -> None:
    status = contract.status_of(kind.__new__(kind))
    assert 400 <= status <= 599
    if kind is not errors.KnowledgeBaseError:
        assert status != 500, "an error raised on purpose has a status of its own"


@CONTRACTS
def test_an_unforeseen_error_tells_nothing(contract: Contract) -> None:
    reply = contract.error_reply(RuntimeError("password=hunter2 in /srv/secret.py"))
    assert reply.status == 500
    assert "hunter2" not in json.dumps(reply.body)
    assert "/srv" not in json.dumps(reply.body)


@CONTRACTS
def test_a_busy_part_says_when_to_come_back(contract: Contract) -> None:
    reply = contract.error_reply(errors.Overloaded("too much is waiting", retry_after=7))
    assert reply.status == 503
    assert reply.headers["Retry-After"] == "7"


def test_uran_says_status_and_message() -> None:
    reply = URAN.error_reply(errors.KnowledgeBaseNotFound("handbook"))
    assert reply.body == {"status": 404, "message": "knowledge base not found: handbook"}


def test_platform_says_code_and_message() -> None:
    reply = PLATFORM.error_reply(errors.AnswerNotFound("t"))
    assert reply.body == {"error": {"code": "answer_not_found", "message": "answer not found: t"}}


def test_engineering_says_what_rfc_9457_wants() -> None:
    reply = ENGINEERING.error_reply(errors.DocumentNotFound("d"))
    assert reply.media_type == "application/problem+json"
    expected = {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "document not found: d"}
    assert reply.body == {**expected, "code": "document_not_found"}
