"""The only place that reads the environment."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

from knowledge_base.domain.breakers import BreakerRule
from knowledge_base.domain.deadlines import SILENCE
from knowledge_base.domain.evidence import OTHERWISE, EvidenceRule, Nearness
from knowledge_base.domain.knowledge_bases import EmbeddingConfig

MEGABYTE = 1024 * 1024
MAX_DOCUMENT_BYTES = 50 * MEGABYTE
"""The same limit wherever a document comes in."""

INLINE_BYTES = int(4.4 * MEGABYTE)
"""A function is sent 6 MB, and a file reaches it as Base64, with the form around it.

https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

WEBHOOK_RETRY_SECONDS = (30, 300, 1800, 7200, 21600, 54000)
"""The waits between the tries of a webhook: seven tries within 24 hours."""

BATCH_SLOTS = 64
"""So many documents of a tenant's batch are on their way at once: more than the stages together work on."""

INGESTION_QUEUE_LIMIT = 50_000
"""Fifty full import calls; behind so many messages a new one waits for the better part of an hour."""

QUESTION_QUEUE_LIMIT = 1_000
"""What fifty questions at a time work off well before the last one's deadline."""

DEFAULT_EMBEDDING = EmbeddingConfig("text-embedding-3-small", 1536)
"""The model of a new knowledge base where no endpoint is configured yet."""


