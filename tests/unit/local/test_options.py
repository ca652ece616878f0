from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from infra.local.failures import StackFailure
from infra.local.options import BUNDLED_NO_EVIDENCE, Options, read_options, template_parameters
from infra.local.packaging import load_template
from infra.local.supervisor import TEMPLATE
from knowledge_base.settings import read_settings


def parameters_of(options: Options) -> dict[str, str]:
    return template_parameters(
        options, embedder_url="http://127.0.0.1:9", chat_url="http://127.0.0.1:8", index_path=Path("/state/index")
    )


def test_empty_environment_gives_the_documented_defaults() -> None:
    options = read_options({})

    assert options.port == 8000
    assert options.url == "http://127.0.0.1:8000"
    assert options.state_dir == Path.cwd() / ".local"
    assert options.needs_embedder


def test_without_settings_the_template_gets_the_local_profile_and_the_bundled_model() -> None:
    parameters = parameters_of(read_options({}))

    assert parameters["Profile"] == "local"
    assert parameters["Index"] == "embedded"
    assert parameters["IndexPath"] == "/state/index"
    [endpoint] = json.loads(parameters["EmbeddingEndpoints"])
    assert endpoint == {
        "base_url": "http://127.0.0.1:9/v1",
        "model": "e5-passage",
        "query_model": "e5-query",
        "dimensions": 384,
        "request_size": 4,
        "api_key": "local",
    }


def test_local_webhooks_are_tried_at_least_five_times_within_half_a_minute() -> None:
    waits = [int(word) for word in parameters_of(read_options({}))["WebhookRetrySeconds"].split(",")]

    assert len(waits) + 1 >= 5
    assert sum(waits) < 30


def test_the_small_chat_model_is_there_when_it_is_asked_for_and_no_other_is_named() -> None:
    options = read_options({"KB_LLM": "local"})
    assert options.needs_chat_server
    [endpoint] = json.loads(parameters_of(options)["LlmEndpoints"])
    assert endpoint["base_url"] == "http://127.0.0.1:8/v1"

    own = '[{"base_url": "https://models.example/v1", "model": "m"}]'
    named = read_options({"KB_LLM": "local", "KB_LLM_ENDPOINTS": own})
    assert not named.needs_chat_server
    assert parameters_of(named)["LlmEndpoints"] == own

    assert not read_options({}).needs_chat_server
    assert "LlmEndpoints" not in parameters_of(read_options({}))
    with pytest.raises(StackFailure, match="KB_LLM"):
        read_options({"KB_LLM": "gpt-4"})


def test_own_embedding_endpoints_replace_the_bundled_model_and_its_threshold() -> None:
    endpoints = '[{"base_url": "https://models.example/v1", "model": "m"}]'

    options = read_options({"KB_EMBEDDING_ENDPOINTS": endpoints})

    assert not options.needs_embedder
    assert parameters_of(options)["EmbeddingEndpoints"] == endpoints
    assert "NoEvidence" not in parameters_of(options)


@pytest.mark.parametrize("value", [BUNDLED_NO_EVIDENCE, "0.3", "0", "", "HAN=0.8-0.9"])
def test_template_and_functions_read_the_same_rules_of_evidence(value: str) -> None:
    pattern = load_template(TEMPLATE)["Parameters"]["NoEvidence"]["AllowedPattern"]

    assert re.fullmatch(pattern, value)
    assert read_settings({"KB_NO_EVIDENCE": value})


def test_every_documented_setting_reaches_its_parameter() -> None:
    parameters = parameters_of(
        read_options(
            {
                "KB_INDEX": "opensearch",
                "KB_OPENSEARCH_URL": "http://127.0.0.1:9200",
                "KB_LLM_ENDPOINTS": '[{"base_url": "http://127.0.0.1:1/v1", "model": "m"}]',
                "KB_FETCH_ALLOW_HOSTS": "files.test:81",
                "KB_RATE_WINDOW_SECONDS": "5",
                "KB_WEBHOOK_RETRY_SECONDS": "1,1",
                "KB_NO_EVIDENCE": "0.5",
                "KB_SILENCE_SECONDS": "20",
            }
        )
    )

    assert parameters["Index"] == "opensearch"
    assert parameters["OpenSearchUrl"] == "http://127.0.0.1:9200"
    assert "127.0.0.1:1" in parameters["LlmEndpoints"]
    assert parameters["FetchAllowHosts"] == "files.test:81"
    assert parameters["RateWindowSeconds"] == "5"
    assert parameters["WebhookRetrySeconds"] == "1,1"
    assert parameters["NoEvidence"] == "0.5"
    assert parameters["SilenceSeconds"] == "20"


def test_parameters_are_those_of_the_template() -> None:
    known = load_template(TEMPLATE)["Parameters"]
    settings = {
        "KB_OPENSEARCH_URL": "http://127.0.0.1:9200",
        "KB_LLM_ENDPOINTS": "[]",
        "KB_FETCH_ALLOW_HOSTS": "a:1",
        "KB_SILENCE_SECONDS": "20",
    }

    assert set(parameters_of(read_options(settings))) <= set(known)


def test_one_more_allowed_host_joins_those_that_were_set() -> None:
    options = read_options({"KB_FETCH_ALLOW_HOSTS": "files.test:81"}).also_allowing("127.0.0.1:82")

    assert parameters_of(options)["FetchAllowHosts"] == "files.test:81,127.0.0.1:82"


def test_one_allowed_host_needs_no_other() -> None:
    assert parameters_of(read_options({}).also_allowing("127.0.0.1:82"))["FetchAllowHosts"] == "127.0.0.1:82"


@pytest.mark.parametrize("port", ["abc", "0", "65536", "-1", "٨٠"])
def test_impossible_port_is_refused_with_its_variable(port: str) -> None:
    with pytest.raises(StackFailure, match="KB_PORT"):
        read_options({"KB_PORT": port})


@pytest.mark.parametrize("variable", ["KB_LLM_ENDPOINTS", "KB_EMBEDDING_ENDPOINTS"])
def test_endpoints_that_are_no_json_are_refused_with_their_variable(variable: str) -> None:
    with pytest.raises(StackFailure, match=variable):
        read_options({variable: "http://127.0.0.1:1"})


def test_unknown_index_is_refused() -> None:
    with pytest.raises(StackFailure, match="KB_INDEX"):
        read_options({"KB_INDEX": "elastic"})


def test_opensearch_without_its_url_says_how_to_get_one() -> None:
    with pytest.raises(StackFailure, match="make opensearch"):
        read_options({"KB_INDEX": "opensearch"})


def test_blank_setting_counts_as_not_set() -> None:
    assert read_options({"KB_PORT": " ", "KB_LLM_ENDPOINTS": ""}).port == 8000
