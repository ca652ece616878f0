"""What a person can set for the local stack, and what it becomes in the template. Reads the environment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.local.failures import StackFailure
from knowledge_base.settings import read_settings

BUNDLED_NO_EVIDENCE = "*=0.78-0.84,LATIN=0.77-0.83,HAN=0.84-0.875,MIXED=0.75-0.80"
"""How near the bundled model's passages must be; measured as docs/decisions/0017-what-counts-as-evidence.md says."""

LOCAL_WEBHOOK_RETRY_SECONDS = "1,2,4,8,12"
"""All tries of a webhook within half a minute, so that a person sees how it ends."""


LOCAL_BATCH_SLOTS = "12"
"""Two for each of the six that fetch, parse and embed at a time on a laptop: it is kept busy, and nobody waits long."""


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of one local stack; `settings` holds those that the functions read, by their variable."""

    port: int
    state_dir: Path
    settings: Mapping[str, str]

    @property
    def url(self) -> str:
        """Where the stack answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def fingerprint(self) -> str:
        """What tells whether two stacks were started with the same settings, without telling what they are."""
        return hashlib.sha256(json.dumps([self.port, *sorted(self.settings.items())]).encode()).hexdigest()

    @property
    def needs_chat_server(self) -> bool:
        """Whether the small chat model has to run: it was asked for, and no other is configured."""
        return self.settings.get("KB_LLM") == "local" and not self.settings.get("KB_LLM_ENDPOINTS")

    @property
    def needs_embedder(self) -> bool:
        """Whether the bundled embedding model has to run."""
        return not self.settings.get("KB_EMBEDDING_ENDPOINTS")

    def also_allowing(self, host: str) -> Options:
        """Return the same options with one more `host:port` that the functions may fetch from."""
        hosts = ",".join(filter(None, [self.settings.get("KB_FETCH_ALLOW_HOSTS", ""), host]))
        return Options(self.port, self.state_dir, {**self.settings, "KB_FETCH_ALLOW_HOSTS": hosts})


def read_options(environment: Mapping[str, str]) -> Options:
    """Return the options that an environment holds.

    Raises:
        StackFailure: a value has not the form it must have; the message names the variable.
    """
    settings = {name: value for name, value in environment.items() if name.startswith("KB_") and value.strip()}
    _check(settings)
    return Options(
        port=_port(settings.pop("KB_PORT", "8000")),
        state_dir=Path(settings.pop("KB_STATE_DIR", ".local")).expanduser().absolute(),
        settings=settings,
    )


def template_parameters(options: Options, *, embedder_url: str, index_path: Path, chat_url: str = "") -> dict[str, str]:
    """Return the parameters that make the template a stack on this machine; some may be none of the template's."""
    bundled = {"EmbeddingEndpoints": _bundled_endpoint(embedder_url), "NoEvidence": BUNDLED_NO_EVIDENCE}
    return {
        "Index": "embedded",
        "WebhookRetrySeconds": LOCAL_WEBHOOK_RETRY_SECONDS,
        "BatchSlots": LOCAL_BATCH_SLOTS,
        **(bundled if options.needs_embedder else {}),
        **({"LlmEndpoints": _local_chat(chat_url)} if options.needs_chat_server else {}),
        **{_parameter(name): value for name, value in options.settings.items()},
        "Profile": "local",
        "IndexPath": str(index_path),
    }


def _parameter(setting: str) -> str:
    """Return the parameter of a setting: `FetchAllowHosts` for `KB_FETCH_ALLOW_HOSTS`."""
    name = "".join(word.capitalize() for word in setting.split("_")[1:])
    return name.replace("Opensearch", "OpenSearch")


def _bundled_endpoint(url: str) -> str:
    endpoint = {
        "base_url": f"{url}/v1",
        "model": "e5-passage",
        "query_model": "e5-query",
        "dimensions": 384,
        "request_size": 4,
        "api_key": "local",
    }
    return json.dumps([endpoint])


def _local_chat(url: str) -> str:
    return json.dumps([{"base_url": f"{url}/v1", "model": "smollm2-135m", "api_key": "local"}])


def _port(value: str) -> int:
    if not (value.isascii() and value.isdigit() and 0 < int(value) < 65536):
        raise StackFailure(f"KB_PORT must be a port number, not {value!r}")
    return int(value)


def _check(settings: Mapping[str, str]) -> None:
    """Let the product's own reading of the settings say what is wrong, before anything is started."""
    try:
        read_settings(settings)
    except ValueError as error:
        raise StackFailure(f"a setting cannot be read: {error}") from error
    if settings.get("KB_LLM", "local") != "local":
        raise StackFailure(
            f"KB_LLM can only be local; other models are named by KB_LLM_ENDPOINTS, not {settings['KB_LLM']!r}"
        )
    index = settings.get("KB_INDEX", "embedded")
    if index not in ("embedded", "opensearch"):
        raise StackFailure(f"KB_INDEX must be embedded or opensearch, not {index!r}")
    if index == "opensearch" and not settings.get("KB_OPENSEARCH_URL"):
        raise StackFailure("KB_INDEX=opensearch needs KB_OPENSEARCH_URL; `make opensearch` starts one and says its URL")
