"""The functions as Lambda runs them: real handlers, real events, an AWS in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.bootstrap import Container, get_container
from knowledge_base.bootstrap.functions import backoff_processor
from knowledge_base.ports.queues import Queue
from knowledge_base.settings import settings
from tests.aws import REGION, EmulatedAws, emulated_aws
from tests.builders import a_principal
from tests.fakes import FakeEmbedders, FakeWeb

EVENTS = Path(__file__).parents[2] / "events"
FIFO = {Queue.PUBLISH: ".fifo"}


def event(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@dataclass
class Deployment:
    """A deployment without anything in it, and the key `test-key` of the user ann."""

    aws: EmulatedAws
    container: Container
    urls: dict[str, str]

    def invoke(self, function: str, name: str | None = None, *, payload: dict[str, Any] | None = None) -> Any:
        handler: Callable[..., Any] = import_module(f"functions.{function}.app").lambda_handler
        context = SimpleNamespace(
            function_name=f"kb-{function}",
            memory_limit_in_mb=128,
            invoked_function_arn=f"arn:aws:lambda:{REGION}:123456789012:function:kb-{function}",
            aws_request_id="52fdfc07-2182-154f-163f-5f0f9a621d72",
        )
        return handler(payload or event(name or function), context)

    def messages(self, queue: Queue) -> list[dict[str, Any]]:
        reply = self.aws.sqs.receive_message(QueueUrl=self.urls[queue], MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in reply.get("Messages", [])]


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    with emulated_aws() as aws:
        urls = {queue: aws.queue(f"kb-{queue}{FIFO.get(queue, '')}") for queue in Queue}
        endpoints = [{"base_url": "http://127.0.0.1:9/v1", "model": "test-model", "dimensions": 64}]
        environment = {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": REGION,
            "KB_PROFILE": "aws",
            "KB_CATALOG_TABLE": aws.catalog_table(),
            "KB_RUNTIME_TABLE": aws.runtime_table(),
            "KB_DOCUMENTS_BUCKET": aws.bucket("kb-documents"),
            "KB_INDEX": "embedded",
            "KB_INDEX_PATH": str(tmp_path),
            "KB_EMBEDDING_ENDPOINTS": json.dumps(endpoints),
            **{f"KB_{queue.upper()}_QUEUE_URL": url for queue, url in urls.items()},
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        forget_process_state()
        aws.bucket("kb-drops")
        yield Deployment(aws, _container(), urls)
        forget_process_state()


def forget_process_state() -> None:
    for cached in (settings, get_container, backoff_processor):
        cached.cache_clear()


def _container() -> Container:
    container = get_container()
    container.stores.embedders = FakeEmbedders()
    container.stores.web = FakeWeb()
    container.stores.parser = LibraryDocumentParser()
    operator = a_principal(roles=frozenset({"operator"}))
    container.access.create_key(operator, a_principal(roles=frozenset({"admin"})), key="test-key")
    return container
