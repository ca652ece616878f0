"""What the functions behind queues make of real messages."""

from __future__ import annotations

import json

import pytest

from knowledge_base.domain.documents import IngestionState, Source, Version
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.ports.catalog import Claim
from knowledge_base.ports.queues import Queue
from tests.builders import a_document, a_principal, a_version
from tests.integration.conftest import Deployment, event

DOCUMENT = "3f2b8c1e-5d0a-4c6f-9a67-2f1f8e0f7a11"
KEY = VersionKey("acme", DOCUMENT, 1)
URL = "https://files.example/pump.txt"
READERS = ("parse", "chunk", "embed", "fetch", "publish", "question", "search", "answer", "notify", "dead_letter")


def accepted(deployment: Deployment, state: IngestionState = IngestionState.PENDING) -> Version:
    """The version that the events of `events/` are about."""
    kb = deployment.container.knowledge_bases.ensure(a_principal(), Dialect.URAN, "handbook")
    document = a_document(document_id=DOCUMENT, kb_id=kb.kb_id, names=frozenset({"pump.txt"}))
    version = a_version(document_id=DOCUMENT, kb_id=kb.kb_id, source=Source("pump.txt", URL, "txt"), state=state)
    deployment.container.stores.documents.accept(document, version, [Claim("name", "pump.txt")])
    return version


def state(deployment: Deployment) -> IngestionState:
    return deployment.container.stores.versions.get(DOCUMENT, 1).state


@pytest.mark.parametrize("function", READERS)
def test_a_message_about_nothing_that_is_there_is_done_with(deployment: Deployment, function: str) -> None:
    assert deployment.invoke(function) == {"batchItemFailures": []}


def test_the_stages_hand_over_until_the_document_is_ready(deployment: Deployment) -> None:
    version = accepted(deployment)
    deployment.container.stores.web.pages[URL] = b"The pump starts at 40 degrees."
    for function in ("fetch", "parse", "chunk", "embed"):
        assert deployment.invoke(function) == {"batchItemFailures": []}
    assert state(deployment) is IngestionState.PUBLISHING
    assert deployment.messages(Queue.PUBLISH) == [{"kb_id": version.kb_id}]
    knock = event("publish")
    knock["Records"][0]["body"] = json.dumps({"kb_id": version.kb_id})
    deployment.invoke("publish", payload=knock)
    assert state(deployment) is IngestionState.READY


def test_a_new_buckets_test_event_is_ignored(deployment: Deployment) -> None:
    assert deployment.invoke("parse", "s3_test_event") == {"batchItemFailures": []}


def test_a_failing_message_is_reported_and_comes_back_soon(deployment: Deployment) -> None:
    def fail(*_: object) -> None:
        raise ConnectionError

    deployment.container.embedding.embed = fail
    hidden = []
    deployment.container.stores.hide_message = lambda *arguments: hidden.append(arguments)
    payload = event("embed")
    reply = deployment.invoke("embed", payload=payload)
    record = payload["Records"][0]
    assert reply == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
    assert hidden == [(record["eventSourceARN"], record["receiptHandle"], 5)]


def test_what_the_embedder_never_answered_is_failed_and_kept_for_operators(deployment: Deployment) -> None:
    accepted(deployment)
    deployment.container.stores.objects.put(KEY.upload(), b"The pump.")
    for function in ("parse", "chunk", "dead_letter"):
        deployment.invoke(function)
    failed = deployment.container.stores.versions.get(DOCUMENT, 1)
    assert failed.failure
    assert failed.failure.code == "embedding_failed"
    admin = a_principal(roles=frozenset({"admin"}))
    letters = deployment.container.dead_letters.page(admin, limit=10, cursor=None).dead_letters
    assert [(letter.subject, letter.queue) for letter in letters] == [(DOCUMENT, "embed")]
    deployment.container.dead_letters.redrive(admin, letters[0].dead_letter_id)
    assert deployment.messages(Queue.EMBED) == [json.loads(event("dead_letter")["Records"][0]["body"])]
    deployment.invoke("embed")
    assert state(deployment) is IngestionState.PUBLISHING


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        "{}",
        '{"$stored_at": "messages/gone"}',
        '{"tenant": "acme", "document_id": "x", "ordinal": "first"}',
        '{"Records": 5}',
        '{"Records": [{"s3": {}}]}',
        '{"question_token": {"a": 1}, "kb_id": null, "delivery_id": 7, "intake_id": 5}',
    ],
)
@pytest.mark.parametrize("queue", [*Queue])
def test_a_message_of_no_form_of_ours_is_done_with_once_it_is_given_up(
    deployment: Deployment, queue: Queue, body: str
) -> None:
    payload = event("dead_letter")
    record = payload["Records"][0]
    record |= {"body": body, "eventSourceARN": f"arn:aws:sqs:eu-central-1:123456789012:kb-{queue}-dead"}
    assert deployment.invoke("dead_letter", payload=payload) == {"batchItemFailures": []}


def test_a_dropped_files_key_is_decoded_once(deployment: Deployment) -> None:
    deployment.aws.s3.put_object(Bucket="kb-drops", Key="acme/handbook/手册/a+b c.txt", Body=b"The pump.")
    assert deployment.invoke("drop", "drop_created") == {"batchItemFailures": []}
    kb = deployment.container.knowledge_bases.named("acme", Dialect.URAN, "handbook")
    documents = deployment.container.stores.documents.page(kb.kb_id, limit=10).documents
    assert [document.name for document in documents] == ["手册/a+b c.txt"]
    key = VersionKey("acme", documents[0].document_id, 1)
    assert deployment.container.stores.objects.get(key.upload()) == b"The pump."


def test_a_removed_drop_removes_its_document(deployment: Deployment) -> None:
    deployment.aws.s3.put_object(Bucket="kb-drops", Key="acme/handbook/手册/a+b c.txt", Body=b"The pump.")
    for _ in range(2):
        deployment.invoke("drop", "drop_created")
    deployment.invoke("drop", "drop_removed")
    kb = deployment.container.knowledge_bases.named("acme", Dialect.URAN, "handbook")
    assert deployment.container.stores.documents.page(kb.kb_id, limit=10).documents == ()


def test_the_sweep_runs_on_an_empty_deployment(deployment: Deployment) -> None:
    assert deployment.invoke("sweep") is None
