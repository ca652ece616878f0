"""The vector index in a real OpenSearch, and what it does when the cluster does not play along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import opensearchpy
import pytest
import urllib3

from knowledge_base.adapters.opensearch import bulk
from knowledge_base.adapters.opensearch.vector_indexes import OpenSearchVectorIndexes
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.errors import IndexUnavailable
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import Candidates, ChunkFilter
from knowledge_base.ports.vector_index import VectorIndex
from tests.builders import an_indexed_chunk
from tests.contract.opensearch import EmptyIndexes
from tests.contract.vector_index_contract import VectorIndexContract

MODEL = EmbeddingConfig("test-model", 4)
NORTH = (1.0, 0.0, 0.0, 0.0)
EVERYBODY = ChunkFilter("acme", {"kb-1": 1})


def chunks(number: int, text: str = "a pump") -> list[IndexedChunk]:
    return [an_indexed_chunk(text, index=place) for place in range(number)]


@pytest.fixture
def indexes(opensearch_url: str) -> Iterator[EmptyIndexes]:
    indexes = EmptyIndexes(opensearch_url)
    yield indexes
    indexes.delete()


@pytest.mark.xdist_group("opensearch")
class TestOpenSearchVectorIndex(VectorIndexContract):
    """The contract of both vector indexes."""


@pytest.mark.xdist_group("opensearch")
class TestCluster:
    @pytest.fixture
    def index(self, indexes: EmptyIndexes) -> VectorIndex:
        return indexes.of(MODEL)

    def test_chunk_that_the_cluster_refuses_is_named_and_the_rest_stored(self, index: VectorIndex) -> None:
        too_large = an_indexed_chunk("a pump", document_id="large", ordinal=2**70)
        assert index.write([too_large, *chunks(2)]) == {too_large.chunk.chunk_id}
        index.refresh()
        assert index.count(EVERYBODY) == 2

    def test_both_legs_take_one_request(self, index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
        index.write(chunks(3))
        index.refresh()
        paths: list[str] = []
        perform = opensearchpy.Transport.perform_request

        def watched(self: Any, method: str, url: str, *rest: Any, **options: Any) -> Any:
            paths.append(url)
            return perform(self, method, url, *rest, **options)

        monkeypatch.setattr(opensearchpy.Transport, "perform_request", watched)
        found = index.find(text="pump", vector=NORTH, limit=2, where=EVERYBODY)
        assert (len(found.nearest), len(found.matching), paths) == (2, 2, ["/_msearch"])

    def test_versions_closed_by_several_at_once_are_all_closed(self, index: VectorIndex) -> None:
        index.write(chunks(300))
        with ThreadPoolExecutor(4) as threads:
            for done in [threads.submit(index.close_versions, "kb-1", "doc-1", below=2, revision=2) for _ in range(4)]:
                done.result()
        assert index.count(ChunkFilter("acme", {"kb-1": 2})) == 0
        assert index.count(EVERYBODY) == 300

    def test_several_who_write_first_make_one_index(self, indexes: EmptyIndexes, opensearch_url: str) -> None:
        own = indexes.name_of(MODEL)
        with ThreadPoolExecutor(4) as threads:
            others = [OpenSearchVectorIndexes(opensearch_url, region="").of(own) for _ in range(4)]
            assert set(threads.map(lambda index: index.write(chunks(2)), others)) == {frozenset()}
        index = indexes.of(MODEL)
        index.refresh()
        assert len(index.find(vector=NORTH, limit=9, where=EVERYBODY).nearest) == 2


class TestUnreachableCluster:
    @pytest.mark.parametrize(
        "ask",
        [
            lambda index: index.write(chunks(1)),
            lambda index: index.close_versions("kb-1", "doc-1", below=2, revision=2),
            lambda index: index.undo("kb-1", 1),
            lambda index: index.refresh(),
            lambda index: index.find(text="pump", vector=NORTH, limit=1, where=EVERYBODY),
            lambda index: index.count(EVERYBODY),
            lambda index: index.delete_closed("kb-1", through=1),
            lambda index: index.delete_document("kb-1", "doc-1"),
            lambda index: index.delete_knowledge_base("kb-1"),
        ],
    )
    def test_every_method_says_unavailable_and_no_more(self, ask: Any) -> None:
        index = OpenSearchVectorIndexes("http://admin:secret@127.0.0.1:9", region="eu-west-1").of(MODEL)
        with pytest.raises(IndexUnavailable) as caught:
            ask(index)
        assert str(caught.value) == "the vector index does not answer"

    def test_question_that_nothing_can_match_needs_no_cluster(self) -> None:
        index = OpenSearchVectorIndexes("http://127.0.0.1:9", region="").of(MODEL)
        assert index.find(text="?!", vector=(0.0,) * 4, limit=1, where=EVERYBODY) == Candidates()

    def test_requests_to_a_cluster_of_aws_are_signed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[str] = []

        def refuse(self: Any, method: str, url: str, *rest: Any, headers: Any, **options: Any) -> None:
            sent.append(headers.get("Authorization", ""))
            raise urllib3.exceptions.HTTPError("no network in tests")

        monkeypatch.setattr(urllib3.HTTPConnectionPool, "urlopen", refuse)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        with pytest.raises(IndexUnavailable):
            OpenSearchVectorIndexes("https://search.example", region="eu-west-1").of(MODEL).count(EVERYBODY)
        assert sent
        assert all("Credential=AKIDEXAMPLE/" in header and "/eu-west-1/es/aws4_request" in header for header in sent)


class ScriptedBulk:
    """A cluster that answers each item of a bulk request as told, and 201 when nothing is left to tell."""

    def __init__(self, **statuses: list[int]) -> None:
        self._statuses = statuses
        self.bodies: list[bytes] = []

    def bulk(self, *, body: bytes, **options: Any) -> dict[str, Any]:
        self.bodies.append(body)
        actions = [json.loads(line)["index"]["_id"] for line in body.splitlines()[::2]]
        return {"items": [{"index": {"_id": id_, "status": self._next(id_)}} for id_ in actions]}

    def _next(self, chunk_id: str) -> int:
        left = self._statuses.get(f"n{chunk_id.rpartition(':')[2]}", [])
        return left.pop(0) if left else 201


class TestBulkWriting:
    @pytest.fixture(autouse=True)
    def no_waiting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bulk.time, "sleep", lambda seconds: None)

    def test_large_write_goes_in_pieces_that_every_cluster_accepts(self) -> None:
        client: Any = ScriptedBulk()
        assert bulk.write_all(client, "index", chunks(30, "x" * 1_000_000)) == frozenset()
        assert max(map(len, client.bodies)) < 10_000_000
        assert sum(body.count(b'"_id"') for body in client.bodies) == 30

    def test_item_that_a_busy_cluster_puts_off_is_written_again_alone(self) -> None:
        client: Any = ScriptedBulk(n1=[429, 503])
        assert bulk.write_all(client, "index", chunks(3)) == frozenset()
        assert [body.count(b'"_id"') for body in client.bodies] == [3, 1, 1]

    def test_item_that_is_refused_for_good_is_named_and_not_tried_again(self) -> None:
        client: Any = ScriptedBulk(n0=[400], n2=[429, 413])
        assert bulk.write_all(client, "index", chunks(4)) == {"doc-1:1:0", "doc-1:1:2"}
        assert [body.count(b'"_id"') for body in client.bodies] == [4, 1]

    def test_cluster_that_stays_busy_is_unavailable(self) -> None:
        client: Any = ScriptedBulk(n1=[429] * 9)
        with pytest.raises(IndexUnavailable):
            bulk.write_all(client, "index", chunks(3))