_EVIDENCE = re.compile(r"(?:(?P<script>[A-Z]+|\*)=(?P<worded>0|0?\.[0-9]+)-)?(?P<wordless>[01]|0?\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint; `query_model`, `dimensions` and `request_size` are for embeddings only.

    `request_size` is how many texts one request carries: fewer for a slow endpoint, so that no request
    runs out of time. `vision` is for chat: whether the model reads images, where the endpoint does not say so itself.
    """

    base_url: str
    model: str
    api_key: str = ""
    weight: int = 1
    query_model: str = ""
    dimensions: int = 0
    request_size: int = 64
    vision: bool | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a deployment can set, with its default."""

    profile: str = "aws"
    catalog_table: str = ""
    runtime_table: str = ""
    documents_bucket: str = ""
    queue_urls: Mapping[str, str] = field(default_factory=dict)
    index: str = "opensearch"
    index_path: str = ""
    opensearch_url: str = ""
    embedding_endpoints: tuple[Endpoint, ...] = ()
    llm_endpoints: tuple[Endpoint, ...] = ()
    rerank_endpoints: tuple[Endpoint, ...] = ()
    embedding_endpoints_secret: str = ""
    llm_endpoints_secret: str = ""
    rerank_endpoints_secret: str = ""
    evidence: EvidenceRule = field(default_factory=EvidenceRule)
    fetch_allow_hosts: frozenset[str] = frozenset()
    cors_origins: tuple[str, ...] = ()
    webhook_retry_seconds: tuple[int, ...] = WEBHOOK_RETRY_SECONDS
    silence_seconds: int = SILENCE
    batch_slots: int = BATCH_SLOTS
    ingestion_queue_limit: int = INGESTION_QUEUE_LIMIT
    question_queue_limit: int = QUESTION_QUEUE_LIMIT
    breaker: BreakerRule = field(default_factory=BreakerRule)
    ocr_languages: str = ""
    region: str = "us-east-1"

    @property
    def inline_bytes(self) -> int:
        """How many bytes of a document a request may carry: on AWS, what Lambda takes in as Base64."""
        return MAX_DOCUMENT_BYTES if self.is_local else INLINE_BYTES

    @property
    def is_local(self) -> bool:
        """Whether this is the local profile."""
        return self.profile == "local"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings that an environment holds.

    Raises:
        ValueError: a value has not the form it must have; the message names the variable.
    """
    get = environment.get
    return Settings(
        profile=get("KB_PROFILE", "aws"),
        catalog_table=get("KB_CATALOG_TABLE", ""),
        runtime_table=get("KB_RUNTIME_TABLE", ""),
        documents_bucket=get("KB_DOCUMENTS_BUCKET", ""),
        queue_urls=_queue_urls(environment),
        index=get("KB_INDEX", "opensearch"),
        index_path=get("KB_INDEX_PATH", ""),
        opensearch_url=get("KB_OPENSEARCH_URL", ""),
        embedding_endpoints=parse_endpoints("KB_EMBEDDING_ENDPOINTS", get("KB_EMBEDDING_ENDPOINTS", "")),
        rerank_endpoints=parse_endpoints("KB_RERANK_ENDPOINTS", get("KB_RERANK_ENDPOINTS", "")),
        llm_endpoints=parse_endpoints("KB_LLM_ENDPOINTS", get("KB_LLM_ENDPOINTS", "")),
        embedding_endpoints_secret=get("KB_EMBEDDING_ENDPOINTS_SECRET", ""),
        rerank_endpoints_secret=get("KB_RERANK_ENDPOINTS_SECRET", ""),
        llm_endpoints_secret=get("KB_LLM_ENDPOINTS_SECRET", ""),
        evidence=evidence_rule(get("KB_NO_EVIDENCE", "")),
        fetch_allow_hosts=_hosts(get("KB_FETCH_ALLOW_HOSTS", "")),
        cors_origins=tuple(_words(get("KB_CORS_ORIGINS", ""))),
        webhook_retry_seconds=_seconds(get("KB_WEBHOOK_RETRY_SECONDS", "")),
        silence_seconds=int(get("KB_SILENCE_SECONDS", "") or SILENCE),
        batch_slots=_limit(environment, "KB_BATCH_SLOTS", BATCH_SLOTS),
        ingestion_queue_limit=_limit(environment, "KB_INGESTION_QUEUE_LIMIT", INGESTION_QUEUE_LIMIT),
        question_queue_limit=_limit(environment, "KB_QUESTION_QUEUE_LIMIT", QUESTION_QUEUE_LIMIT),
        breaker=_breaker(environment),
        ocr_languages=_languages(get("KB_OCR_LANGUAGES", "")),
        region=get("AWS_REGION", get("AWS_DEFAULT_REGION", "us-east-1")),
    )


def evidence_rule(value: str) -> EvidenceRule:
    """Return the rule that `*=0.74-0.83,HAN=0.80-0.89` writes, script by script; `0.83` alone is `*=0-0.83`.

    Raises:
        ValueError: it is not written so.
    """
    entries = [_EVIDENCE.fullmatch(entry) for entry in _words(value)]
    if not all(entries):
        raise ValueError(f"KB_NO_EVIDENCE must be a cosine, or a list of script=cosine-cosine, not {value!r}")
    return EvidenceRule(
        {
            found["script"] or OTHERWISE: Nearness(float(found["worded"] or 0), float(found["wordless"]))
            for found in entries
            if found
        }
    )


@cache
def settings() -> Settings:
    """Return the settings of this process."""
    return read_settings(os.environ)


def _queue_urls(environment: Mapping[str, str]) -> dict[str, str]:
    prefix, suffix = "KB_", "_QUEUE_URL"
    return {
        name[len(prefix) : -len(suffix)].lower(): url
        for name, url in environment.items()
        if name.startswith(prefix) and name.endswith(suffix)
    }


def _words(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]


def _hosts(value: str) -> frozenset[str]:
    hosts = _words(value)
    for host in hosts:
        if not host.rpartition(":")[0] or not host.rpartition(":")[2].isdigit():
            raise ValueError(f"KB_FETCH_ALLOW_HOSTS must be a list of host:port, not {host!r}")
    return frozenset(hosts)


def _languages(value: str) -> str:
    """Languages as Tesseract names its data, `eng+chi_sim`; empty: text in pictures is not read."""
    if value and not re.fullmatch(r"\w+(?:\+\w+)*", value, re.ASCII):
        raise ValueError(f"KB_OCR_LANGUAGES must be languages with + between them, such as eng+chi_sim, not {value!r}")
    return value


def _limit(environment: Mapping[str, str], name: str, otherwise: int) -> int:
    value = environment.get(name, "").strip()
    if value and not (value.isascii() and value.isdigit() and int(value)):
        raise ValueError(f"{name} must be a whole number from 1 on, not {value!r}")
    return int(value or otherwise)


def _breaker(environment: Mapping[str, str]) -> BreakerRule:
    usual = BreakerRule()
    failures = _limit(environment, "KB_BREAKER_FAILURES", usual.failures)
    rest = _limit(environment, "KB_BREAKER_SECONDS", int(usual.rest.total_seconds()))
    return BreakerRule(failures, timedelta(seconds=rest))


def _seconds(value: str) -> tuple[int, ...]:
    return tuple(int(word) for word in _words(value)) or WEBHOOK_RETRY_SECONDS


def parse_endpoints(variable: str, value: str) -> tuple[Endpoint, ...]:
    """Return the endpoints of a JSON list, none of an empty value.

    Raises:
        ValueError: it is not of that form; the message names the variable or secret, and not its value.
    """
    if not value.strip():
        return ()
    try:
        entries: list[dict[str, Any]] = json.loads(value)
        return tuple(Endpoint(**entry) for entry in entries)
    except (ValueError, TypeError):
        raise ValueError(f"{variable} must be a JSON list of objects with base_url and model") from None
