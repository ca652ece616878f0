"""Rules for the API: what the gateway takes in, and which function answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from knowledge_base.dialects.contract import Contract
from knowledge_base.dialects.engineering.routes import CONTRACT as ENGINEERING
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.uran.routes import CONTRACT as URAN
from tests.template.stack import NAME, Resource, on_a_laptop, on_aws, read_template

CONTRACTS = (PLATFORM, URAN, ENGINEERING)
METHODS = ("get", "post", "put", "patch", "delete", "options")
STREAM = "stream"


def api() -> Resource:
    (resource,) = on_aws().of_type("AWS::ApiGateway::RestApi")
    return resource


def paths() -> dict[str, dict[str, Any]]:
    return api().properties["Body"]["paths"]


def resource_for(path: str) -> str:
    """Return the path of the API that takes a request, chosen as the gateway does: the most literal one."""
    fitting = [template for template in paths() if re.fullmatch(_pattern(template), path)]
    return min(fitting, key=lambda template: [("{proxy+}" in part, "{" in part) for part in template.split("/")])


def _pattern(template: str) -> str:
    return re.sub(r"{\w+}", "[^/]+", re.sub(r"{\w+\+}", ".+", template))


def integration(method: str, path: str) -> dict[str, Any]:
    return paths()[resource_for(path)][method.lower()]["x-amazon-apigateway-integration"]


def function_for(method: str, path: str) -> str:
    (name,) = re.findall(rf"{NAME}-(\w+)", integration(method, path)["uri"])
    return name


@pytest.mark.parametrize(
    ("contract", "function"), [(PLATFORM, "api_platform"), (URAN, "api_uran"), (ENGINEERING, "api_engineering")]
)
def test_a_plain_route_of_a_contract_is_answered_by_the_function_of_that_contract(contract: Contract, function: str):
    for route in contract.routes:
        path = re.sub(r"{\w+}", "x", route.path)
        assert function_for(route.method, path) == function, route
        assert "responseTransferMode" not in integration(route.method, path)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_a_stream_route_of_a_contract_is_streamed_for_up_to_15_minutes(contract: Contract):
    for route in contract.served_by_stream:
        path = re.sub(r"{\w+}", "x", route.path)
        assert function_for(route.method, path) == STREAM, route
        assert integration(route.method, path)["responseTransferMode"] == "STREAM"
        assert integration(route.method, path)["timeoutInMillis"] == 900_000


def test_nothing_but_stream_routes_goes_to_the_stream_function():
    streamed = {
        (method, path) for path, operations in paths().items() for method in operations if _is_streamed(path, method)
    }
    assert streamed == {
        (route.method.lower(), route.path) for contract in CONTRACTS for route in contract.served_by_stream
    }


def _is_streamed(path: str, method: str) -> bool:
    return f"{NAME}-{STREAM}/" in paths()[path][method]["x-amazon-apigateway-integration"]["uri"]


def test_a_method_on_a_path_is_named_by_one_function_only():
    events = Counter(
        (event["Properties"]["Path"], event["Properties"]["Method"].lower())
        for resource in read_template("template.yaml")["Resources"].values()
        for event in resource.get("Properties", {}).get("Events", {}).values()
        if event["Type"] == "Api"
    )
    assert [route for route, count in events.items() if count > 1] == []


def test_methods_are_named_one_by_one():
    for path, operations in paths().items():
        assert set(operations) <= set(METHODS), path


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("/documents/1/nothing/at/all", "api_engineering"),
        ("/search/nothing", "api_engineering"),
        ("/uran/lm/nothing", "api_uran"),
        ("/ruran/nothing/at/all", "api_uran"),
        ("/nothing", "api_platform"),
        ("/nothing/at/all", "api_platform"),
    ],
)
def test_an_unknown_path_is_answered_by_the_dialect_whose_prefix_it_has(method: str, path: str, function: str):
    assert function_for(method, path) == function


def test_a_page_of_another_origin_may_ask_first_on_every_path():
    for path, operations in paths().items():
        assert "options" in operations, path
        assert not _is_streamed(path, "options")


def test_the_api_is_regional_traced_and_takes_files_as_they_are():
    assert api().properties["EndpointConfiguration"] == {"Types": ["REGIONAL"]}
    assert set(api().properties["Body"]["x-amazon-apigateway-binary-media-types"]) == {
        "multipart/form-data",
        "application/octet-stream",
    }
    (stage,) = on_aws().of_type("AWS::ApiGateway::Stage")
    assert stage.properties["TracingEnabled"] is True
    (settings,) = stage.properties["MethodSettings"]
    assert int(settings["ThrottlingRateLimit"]) == 200


def test_access_is_logged_without_bodies_queries_or_keys():
    (stage,) = on_aws().of_type("AWS::ApiGateway::Stage")
    setting = stage.properties["AccessLogSetting"]
    line = re.sub(r"\$context\.[\w.]+", "1", setting["Format"])
    assert json.loads(line)["status"] == 1
    assert not re.search(r"(?i)query|header|body|apikey|authorizer", setting["Format"])
    assert on_aws().named("AWS::Logs::LogGroup", "LogGroupName", f"/aws/apigateway/{NAME}")


def test_the_gateway_may_log_before_the_stage_that_logs_is_made():
    assert read_template("template.yaml")["Resources"]["Api"]["DependsOn"] == "ApiGatewayAccount"
    assert len(on_aws().of_type("AWS::ApiGateway::Account")) == 1
    assert on_a_laptop().of_type("AWS::ApiGateway::Account") == []


def gateway_responses() -> dict[str, dict[str, Any]]:
    return api().properties["Body"]["x-amazon-apigateway-gateway-responses"]


def body_of(kind: str) -> dict[str, Any]:
    template = gateway_responses()[kind]["responseTemplates"]["application/json"]
    filled = template.replace("$context.error.messageString", '"words"').replace("$context.error.responseType", "KIND")
    return json.loads(filled)


@pytest.mark.parametrize("kind", ["DEFAULT_4XX", "DEFAULT_5XX"])
def test_what_the_gateway_says_by_itself_can_be_read_by_every_dialect(kind: str):
    assert body_of(kind) == {"message": "words", "error": {"code": "KIND", "message": "words"}}


@pytest.mark.parametrize(
    ("kind", "status", "code", "words"),
    [
        ("REQUEST_TOO_LARGE", 413, "payload_too_large", "POST /uploads"),
        ("MISSING_AUTHENTICATION_TOKEN", 404, "not_found", "nothing here"),
        ("THROTTLED", 429, "too_many_requests", "too many"),
    ],
)
def test_refusals_of_the_gateway_say_what_to_do(kind: str, status: int, code: str, words: str):
    assert int(gateway_responses()[kind]["statusCode"]) == status
    body = body_of(kind)
    assert (body["status"], body["code"], body["error"]["code"]) == (status, status, code)
    assert words in body["message"]
    assert body["error"]["message"] == body["message"]


def test_a_throttled_caller_is_told_when_to_come_back():
    assert gateway_responses()["THROTTLED"]["responseParameters"]["gatewayresponse.header.Retry-After"] == "'1'"
