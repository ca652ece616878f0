"""Rules for the functions."""

from __future__ import annotations

import re
from typing import Any

import pytest

from knowledge_base.domain import deadlines
from knowledge_base.services.notifications import DELIVERY_LEASE
from tests.template.stack import NAME, ROOT, Resource, Stack, on_a_laptop, on_aws, read_template, with_everything

FUNCTION = "AWS::Lambda::Function"
PIPELINE = ["fetch", "parse", "chunk", "embed", "publish"]
SETTINGS = (ROOT / "layers/core/knowledge_base/settings.py").read_text(encoding="utf-8")


def name_of(function: Resource) -> str:
    return function.properties["FunctionName"].removeprefix(f"{NAME}-")


def function(name: str) -> dict[str, Any]:
    return on_aws().named(FUNCTION, "FunctionName", f"{NAME}-{name}").properties


def variables(name: str) -> dict[str, str]:
    return function(name)["Environment"]["Variables"]


def layers_of(name: str) -> list[str]:
    return [re.sub("[0-9a-f]{10}$", "", layer) for layer in function(name)["Layers"]]


def test_the_functions_are_those_that_have_code():
    with_code = {path.parent.name for path in (ROOT / "functions").glob("*/app.py")}
    assert {name_of(resource) for resource in on_aws().of_type(FUNCTION)} == with_code


@pytest.mark.parametrize("resource", on_aws().of_type(FUNCTION), ids=name_of)
def test_a_function_runs_its_own_code_on_one_runtime_and_is_traced(resource: Resource):
    assert resource.properties["Code"]["S3Key"] == f"functions/{name_of(resource)}/"
    assert resource.properties["Runtime"] == "python3.13"
    assert resource.properties["Architectures"] == ["x86_64"]
    assert resource.properties["TracingConfig"] == {"Mode": "Active"}


@pytest.mark.parametrize("resource", on_aws().of_type(FUNCTION), ids=name_of)
def test_a_function_says_itself_how_long_it_may_take_and_how_much_memory_it_has(resource: Resource):
    written = read_template("template.yaml")
    assert {"Timeout", "MemorySize"} <= written["Resources"][resource.logical_id]["Properties"].keys()
    assert not {"Timeout", "MemorySize"} & written["Globals"]["Function"].keys()


@pytest.mark.parametrize("name", PIPELINE)
def test_a_stage_has_ended_before_the_sweep_takes_it_for_dead(name: str):
    assert function(name)["Timeout"] < deadlines.SILENCE


def test_no_function_outlives_the_lease_or_deadline_that_it_works_under():
    assert function("publish")["Timeout"] < deadlines.PUBLISH_LEASE
    assert function("notify")["Timeout"] <= DELIVERY_LEASE
    assert function("answer")["Timeout"] <= deadlines.QUESTION
    assert function("sweep")["Timeout"] < 60
    assert function("stream")["Timeout"] > deadlines.QUESTION


def test_functions_behind_the_gateway_end_before_it_gives_up():
    for resource in on_aws().of_type(FUNCTION):
        if name_of(resource).startswith("api_"):
            assert resource.properties["Timeout"] <= 29, resource


@pytest.mark.parametrize("resource", on_aws().of_type(FUNCTION), ids=name_of)
def test_a_function_logs_json_to_a_group_that_forgets(resource: Resource):
    logging = resource.properties["LoggingConfig"]
    group = on_aws().named("AWS::Logs::LogGroup", "LogGroupName", logging["LogGroup"])
    assert logging["LogFormat"] == "JSON"
    assert int(group.properties["RetentionInDays"]) == 30


def test_every_log_group_forgets():
    assert all("RetentionInDays" in group.properties for group in on_aws().of_type("AWS::Logs::LogGroup"))


def test_only_parse_carries_the_parsing_libraries():
    for resource in on_aws().of_type(FUNCTION):
        name = name_of(resource)
        assert layers_of(name)[:2] == ["CoreLayer", "DependenciesLayer"]
        assert ("ParsingLayer" in layers_of(name)) == (name == "parse")


