"""The catalog in DynamoDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from knowledge_base.adapters.aws.documents import DynamoDBDocuments
from knowledge_base.adapters.aws.knowledge_bases import DynamoDBKnowledgeBases
from knowledge_base.adapters.aws.publications import DynamoDBPublications
from knowledge_base.adapters.aws.versions import DynamoDBVersions
from knowledge_base.domain.documents import Failure, FailureCode, IngestionState
from knowledge_base.domain.errors import Overloaded, PayloadTooLarge, StaleState, VersionNotFound
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.ports.catalog import Claim, Publication, Staged
from tests.aws import EmulatedAws, Intercepted, a_refusal, counted, emulated_aws, one_at_a_time, refusing
from tests.builders import a_document, a_knowledge_base, a_version
from tests.contract.catalog_contract import Catalog, KnowledgeBasesContract, PublicationsContract
from tests.contract.documents_contract import DocumentsContract
from tests.contract.versions_contract import VersionsContract
from tests.fakes import FakeClock


@pytest.fixture
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws() as aws:
        yield aws


@pytest.fixture
def catalog(aws: EmulatedAws) -> Catalog:
    return a_catalog(one_at_a_time(aws.dynamodb), aws.catalog_table())


def a_catalog(client: object, table: str) -> Catalog:
    clock = FakeClock()
    return Catalog(
        DynamoDBKnowledgeBases(client, table, clock),
        DynamoDBDocuments(client, table, clock),
        DynamoDBVersions(client, table, clock),
        DynamoDBPublications(client, table, clock),
        clock,
    )


class TestDynamoDBKnowledgeBases(KnowledgeBasesContract):
    pass


class TestDynamoDBDocuments(DocumentsContract):
    pass


class TestDynamoDBVersions(VersionsContract):
    pass


class TestDynamoDBPublications(PublicationsContract):
    pass


def everything(aws: EmulatedAws) -> list[dict[str, Any]]:
    return list(aws.dynamodb.scan(TableName="catalog")["Items"])


def indexed(aws: EmulatedAws) -> list[str]:
    return sorted(item["open"]["S"] for item in aws.dynamodb.scan(TableName="catalog", IndexName="open")["Items"])


def test_erasing_all_leaves_an_empty_table(aws: EmulatedAws, catalog: Catalog) -> None:
    catalog.knowledge_bases.create(a_knowledge_base())
    catalog.documents.accept(a_document(), a_version(), [Claim("name", "guide.pdf"), Claim("md5", "d41d8")])
    catalog.publications.stage("kb-1", Staged("doc-1", 1))
    removed = catalog.documents.remove(catalog.documents.get("doc-1"), [Claim("name", "guide.pdf")])
    catalog.documents.erase(removed)
    catalog.knowledge_bases.mark_deleted(a_knowledge_base())
    catalog.knowledge_bases.erase("kb-1")
    assert everything(aws) == []


def test_index_holds_only_what_the_sweep_has_to_look_at(aws: EmulatedAws, catalog: Catalog) -> None:
    catalog.knowledge_bases.create(a_knowledge_base())
    catalog.documents.accept(a_document(), a_version())
    catalog.publications.stage("kb-1", Staged("doc-1", 1))
    assert indexed(aws) == ["staged", "version"]
    catalog.versions.move(a_version(), IngestionState.READY, allowed=[IngestionState.PENDING], due=0)
    catalog.publications.unstage("kb-1", Staged("doc-1", 1))
    assert indexed(aws) == []
    catalog.knowledge_bases.mark_deleted(a_knowledge_base())
    assert indexed(aws) == ["kb-deleted"]


def test_version_that_ended_while_the_index_lagged_is_not_overdue(aws: EmulatedAws, catalog: Catalog) -> None:
    def lagging(operation: str, call: Callable[[], Any]) -> Any:
        reply = call()
        if operation == "query":
            catalog.versions.fail(a_version(), Failure(FailureCode.CORRUPT, "damaged"))
        return reply

    catalog.documents.accept(a_document(), a_version(due=10))
    assert a_catalog(Intercepted(aws.dynamodb, lagging), "catalog").versions.overdue(10, limit=10) == []


def test_each_operation_takes_few_round_trips(aws: EmulatedAws) -> None:
    calls: Counter[str] = Counter()
    catalog = a_catalog(counted(aws.dynamodb, calls), aws.catalog_table())

    def calls_of(operation: Callable[[], Any]) -> dict[str, int]:
        calls.clear()
        operation()
        return dict(calls)

    transaction, update, get = {"transact_write_items": 1}, {"update_item": 1}, {"get_item": 1}
    claims = [Claim("name", "guide.pdf"), Claim("md5", "d41d8")]
    pending, parsing, embedding = IngestionState.PENDING, IngestionState.PARSING, IngestionState.EMBEDDING
    versions, documents, publications = catalog.versions, catalog.documents, catalog.publications
    assert calls_of(lambda: catalog.knowledge_bases.create(a_knowledge_base())) == transaction
    assert calls_of(lambda: catalog.knowledge_bases.get("kb-1")) == get
    assert calls_of(lambda: catalog.knowledge_bases.find("acme", Dialect.URAN, "handbook")) == {"get_item": 2}
    assert calls_of(lambda: documents.accept(a_document(), a_version(), claims)) == transaction
    assert calls_of(lambda: documents.get_many([f"doc-{number}" for number in range(100)])) == {"batch_get_item": 1}
    assert calls_of(lambda: documents.page("kb-1", limit=50)) == {"query": 1, "batch_get_item": 1}
    assert calls_of(lambda: versions.move(a_version(), parsing, allowed=[pending], due=0)) == update
    assert calls_of(lambda: versions.move(a_version(), embedding, allowed=[parsing], due=0)) == update
    assert calls_of(lambda: versions.complete_batch(a_version(), 0, due=0)) == update
    assert calls_of(lambda: versions.overdue(10, limit=10)) == {"query": 1, "batch_get_item": 1}
    assert calls_of(lambda: publications.stage("kb-1", Staged("doc-1", 1))) == {"put_item": 1}
    assert calls_of(lambda: publications.staged("kb-1", limit=10)) == {"query": 1}
    assert calls_of(lambda: publications.begin("kb-1", token="a", now=0, lease=60)) == update
    assert calls_of(lambda: publications.commit(Publication("kb-1", "a", 1, False))) == transaction
    assert calls_of(lambda: documents.set_live("doc-1", 1)) == update
    assert calls_of(lambda: documents.remove(documents.get("doc-1"), claims)) == {**get, **transaction}


@pytest.mark.parametrize("reasons", [("TransactionConflict", "None"), ("None", "ProvisionedThroughputExceeded")])
def test_transactions_outlast_collisions(
    aws: EmulatedAws, monkeypatch: pytest.MonkeyPatch, reasons: tuple[str, ...]
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("knowledge_base.adapters.aws.table.sleep", pauses.append)
    collisions = [a_refusal("TransactionCanceledException", "TransactWriteItems", *reasons) for _ in range(9)]
    catalog = a_catalog(refusing(aws.dynamodb, {"transact_write_items": collisions}), aws.catalog_table())
    catalog.documents.accept(a_document(), a_version())
    assert catalog.documents.get("doc-1") == a_document()
    assert len(set(pauses)) == 9
    assert max(pauses) <= 1


def test_single_writes_outlast_collisions(aws: EmulatedAws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.aws.table.sleep", lambda _: None)
    collision = a_refusal("TransactionConflictException", "UpdateItem")
    catalog = a_catalog(refusing(aws.dynamodb, {"update_item": [collision, collision]}), aws.catalog_table())
    catalog.documents.accept(a_document(), a_version())
    catalog.documents.set_live("doc-1", 1)
    assert catalog.documents.get("doc-1").live_ordinal == 1


def test_condition_that_failed_beside_a_collision_is_stale(aws: EmulatedAws) -> None:
    reasons = ("TransactionConflict", "ConditionalCheckFailed", "None")
    refusal = a_refusal("TransactionCanceledException", "TransactWriteItems", *reasons)
    catalog = a_catalog(refusing(aws.dynamodb, {"transact_write_items": [refusal]}), aws.catalog_table())
    with pytest.raises(StaleState):
        catalog.documents.accept(a_document(), a_version())


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "ThrottlingException"])
def test_table_that_does_not_keep_up_is_overload(aws: EmulatedAws, code: str) -> None:
    catalog = a_catalog(refusing(aws.dynamodb, {"get_item": [a_refusal(code, "GetItem")]}), aws.catalog_table())
    with pytest.raises(Overloaded):
        catalog.documents.get("doc-1")


def test_error_that_nobody_foresaw_is_passed_on(aws: EmulatedAws) -> None:
    refusal = a_refusal("ResourceNotFoundException", "GetItem")
    catalog = a_catalog(refusing(aws.dynamodb, {"get_item": [refusal]}), aws.catalog_table())
    with pytest.raises(ClientError):
        catalog.documents.get("doc-1")


def test_item_beyond_what_dynamodb_holds_is_too_large(aws: EmulatedAws) -> None:
    message = "Item size to update has exceeded the maximum allowed size"
    single = a_refusal("ValidationException", "PutItem", message=message)
    whole = a_refusal("TransactionCanceledException", "TransactWriteItems", "ValidationError", message=message)
    client = refusing(aws.dynamodb, {"put_item": [single], "transact_write_items": [whole]})
    catalog = a_catalog(client, aws.catalog_table())
    with pytest.raises(PayloadTooLarge):
        catalog.publications.stage("kb-1", Staged("doc-1", 1))
    with pytest.raises(PayloadTooLarge):
        catalog.documents.accept(a_document(), a_version())


def test_reads_that_come_in_parts_are_put_together(aws: EmulatedAws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.aws.table.sleep", lambda _: None)
    table = aws.catalog_table()
    whole = a_catalog(aws.dynamodb, table)
    for document_id in ("doc-1", "doc-2", "doc-3"):
        whole.documents.accept(a_document(document_id=document_id), a_version(document_id=document_id))

    def one_by_one(operation: str, call: Callable[..., Any]) -> Any:
        reply = call()
        if operation == "batch_get_item" and len(reply["Responses"][table]) > 1:
            rest = reply["Responses"][table][1:]
            keys = [{"pk": item["pk"], "sk": item["sk"]} for item in rest]
            reply = {"Responses": {table: reply["Responses"][table][:1]}, "UnprocessedKeys": {table: {"Keys": keys}}}
        return reply

    catalog = a_catalog(Intercepted(aws.dynamodb, one_by_one), table)
    assert set(catalog.documents.get_many(["doc-1", "doc-2", "doc-3"])) == {"doc-1", "doc-2", "doc-3"}


def test_deletions_that_are_left_over_are_sent_again(aws: EmulatedAws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.aws.table.sleep", lambda _: None)
    table = aws.catalog_table()
    left_over = [1]

    def once_in_vain(operation: str, call: Callable[..., Any]) -> Any:
        if operation == "batch_write_item" and left_over:
            left_over.pop()
            keys = [{"DeleteRequest": {"Key": {"pk": {"S": "DOC#doc-1"}, "sk": {"S": "V#0000000001"}}}}]
            return {"UnprocessedItems": {table: keys}}
        return call()

    catalog = a_catalog(Intercepted(aws.dynamodb, once_in_vain), table)
    catalog.documents.accept(a_document(), a_version())
    catalog.documents.erase(catalog.documents.get("doc-1"))
    with pytest.raises(VersionNotFound):
        catalog.versions.get("doc-1", 1)


def test_document_of_a_later_release_can_be_read_and_changed(aws: EmulatedAws, catalog: Catalog) -> None:
    catalog.documents.accept(a_document(), a_version())
    for sort_key in ("META", "V#0000000001"):
        aws.dynamodb.update_item(
            TableName="catalog",
            Key={"pk": {"S": "DOC#doc-1"}, "sk": {"S": sort_key}},
            UpdateExpression="SET colour = :v",
            ExpressionAttributeValues={":v": {"S": "blue"}},
        )
    assert catalog.documents.get("doc-1") == a_document()
    catalog.versions.move(a_version(), IngestionState.PARSING, allowed=[IngestionState.PENDING], due=0)
    assert sum(item.get("colour") == {"S": "blue"} for item in everything(aws)) == 2


def test_document_of_an_earlier_release_gets_the_defaults(aws: EmulatedAws, catalog: Catalog) -> None:
    catalog.documents.accept(a_document(), a_version())
    aws.dynamodb.update_item(
        TableName="catalog",
        Key={"pk": {"S": "DOC#doc-1"}, "sk": {"S": "META"}},
        UpdateExpression="REMOVE metadata, #permissions, description_order, live_ordinal",
        ExpressionAttributeNames={"#permissions": "permissions"},
    )
    assert catalog.documents.get("doc-1") == a_document()


def test_text_that_utf8_cannot_carry_is_stored_without_it(catalog: Catalog) -> None:
    document = a_document(names=frozenset({"a\ud800b"}), metadata=DocumentMetadata(attributes={"\udfff": "x\udc00"}))
    catalog.documents.accept(document, a_version(), [Claim("name", "a\ud800b")])
    stored = catalog.documents.get("doc-1")
    assert (stored.names, stored.metadata.attributes) == (frozenset({"a�b"}), {"�": "x�"})
    assert catalog.documents.holder("kb-1", "name", "a\ud800b") == "doc-1"
    catalog.documents.rename(document, frozenset({"plain"}))
