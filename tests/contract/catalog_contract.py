"""What every catalog promises of knowledge bases and publishing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.errors import KnowledgeBaseNotFound, NameTaken, StaleState
from knowledge_base.domain.knowledge_bases import Dialect, KnowledgeBaseStatus
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Publications, Purge, Staged, Versions
from tests.aws import in_threads
from tests.builders import NOON, a_config, a_knowledge_base
from tests.fakes import FakeClock


@dataclass(frozen=True)
class Catalog:
    knowledge_bases: KnowledgeBases
    documents: Documents
    versions: Versions
    publications: Publications
    clock: FakeClock


def eventually(read: Callable[[], Any], expected: Any) -> None:
    """Assert what a read returns that may lag by a second."""
    until = time.monotonic() + 2
    while (found := read()) != expected and time.monotonic() < until:
        time.sleep(0.05)
    assert found == expected


class KnowledgeBasesContract:
    """Subclasses give the fixture `catalog`: an empty one."""

    def test_created_knowledge_base_can_be_read_at_once(self, catalog: Catalog) -> None:
        handbook = a_knowledge_base(config=a_config(score_threshold=0.35, citation_required=True))
        catalog.knowledge_bases.create(handbook)
        assert catalog.knowledge_bases.get("kb-1") == handbook
        assert catalog.knowledge_bases.find("acme", Dialect.URAN, "handbook") == handbook
        assert list(catalog.knowledge_bases.all_of("acme", Dialect.URAN)) == [handbook]

    def test_name_of_another_is_refused(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        with pytest.raises(NameTaken):
            catalog.knowledge_bases.create(a_knowledge_base(kb_id="kb-2"))
        with pytest.raises(KnowledgeBaseNotFound):
            catalog.knowledge_bases.get("kb-2")

    @pytest.mark.parametrize("changes", [{"tenant": "umbrella"}, {"dialect": Dialect.SURVEY}, {"name": "Handbook"}])
    def test_same_name_elsewhere_is_another_name(self, catalog: Catalog, changes: dict[str, Any]) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        catalog.knowledge_bases.create(a_knowledge_base(kb_id="kb-2", **changes))
        assert catalog.knowledge_bases.find("acme", Dialect.URAN, "handbook") == a_knowledge_base()

    def test_one_of_many_parallel_creations_wins(self, catalog: Catalog) -> None:
        outcomes = in_threads(20, lambda n: catalog.knowledge_bases.create(a_knowledge_base(kb_id=f"kb-{n}")))
        assert outcomes.count(None) == 1
        assert [type(outcome) for outcome in outcomes if outcome] == [NameTaken] * 19
        assert len(list(catalog.knowledge_bases.all_of("acme", Dialect.URAN))) == 1

    @pytest.mark.parametrize("name", ["价格 & 条款", "a#b", "x" * 5000, "nul\x00", "é" * 600])
    def test_any_text_is_a_name(self, catalog: Catalog, name: str) -> None:
        catalog.knowledge_bases.create(a_knowledge_base(name=name))
        found = catalog.knowledge_bases.find("acme", Dialect.URAN, name)
        assert found is not None
        assert found.name == name
        assert catalog.knowledge_bases.find("acme", Dialect.URAN, name + "!") is None

    def test_long_names_that_begin_alike_are_two_names(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base(name="n" * 2000 + "1"))
        catalog.knowledge_bases.create(a_knowledge_base(kb_id="kb-2", name="n" * 2000 + "2"))
        assert len(list(catalog.knowledge_bases.all_of("acme", Dialect.URAN))) == 2

    def test_all_of_a_dialect_come_by_name_however_many(self, catalog: Catalog) -> None:
        for number in range(102):
            catalog.knowledge_bases.create(a_knowledge_base(kb_id=f"kb-{number}", name=f"{997 * number % 1000:03d}"))
        names = [each.name for each in catalog.knowledge_bases.all_of("acme", Dialect.URAN)]
        assert names == sorted(f"{997 * number % 1000:03d}" for number in range(102))

    @pytest.mark.parametrize("kb_id", ["no-such", "", "x" * 4000, "#", "\ud800"])
    def test_unknown_id_is_not_found(self, catalog: Catalog, kb_id: str) -> None:
        with pytest.raises(KnowledgeBaseNotFound):
            catalog.knowledge_bases.get(kb_id)

    def test_configuration_changes_and_counts_as_a_write(self, catalog: Catalog) -> None:
        before = a_knowledge_base()
        catalog.knowledge_bases.create(before)
        wanted = replace(before.config, rerank=True)
        changed = catalog.knowledge_bases.configure(before, wanted)
        assert changed == catalog.knowledge_bases.get("kb-1")
        assert (changed.config, changed.generation) == (wanted, before.generation + 1)

    def test_configuration_is_not_changed_over_somebody_elses_write(self, catalog: Catalog) -> None:
        before = a_knowledge_base()
        catalog.knowledge_bases.create(before)
        catalog.knowledge_bases.raise_generation("kb-1")
        with pytest.raises(StaleState):
            catalog.knowledge_bases.configure(before, replace(before.config, rerank=True))
        assert not catalog.knowledge_bases.get("kb-1").config.rerank

    def test_configuration_of_a_deleted_one_is_not_changed(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        catalog.knowledge_bases.mark_deleted(a_knowledge_base())
        with pytest.raises(StaleState):
            catalog.knowledge_bases.configure(a_knowledge_base(generation=1), a_knowledge_base().config)

    def test_deleted_one_is_gone_and_its_name_free(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        catalog.knowledge_bases.mark_deleted(a_knowledge_base())
        with pytest.raises(KnowledgeBaseNotFound):
            catalog.knowledge_bases.get("kb-1")
        assert catalog.knowledge_bases.find("acme", Dialect.URAN, "handbook") is None
        assert list(catalog.knowledge_bases.all_of("acme", Dialect.URAN)) == []
        catalog.knowledge_bases.create(a_knowledge_base(kb_id="kb-2"))

    def test_deleting_again_leaves_the_next_of_that_name_alone(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        catalog.knowledge_bases.mark_deleted(a_knowledge_base())
        successor = a_knowledge_base(kb_id="kb-2")
        catalog.knowledge_bases.create(successor)
        catalog.knowledge_bases.mark_deleted(a_knowledge_base())
        assert catalog.knowledge_bases.find("acme", Dialect.URAN, "handbook") == successor

    def test_deleted_one_is_listed_for_purge_until_erased(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        catalog.knowledge_bases.mark_deleted(a_knowledge_base())
        eventually(lambda: [each.kb_id for each in catalog.knowledge_bases.deleted()], ["kb-1"])
        (deleted,) = catalog.knowledge_bases.deleted()
        assert deleted.status is KnowledgeBaseStatus.DELETED
        assert deleted.generation == 1
        catalog.knowledge_bases.erase("kb-1")
        catalog.knowledge_bases.erase("kb-1")
        eventually(lambda: list(catalog.knowledge_bases.deleted()), [])

    def test_one_in_use_is_not_erased(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        with pytest.raises(StaleState):
            catalog.knowledge_bases.erase("kb-1")
        assert catalog.knowledge_bases.get("kb-1") == a_knowledge_base()

    def test_every_parallel_write_raises_the_generation(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())
        in_threads(20, lambda _: catalog.knowledge_bases.raise_generation("kb-1"))
        assert catalog.knowledge_bases.get("kb-1") == a_knowledge_base(generation=20)

    def test_generation_of_nothing_stays_nothing(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.raise_generation("kb-1")
        with pytest.raises(KnowledgeBaseNotFound):
            catalog.knowledge_bases.get("kb-1")
        catalog.knowledge_bases.create(a_knowledge_base())


class PublicationsContract:
    """Subclasses give the fixture `catalog`: an empty one."""

    now = int(NOON.timestamp())

    @pytest.fixture(autouse=True)
    def handbook(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())

    def test_staged_twice_waits_once(self, catalog: Catalog) -> None:
        for _ in range(2):
            catalog.publications.stage("kb-1", Staged("doc-1", 1))
        assert catalog.publications.staged("kb-1", limit=10) == [Staged("doc-1", 1)]
        for _ in range(2):
            catalog.publications.unstage("kb-1", Staged("doc-1", 1))
        assert catalog.publications.staged("kb-1", limit=10) == []

    def test_removals_come_first_and_the_limit_holds(self, catalog: Catalog) -> None:
        versions = [Staged("doc-1", 2), Staged("doc-1", 10), Staged("doc-2", 1)]
        for staged in (*versions, Staged("doc-9", 3, removal=True)):
            catalog.publications.stage("kb-1", staged)
        assert catalog.publications.staged("kb-1", limit=10) == [Staged("doc-9", 3, removal=True), *versions]
        assert catalog.publications.staged("kb-1", limit=1) == [Staged("doc-9", 3, removal=True)]

    def test_waiting_names_each_knowledge_base_once(self, catalog: Catalog) -> None:
        for kb_id, ordinal in (("kb-1", 1), ("kb-1", 2), ("kb-2", 1)):
            catalog.publications.stage(kb_id, Staged("doc-1", ordinal))
        eventually(lambda: sorted(catalog.publications.waiting()), ["kb-1", "kb-2"])
        catalog.publications.unstage("kb-2", Staged("doc-1", 1))
        eventually(lambda: list(catalog.publications.waiting()), ["kb-1"])

    def test_commit_raises_revision_and_generation(self, catalog: Catalog) -> None:
        publication = catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        assert (publication.revision, publication.taken_over) == (1, False)
        catalog.clock.pass_seconds(5)
        catalog.publications.commit(publication)
        updated_at = NOON + timedelta(seconds=5)
        assert catalog.knowledge_bases.get("kb-1") == a_knowledge_base(revision=1, generation=1, updated_at=updated_at)

    def test_second_publisher_is_refused_while_the_first_is_at_work(self, catalog: Catalog) -> None:
        catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        with pytest.raises(StaleState):
            catalog.publications.begin("kb-1", token="b", now=self.now + 59, lease=60)

    def test_one_of_many_parallel_publishers_begins(self, catalog: Catalog) -> None:
        outcomes = in_threads(
            20, lambda n: catalog.publications.begin("kb-1", token=str(n), now=self.now, lease=60).token
        )
        assert sum(isinstance(outcome, str) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, StaleState) for outcome in outcomes) == 19

    def test_claim_that_ran_out_is_taken_over_under_the_same_revision(self, catalog: Catalog) -> None:
        late = catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        publication = catalog.publications.begin("kb-1", token="b", now=self.now + 60, lease=60)
        assert (publication.revision, publication.taken_over) == (late.revision, True)
        with pytest.raises(StaleState):
            catalog.publications.commit(late)
        catalog.publications.abandon(late)
        catalog.publications.commit(publication)
        assert catalog.knowledge_bases.get("kb-1").revision == 1

    def test_own_claim_met_again_is_taken_over(self, catalog: Catalog) -> None:
        catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        again = catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        assert (again.revision, again.taken_over) == (1, True)

    def test_abandoned_claim_leaves_the_revision_and_no_trace(self, catalog: Catalog) -> None:
        publication = catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        catalog.publications.abandon(publication)
        after = catalog.publications.begin("kb-1", token="b", now=self.now, lease=60)
        assert (after.revision, after.taken_over) == (1, False)

    def test_each_publish_has_its_own_revision(self, catalog: Catalog) -> None:
        for revision in (1, 2, 3):
            publication = catalog.publications.begin("kb-1", token=f"t{revision}", now=self.now, lease=60)
            assert publication.revision == revision
            catalog.publications.commit(publication)

    def test_commit_twice_is_refused(self, catalog: Catalog) -> None:
        publication = catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        catalog.publications.commit(publication)
        with pytest.raises(StaleState):
            catalog.publications.commit(publication)
        assert catalog.knowledge_bases.get("kb-1").revision == 1

    def test_deleted_or_unknown_knowledge_base_is_not_published(self, catalog: Catalog) -> None:
        with pytest.raises(KnowledgeBaseNotFound):
            catalog.publications.begin("kb-2", token="a", now=self.now, lease=60)
        catalog.knowledge_bases.mark_deleted(a_knowledge_base())
        with pytest.raises(KnowledgeBaseNotFound):
            catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)

    def test_purges_come_when_they_are_due_until_they_are_finished(self, catalog: Catalog) -> None:
        replaced, removed = Purge("kb-1", 3, self.now), Purge("kb-1", 3, self.now - 1, "doc-1")
        later = Purge("kb-2", 3, self.now + 1)
        for purge in (replaced, removed, later, Purge("kb-1", 3, self.now + 99)):
            catalog.publications.schedule_purge(purge)
        eventually(lambda: catalog.publications.due_purges(self.now, limit=10), [removed, replaced])
        assert catalog.publications.due_purges(self.now, limit=1) == [removed]
        for _ in range(2):
            catalog.publications.finish_purge(removed)
        eventually(lambda: catalog.publications.due_purges(self.now + 1, limit=10), [replaced, later])

    def test_publish_and_other_writes_count_every_generation(self, catalog: Catalog) -> None:
        publication = catalog.publications.begin("kb-1", token="a", now=self.now, lease=60)
        catalog.knowledge_bases.raise_generation("kb-1")
        catalog.publications.commit(publication)
        assert replace(catalog.knowledge_bases.get("kb-1"), updated_at=NOON).generation == 2