def test_text_in_pictures_is_read_by_parse_where_it_is_switched_on():
    assert "OcrLayer" not in layers_of("parse")
    switched_on = Stack(OcrLanguages="eng+chi_sim")
    (parse,) = (found for found in switched_on.of_type(FUNCTION) if name_of(found) == "parse")
    assert any(layer.startswith("OcrLayer") for layer in parse.properties["Layers"])
    assert parse.properties["Environment"]["Variables"]["KB_OCR_LANGUAGES"] == "eng+chi_sim"


def test_layers_are_built_for_the_runtime_of_the_functions():
    for layer in on_aws().of_type("AWS::Lambda::LayerVersion"):
        assert layer.properties["CompatibleRuntimes"] == ["python3.13"], layer
        assert not (ROOT / layer.properties["Content"]["S3Key"] / "python").exists(), "the build makes this folder"


def test_settings_reads_every_variable_that_the_template_sets():
    read = set(re.findall(r'"(KB_\w+)"', SETTINGS))
    given = {
        name
        for resource in on_aws().of_type(FUNCTION)
        for name in resource.properties["Environment"]["Variables"]
        if name.startswith("KB_") and not name.endswith("_QUEUE_URL")
    }
    assert given <= read


def test_only_functions_that_call_a_model_are_told_where_it_is():
    def told(variable: str) -> set[str]:
        return {name_of(r) for r in on_aws().of_type(FUNCTION) if variable in r.properties["Environment"]["Variables"]}

    embedding = {"embed", "question", "drop", "stream", "api_uran", "api_engineering", "api_platform"}
    assert told("KB_EMBEDDING_ENDPOINTS") == told("KB_EMBEDDING_ENDPOINTS_SECRET") == embedding
    assert told("KB_LLM_ENDPOINTS") == told("KB_LLM_ENDPOINTS_SECRET") == {"question", "answer"}
    assert told("KB_RERANK_ENDPOINTS") == told("KB_RERANK_ENDPOINTS_SECRET") == {"search", "api_engineering"}


def test_lists_of_endpoints_are_not_shown_by_the_console():
    parameters = read_template("template.yaml")["Parameters"]
    assert parameters["EmbeddingEndpoints"]["NoEcho"] is True
    assert parameters["LlmEndpoints"]["NoEcho"] is True
    assert parameters["RerankEndpoints"]["NoEcho"] is True


def test_the_stream_function_runs_a_web_application_behind_the_adapter():
    assert function("stream")["Handler"] == "run.sh"
    assert variables("stream")["AWS_LAMBDA_EXEC_WRAPPER"] == "/opt/bootstrap"
    assert variables("stream")["AWS_LWA_INVOKE_MODE"] == "response_stream"
    assert layers_of("stream")[-1].startswith("arn:aws:lambda:eu-central-1:753240598075:layer:LambdaAdapterLayerX86:")


def test_a_start_script_of_the_stream_function_can_be_executed():
    script = ROOT / "functions/stream/run.sh"
    assert script.stat().st_mode & 0o111
    assert script.read_text().startswith("#!")


def test_the_sweep_comes_every_minute_and_a_failed_round_is_not_repeated():
    (rule,) = on_aws().of_type("AWS::Events::Rule")
    assert rule.properties["ScheduleExpression"] == "rate(1 minute)"
    (config,) = on_aws().of_type("AWS::Lambda::EventInvokeConfig")
    assert config.properties["MaximumRetryAttempts"] == 0


def test_functions_join_a_network_only_when_one_is_given():
    assert all("VpcConfig" not in resource.properties for resource in on_aws().of_type(FUNCTION))
    for resource in with_everything().of_type(FUNCTION):
        assert resource.properties["VpcConfig"] == {
            "SubnetIds": ["subnet-1", "subnet-2"],
            "SecurityGroupIds": ["sg-1"],
        }


def test_a_laptop_runs_the_same_functions_with_the_index_in_a_folder():
    local = {name_of(r): r.properties["Environment"]["Variables"] for r in on_a_laptop().of_type(FUNCTION)}
    assert local.keys() == {name_of(r) for r in on_aws().of_type(FUNCTION)}
    for given in local.values():
        assert (given["KB_PROFILE"], given["KB_INDEX"], given["KB_INDEX_PATH"]) == ("local", "embedded", "/somewhere")
