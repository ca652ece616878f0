"""What every catalog promises of versions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from knowledge_base.domain.documents import Failure, FailureCode, IngestionState, Source, Version
from knowledge_base.domain.errors import StaleState, VersionNotFound
from tests.aws import in_threads
from tests.builders import NOON, a_document, a_version
from tests.contract.catalog_contract import Catalog, eventually
from tests.contract.documents_contract import accept, accept_next


class VersionsContract:
    """Subclasses give the fixture `catalog`: an empty one."""

    due = int(NOON.timestamp()) + 600

    @pytest.fixture
    def version(self, catalog: Catalog) -> Version:
        accept(catalog)
        return catalog.versions.get("doc-1", 1)

    def test_every_field_comes_back(self, catalog: Catalog) -> None:
        version = a_version(
            source=Source(name="价格.pdf", md5="0" * 32, sequencer="0055AED6DCD90281E5"),
            state=IngestionState.EMBEDDING,
            accepted_at=NOON + timedelta(microseconds=1),
            size=50 * 1024 * 1024,
            batch_count=3,
            batches_done=frozenset({0, 2}),
            failure=Failure(FailureCode.CORRUPT, "damaged"),
        )
        catalog.documents.accept(a_document(), version)
        assert catalog.versions.get("doc-1", 1) == version

    @pytest.mark.parametrize("key", [("doc-1", 2), ("doc-2", 1)])
    def test_unknown_version_is_not_found(self, catalog: Catalog, version: Version, key: tuple[str, int]) -> None:
        with pytest.raises(VersionNotFound):
            catalog.versions.get(*key)

    def test_get_many_returns_those_that_exist(self, catalog: Catalog, version: Version) -> None:
        accept_next(catalog, 2)
        found = catalog.versions.get_many([("doc-1", 1), ("doc-1", 2), ("doc-1", 3), ("doc-2", 1), ("doc-1", 1)])
        assert found == {("doc-1", 1): version, ("doc-1", 2): a_version(ordinal=2)}

    def test_move_changes_state_and_fields(self, catalog: Catalog, version: Version) -> None:
        catalog.clock.pass_seconds(3)
        changes = {"size": 12, "content_hash": "abc", "batches_done": frozenset({1}), "failure": None}
        moved = catalog.versions.move(
            version, IngestionState.PARSING, allowed=[IngestionState.PENDING], due=self.due + 9, changes=changes
        )
        expected = replace(
            version, state=IngestionState.PARSING, due=self.due + 9, updated_at=NOON + timedelta(seconds=3), **changes
        )
        assert moved == expected
        assert catalog.versions.get("doc-1", 1) == expected

    def test_move_leaves_what_others_changed_meanwhile(self, catalog: Catalog, version: Version) -> None:
        catalog.versions.move(
            version, IngestionState.PARSING, allowed=[IngestionState.PENDING], due=self.due, changes={"size": 12}
        )
        moved = catalog.versions.move(version, IngestionState.CHUNKING, allowed=[IngestionState.PARSING], due=self.due)
        assert moved.size == 12

    def test_move_from_another_state_is_refused(self, catalog: Catalog, version: Version) -> None:
        with pytest.raises(StaleState):
            catalog.versions.move(version, IngestionState.CHUNKING, allowed=[IngestionState.PARSING], due=self.due)
        assert catalog.versions.get("doc-1", 1) == version

    def test_one_of_many_parallel_moves_wins(self, catalog: Catalog, version: Version) -> None:
        outcomes = in_threads(
            20,
            lambda _: catalog.versions.move(
                version, IngestionState.PARSING, allowed=[IngestionState.PENDING], due=self.due
            ),
        )
        assert sum(isinstance(outcome, Version) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, StaleState) for outcome in outcomes) == 19

    def test_unknown_field_is_a_programming_error(self, catalog: Catalog, version: Version) -> None:
        with pytest.raises(TypeError):
            catalog.versions.move(
                version, IngestionState.PARSING, allowed=[version.state], due=self.due, changes={"sise": 1}
            )

    def test_what_is_not_there_neither_moves_nor_appears(self, catalog: Catalog) -> None:
        with pytest.raises(StaleState):
            catalog.versions.move(a_version(), IngestionState.PARSING, allowed=[IngestionState.PENDING], due=self.due)
        with pytest.raises(StaleState):
            catalog.versions.fail(a_version(), Failure(FailureCode.INTERNAL, "x"))
        with pytest.raises(VersionNotFound):
            catalog.versions.get("doc-1", 1)

    def test_failure_ends_a_version_once(self, catalog: Catalog, version: Version) -> None:
        failed = catalog.versions.fail(version, Failure(FailureCode.CORRUPT, "damaged"))
        assert (failed.state, failed.failure) == (IngestionState.FAILED, Failure(FailureCode.CORRUPT, "damaged"))
        with pytest.raises(StaleState):
            catalog.versions.fail(version, Failure(FailureCode.INTERNAL, "other"))
        assert catalog.versions.get("doc-1", 1) == failed

    def test_ready_version_does_not_fail(self, catalog: Catalog, version: Version) -> None:
        catalog.versions.move(version, IngestionState.READY, allowed=[version.state], due=self.due)
        with pytest.raises(StaleState):
            catalog.versions.fail(version, Failure(FailureCode.STALLED, "late"))

    def test_parallel_batches_are_all_counted(self, catalog: Catalog, version: Version) -> None:
        catalog.versions.move(
            version, IngestionState.EMBEDDING, allowed=[version.state], due=self.due, changes={"batch_count": 20}
        )
        outcomes = in_threads(20, lambda n: catalog.versions.complete_batch(version, n, due=self.due + 1))
        complete = [outcome for outcome in outcomes if len(outcome.batches_done) == 20]
        assert len(complete) == 1
        again = catalog.versions.complete_batch(version, 7, due=self.due + 1)
        assert again.batches_done == frozenset(range(20))
        assert again.due == self.due + 1

    def test_batch_of_a_version_that_is_not_embedding_is_refused(self, catalog: Catalog, version: Version) -> None:
        with pytest.raises(StaleState):
            catalog.versions.complete_batch(version, 0, due=self.due)
        assert catalog.versions.get("doc-1", 1) == version

    def test_batches_start_anew_after_a_resume(self, catalog: Catalog, version: Version) -> None:
        states = [version.state, IngestionState.EMBEDDING]
        catalog.versions.move(version, IngestionState.EMBEDDING, allowed=states, due=self.due)
        catalog.versions.complete_batch(version, 0, due=self.due)
        resumed = catalog.versions.move(
            version, IngestionState.EMBEDDING, allowed=states, due=self.due, changes={"batches_done": frozenset()}
        )
        assert resumed.batches_done == frozenset()
        assert catalog.versions.complete_batch(version, 5, due=self.due).batches_done == frozenset({5})

    def test_overdue_versions_come_the_longest_overdue_first(self, catalog: Catalog) -> None:
        for number, due in enumerate((30, 10, 20, 40)):
            document = a_document(document_id=f"doc-{number}")
            catalog.documents.accept(document, a_version(document_id=document.document_id, due=due))

        def overdue(limit: int) -> list[int]:
            return [version.due for version in catalog.versions.overdue(35, limit=limit)]

        eventually(lambda: overdue(10), [10, 20, 30])
        assert overdue(2) == [10, 20]

    @pytest.mark.parametrize("end", [IngestionState.READY, IngestionState.FAILED])
    def test_ended_version_is_never_overdue(self, catalog: Catalog, version: Version, end: IngestionState) -> None:
        catalog.versions.move(version, end, allowed=[version.state], due=self.due)
        eventually(lambda: catalog.versions.overdue(self.due + 9999, limit=10), [])

    def test_failed_version_is_never_overdue_until_it_is_tried_again(self, catalog: Catalog, version: Version) -> None:
        catalog.versions.fail(version, Failure(FailureCode.STALLED, "late"))
        eventually(lambda: catalog.versions.overdue(self.due + 9999, limit=10), [])
        again = catalog.versions.move(
            version, IngestionState.PENDING, allowed=[IngestionState.FAILED], due=self.due, changes={"failure": None}
        )
        eventually(lambda: catalog.versions.overdue(self.due, limit=10), [again])

    def test_postponed_version_is_overdue_later(self, catalog: Catalog, version: Version) -> None:
        postponed = catalog.versions.postpone(version, due=self.due + 60, resumes=1)
        assert postponed == replace(version, due=self.due + 60, resumes=1)
        eventually(lambda: catalog.versions.overdue(self.due + 59, limit=10), [])
        eventually(lambda: catalog.versions.overdue(self.due + 60, limit=10), [postponed])

    def test_postponing_a_version_changed_meanwhile_is_refused(self, catalog: Catalog, version: Version) -> None:
        catalog.clock.pass_seconds(1)
        catalog.versions.move(version, version.state, allowed=[version.state], due=self.due)
        with pytest.raises(StaleState):
            catalog.versions.postpone(version, due=self.due + 60, resumes=1)
