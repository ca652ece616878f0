"""What the functions behind API Gateway make of real requests."""

from __future__ import annotations

import base64
import json

from knowledge_base.ports.queues import Queue
from tests.builders import a_principal
from tests.integration.conftest import Deployment, event


def test_health_needs_no_key(deployment: Deployment) -> None:
    payload = event("api_health")
    del payload["headers"]["Authorization"]
    reply = deployment.invoke("api_platform", payload=payload)
    assert reply["statusCode"] == 200
    assert json.loads(reply["body"]) == {"status": "ok"}


def test_an_import_is_accepted_and_its_fetch_queued(deployment: Deployment) -> None:
    reply = deployment.invoke("api_uran", "api_uran_import")
    body = json.loads(reply["body"])
    assert (reply["statusCode"], body["status"], body["message"]) == (200, 200, "success")
    assert len(deployment.messages(Queue.FETCH)) == 1


def test_a_body_in_base64_is_the_same_body(deployment: Deployment) -> None:
    payload = event("api_uran_import")
    payload["body"] = base64.b64encode(payload["body"].encode()).decode()
    payload["isBase64Encoded"] = True
    assert deployment.invoke("api_uran", payload=payload)["statusCode"] == 200


def test_without_a_key_the_reply_is_the_contracts_401(deployment: Deployment) -> None:
    payload = event("api_uran_import")
    del payload["headers"]["Authorization"]
    reply = deployment.invoke("api_uran", payload=payload)
    assert reply["statusCode"] == 401
    assert json.loads(reply["body"])["status"] == 401


def test_an_unknown_route_is_told_in_the_form_of_its_dialect(deployment: Deployment) -> None:
    reply = deployment.invoke("api_uran", "api_uran_unknown_route")
    assert reply["statusCode"] == 404
    assert json.loads(reply["body"])["status"] == 404
    reply = deployment.invoke("api_platform", "api_unknown_route")
    assert reply["statusCode"] == 404
    assert json.loads(reply["body"])["error"]["code"] == "route_not_found"


def test_a_new_key_works_and_a_revoked_one_does_not(deployment: Deployment) -> None:
    made = json.loads(deployment.invoke("api_platform", "api_create_key")["body"])
    payload = event("api_uran_import")
    payload["headers"]["Authorization"] = f"Bearer {made['key']}"
    assert deployment.invoke("api_uran", payload=payload)["statusCode"] == 200
    revoke = event("api_create_key")
    path = f"/admin/keys/{made['key_id']}"
    revoke |= {"httpMethod": "DELETE", "path": path, "body": None}
    assert deployment.invoke("api_platform", payload=revoke)["statusCode"] == 204
    assert deployment.invoke("api_uran", payload=payload)["statusCode"] == 401


def test_an_unforeseen_error_says_nothing_of_itself(deployment: Deployment) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the table kb-catalog is on fire")

    deployment.container.knowledge_bases.ensure = broken
    reply = deployment.invoke("api_uran", "api_uran_import")
    assert reply["statusCode"] == 500
    assert json.loads(reply["body"]) == {"status": 500, "message": "internal error"}


def test_a_document_is_stored_from_the_form_that_the_gateway_encodes(
    deployment: Deployment,
) -> None:
    stored = deployment.invoke("api_engineering", "api_engineering_store")
    assert (stored["statusCode"], json.loads(stored["body"])["status"]) == (200, "pending")
    assert stored["multiValueHeaders"]["ETag"] == ['"1"']
    document_id = json.loads(stored["body"])["document_id"]
    content = deployment.container.reading.content(a_principal(), document_id)
    assert b"".join(content.pieces).decode() == "# Pump\n\nThe pump starts at 40 degrees — always.\n"
    found = deployment.invoke("api_engineering", "api_engineering_search")
    assert found["statusCode"] == 200
    assert json.loads(found["body"])["total_results"] == 0, "it is not ingested yet"


def test_the_engineering_contract_tells_errors_as_problems(deployment: Deployment) -> None:
    payload = event("api_engineering_search")
    payload["multiValueQueryStringParameters"]["tag"] = ["a"]
    reply = deployment.invoke("api_engineering", payload=payload)
    assert (reply["statusCode"], reply["multiValueHeaders"]["Content-Type"]) == (400, ["application/problem+json"])
    assert json.loads(reply["body"])["detail"] == "unknown parameter: tag"
