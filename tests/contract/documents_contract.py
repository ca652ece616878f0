"""What every catalog promises of documents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.documents import Document
from knowledge_base.domain.errors import DocumentNotFound, InvalidInput, StaleState, VersionNotFound
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import ALL_ACTIONS, Action, Grant, Permissions
from knowledge_base.ports.catalog import NEW_AT_ONCE, Acceptance, Claim, Staged
from tests.aws import in_threads
from tests.builders import NOON, a_document, a_knowledge_base, a_version
from tests.contract.catalog_contract import Catalog

NAME = Claim("name", "guide.pdf")
DESCRIBED = DocumentMetadata(
    "价格", ("prices", "2026"), "https://prices.example", "pdf",
    {"pages": 3, "share": 0.5, "final": True, "empty": "", "areas": ("north", "south")},
)  # fmt: skip
FOR_ANN_AND_OPS = Permissions(
    public=False,
    grants=(Grant("user:ann", ALL_ACTIONS), Grant("role:ops", frozenset({Action.READ})), Grant("role:none")),
)


def accept(catalog: Catalog, document_id: str = "doc-1", *, claims: tuple[Claim, ...] = (), **changes: Any) -> Document:
    document = a_document(document_id=document_id, **changes)
    catalog.documents.accept(document, a_version(document_id=document_id, kb_id=document.kb_id), claims)
    return document


def accept_next(catalog: Catalog, ordinal: int, **changes: Any) -> Document:
    document = replace(catalog.documents.get("doc-1"), latest_ordinal=ordinal, **changes)
    catalog.documents.accept(document, a_version(ordinal=ordinal))
    return document


def an_acceptance(number: int) -> Acceptance:
    claims = (Claim("name", f"file {number}"), Claim("content", f"file {number}"))
    document_id = f"new-{number}"
    return Acceptance(a_document(document_id=document_id), a_version(document_id=document_id), claims)


def walk(catalog: Catalog, *, limit: int, kb_id: str = "kb-1") -> list[str]:
    found, cursor = [], None
    while True:
        page = catalog.documents.page(kb_id, limit=limit, cursor=cursor)
        found += [document.document_id for document in page.documents]
        cursor = page.next_cursor
        if cursor is None:
            return found


class DocumentsContract:
    """Subclasses give the fixture `catalog`: an empty one."""

    @pytest.fixture(autouse=True)
    def handbook(self, catalog: Catalog) -> None:
        catalog.knowledge_bases.create(a_knowledge_base())

    def test_accepted_document_can_be_read_and_listed_at_once(self, catalog: Catalog) -> None:
        document = accept(catalog, metadata=DESCRIBED, permissions=FOR_ANN_AND_OPS)
        assert catalog.documents.get("doc-1") == document
        assert catalog.documents.page("kb-1", limit=10).documents == (document,)
        assert catalog.versions.get("doc-1", 1) == a_version()

    @pytest.mark.parametrize("document_id", ["no-such", "", "x" * 4000, "doc-1#", "\ud800"])
    def test_unknown_id_is_not_found(self, catalog: Catalog, document_id: str) -> None:
        accept(catalog)
        with pytest.raises(DocumentNotFound):
            catalog.documents.get(document_id)
        assert list(catalog.documents.get_many([document_id, "doc-1"])) == ["doc-1"]

    def test_get_many_returns_those_that_exist_however_many(self, catalog: Catalog) -> None:
        ids = [f"doc-{number}" for number in range(230)]
        there = {ids[0], ids[99], ids[100], ids[229]}
        for document_id in there:
            accept(catalog, document_id)
        assert set(catalog.documents.get_many([*ids, *ids])) == there
        assert catalog.documents.get_many([]) == {}

    def test_same_document_twice_is_refused(self, catalog: Catalog) -> None:
        accept(catalog)
        with pytest.raises(StaleState):
            accept(catalog)

    def test_next_version_replaces_what_belongs_to_the_document(self, catalog: Catalog) -> None:
        accept(catalog)
        catalog.documents.set_live("doc-1", 1)
        accept_next(catalog, 2, owner="bob", live_ordinal=0)
        expected = a_document(latest_ordinal=2, live_ordinal=1, owner="bob", edition=1)
        assert catalog.documents.get("doc-1") == expected
        assert catalog.versions.get("doc-1", 2) == a_version(ordinal=2)
        assert walk(catalog, limit=10) == ["doc-1"]

    def test_next_version_keeps_what_was_said_of_the_document_meanwhile(self, catalog: Catalog) -> None:
        before = accept(catalog)
        catalog.documents.describe("doc-1", metadata=DESCRIBED, permissions=FOR_ANN_AND_OPS)
        catalog.documents.accept(replace(before, latest_ordinal=2), a_version(ordinal=2))
        after = catalog.documents.get("doc-1")
        assert (after.metadata, after.permissions) == (DESCRIBED, FOR_ANN_AND_OPS)

    def test_description_is_replaced_and_raises_the_generation(self, catalog: Catalog) -> None:
        document = accept(catalog)
        generation = catalog.knowledge_bases.get("kb-1").generation
        described = catalog.documents.describe("doc-1", metadata=DESCRIBED, permissions=FOR_ANN_AND_OPS, order="2")
        expected = replace(document, metadata=DESCRIBED, permissions=FOR_ANN_AND_OPS, description_order="2", edition=1)
        assert catalog.documents.get("doc-1") == described == replace(expected, updated_at=described.updated_at)
        assert catalog.knowledge_bases.get("kb-1").generation > generation

    def test_description_of_an_earlier_order_is_refused(self, catalog: Catalog) -> None:
        accept(catalog)
        catalog.documents.describe("doc-1", metadata=DESCRIBED, permissions=Permissions(), order="2")
        with pytest.raises(StaleState):
            catalog.documents.describe("doc-1", metadata=DocumentMetadata(), permissions=Permissions(), order="1")
        assert catalog.documents.get("doc-1").metadata == DESCRIBED

    def test_description_of_what_is_not_there_is_not_found(self, catalog: Catalog) -> None:
        catalog.documents.remove(accept(catalog))
        for document_id in ("doc-1", "no-such"):
            with pytest.raises(DocumentNotFound):
                catalog.documents.describe(document_id, metadata=DESCRIBED, permissions=Permissions())

    def test_revision_says_something_new_and_brings_a_version_at_once(self, catalog: Catalog) -> None:
        accept(catalog, edition=1)
        before, generation = catalog.documents.get("doc-1"), catalog.knowledge_bases.get("kb-1").generation
        version = a_version(ordinal=2)
        revised = catalog.documents.revise(before, metadata=DESCRIBED, permissions=FOR_ANN_AND_OPS, version=version)
        assert catalog.documents.get("doc-1") == revised
        assert (revised.metadata, revised.permissions) == (DESCRIBED, FOR_ANN_AND_OPS)
        assert (revised.latest_ordinal, revised.edition) == (2, 2)
        assert catalog.versions.get("doc-1", 2) == version
        assert catalog.knowledge_bases.get("kb-1").generation > generation

    def test_revision_of_what_was_changed_meanwhile_changes_nothing(self, catalog: Catalog) -> None:
        before = accept(catalog)
        catalog.documents.describe("doc-1", metadata=DESCRIBED, permissions=FOR_ANN_AND_OPS)
        with pytest.raises(StaleState):
            catalog.documents.revise(
                before, metadata=DocumentMetadata(), permissions=Permissions(), version=a_version(ordinal=2)
            )
        assert catalog.documents.get("doc-1").metadata == DESCRIBED
        with pytest.raises(VersionNotFound):
            catalog.versions.get("doc-1", 2)
        with pytest.raises(StaleState):
            catalog.documents.remove(before)

    def test_one_of_many_parallel_revisions_of_an_edition_is_taken(self, catalog: Catalog) -> None:
        before = accept(catalog)

        def revise(number: int) -> bool:
            try:
                metadata = DocumentMetadata(str(number))
                catalog.documents.revise(before, metadata=metadata, permissions=Permissions())
            except StaleState:
                return False
            return True

        assert sum(in_threads(8, revise)) == 1
        assert catalog.documents.get("doc-1").edition == 1

    def test_revision_of_what_is_removed_is_refused(self, catalog: Catalog) -> None:
        before = accept(catalog)
        catalog.documents.remove(before)
        with pytest.raises(StaleState):
            catalog.documents.revise(before, metadata=DESCRIBED, permissions=Permissions())

    @pytest.mark.parametrize("place", [0, 2, 6])
    def test_cursor_behind_a_document_leads_to_those_behind_it(self, catalog: Catalog, place: int) -> None:
        made = [accept(catalog, f"doc-{n}", created_at=NOON + timedelta(microseconds=n)) for n in range(7)]
        catalog.documents.remove(made[place])
        rest = catalog.documents.page("kb-1", limit=9, cursor=catalog.documents.cursor_behind(made[place]))
        assert [document.document_id for document in rest.documents] == [f"doc-{n}" for n in range(place + 1, 7)]

    @pytest.mark.parametrize("ordinal", [2, 4])
    def test_ordinal_that_is_not_the_next_is_refused(self, catalog: Catalog, ordinal: int) -> None:
        accept(catalog)
        accept_next(catalog, 2)
        with pytest.raises(StaleState):
            accept_next(catalog, ordinal)
        assert catalog.documents.get("doc-1").latest_ordinal == 2

    def test_next_version_of_what_is_not_there_is_refused(self, catalog: Catalog) -> None:
        with pytest.raises(StaleState):
            catalog.documents.accept(a_document(latest_ordinal=2), a_version(ordinal=2))
        with pytest.raises(VersionNotFound):
            catalog.versions.get("doc-1", 2)

    def test_next_version_with_names_of_before_a_rename_is_refused(self, catalog: Catalog) -> None:
        before = accept(catalog)
        catalog.documents.rename(before, frozenset({"guide.pdf", "alias.pdf"}))
        with pytest.raises(StaleState):
            catalog.documents.accept(replace(before, latest_ordinal=2), a_version(ordinal=2))

    def test_each_ordinal_is_given_once_to_parallel_callers(self, catalog: Catalog) -> None:
        accept(catalog)

        def accept_whatever_comes(number: int) -> int:
            while True:
                ordinal = catalog.documents.get("doc-1").latest_ordinal + 1
                version = a_version(ordinal=ordinal, content_hash=str(number))
                try:
                    catalog.documents.accept(a_document(latest_ordinal=ordinal), version)
                except StaleState:
                    continue
                return ordinal

        ordinals = in_threads(20, accept_whatever_comes)
        assert sorted(ordinals) == list(range(2, 22))
        by_caller = [catalog.versions.get("doc-1", ordinal).content_hash for ordinal in ordinals]
        assert by_caller == [str(number) for number in range(20)]

    def test_one_of_many_parallel_uploads_takes_the_claim(self, catalog: Catalog) -> None:
        outcomes = in_threads(50, lambda n: accept(catalog, f"doc-{n}", claims=(Claim("md5", "d41d8"), NAME)))
        winners = [outcome.document_id for outcome in outcomes if isinstance(outcome, Document)]
        assert len(winners) == 1
        assert sum(isinstance(outcome, StaleState) for outcome in outcomes) == 49
        assert catalog.documents.holder("kb-1", "md5", "d41d8") == winners[0]
        assert walk(catalog, limit=10) == winners

    def test_refused_acceptance_leaves_nothing(self, catalog: Catalog) -> None:
        accept(catalog, claims=(NAME,))
        with pytest.raises(StaleState):
            accept(catalog, "doc-2", claims=(Claim("md5", "d41d8"), NAME))
        with pytest.raises(DocumentNotFound):
            catalog.documents.get("doc-2")
        assert catalog.documents.holder("kb-1", "md5", "d41d8") is None
        assert walk(catalog, limit=10) == ["doc-1"]

    def test_new_documents_are_accepted_together_as_one_by_one(self, catalog: Catalog) -> None:
        new = [an_acceptance(number) for number in range(NEW_AT_ONCE)]
        catalog.documents.accept_new(new)
        assert sorted(walk(catalog, limit=100)) == sorted(each.document.document_id for each in new)
        for each in new:
            assert catalog.documents.get(each.document.document_id) == each.document
            assert catalog.versions.get(each.document.document_id, 1) == each.version
            for claim in each.claims:
                assert catalog.documents.holder("kb-1", claim.kind, claim.value) == each.document.document_id

    def test_of_new_documents_none_is_accepted_when_one_claim_is_taken(self, catalog: Catalog) -> None:
        accept(catalog, claims=(Claim("name", "file 1"),))
        with pytest.raises(StaleState):
            catalog.documents.accept_new([an_acceptance(number) for number in range(3)])
        assert walk(catalog, limit=100) == ["doc-1"]
        assert catalog.documents.holder("kb-1", "name", "file 0") is None

    def test_no_new_documents_are_nothing(self, catalog: Catalog) -> None:
        catalog.documents.accept_new([])
        assert walk(catalog, limit=100) == []

    def test_of_many_claims_those_are_told_that_are_taken(self, catalog: Catalog) -> None:
        catalog.documents.accept_new([an_acceptance(number) for number in range(3)])
        asked = {Claim(kind, f"file {number}") for kind in ("name", "content") for number in range(80)}
        expected = {Claim(kind, f"file {number}") for kind in ("name", "content") for number in range(3)}
        assert catalog.documents.taken("kb-1", asked) == expected
        assert catalog.documents.taken("kb-2", asked) == frozenset()

    def test_claim_passes_on_from_the_expected_holder_only(self, catalog: Catalog) -> None:
        accept(catalog, claims=(NAME,))
        with pytest.raises(StaleState):
            accept(catalog, "doc-2", claims=(replace(NAME, held_by="doc-9"),))
        accept(catalog, "doc-2", claims=(replace(NAME, held_by="doc-1"),))
        assert catalog.documents.holder("kb-1", "name", "guide.pdf") == "doc-2"

    @pytest.mark.parametrize("value", ["价格.pdf", "", "x" * 3000, "a#b", "md5#x"])
    def test_claims_differ_by_knowledge_base_kind_and_value(self, catalog: Catalog, value: str) -> None:
        accept(catalog, claims=(Claim("name", value),))
        assert catalog.documents.holder("kb-1", "name", value) == "doc-1"
        assert catalog.documents.holder("kb-2", "name", value) is None
        assert catalog.documents.holder("kb-1", "md5", value) is None
        assert catalog.documents.holder("kb-1", "name", value + "2") is None

    @pytest.mark.parametrize("limit", [1, 3, 7, 100])
    def test_walk_meets_every_document_once_oldest_first(self, catalog: Catalog, limit: int) -> None:
        for number in range(7):
            accept(catalog, f"doc-{9 - number}", created_at=NOON + timedelta(microseconds=number))
        accept(catalog, "elsewhere", kb_id="kb-2")
        assert walk(catalog, limit=limit) == [f"doc-{9 - number}" for number in range(7)]

    def test_walk_meets_documents_of_one_moment_once(self, catalog: Catalog) -> None:
        ids = ["doc-1", "doc-10", "doc-11", "doc-2"]
        for document_id in ids:
            accept(catalog, document_id)
        assert walk(catalog, limit=1) == ids

    def test_walk_goes_on_although_its_documents_are_removed(self, catalog: Catalog) -> None:
        documents = [accept(catalog, f"doc-{number}", created_at=NOON + timedelta(number)) for number in range(6)]
        first = catalog.documents.page("kb-1", limit=2)
        for document in documents[:3]:
            catalog.documents.remove(document)
        rest = catalog.documents.page("kb-1", limit=10, cursor=first.next_cursor)
        assert [document.document_id for document in rest.documents] == ["doc-3", "doc-4", "doc-5"]
        assert walk(catalog, limit=2) == ["doc-3", "doc-4", "doc-5"]
        assert len(catalog.documents.page("kb-1", limit=3).documents) == 3

    def test_walk_past_a_hundred(self, catalog: Catalog) -> None:
        for number in range(103):
            accept(catalog, f"doc-{number:03d}")
        assert walk(catalog, limit=101) == [f"doc-{number:03d}" for number in range(103)]

    @pytest.mark.parametrize("cursor", ["", "!", "abc", "价", "MXw", "MXxhYg==", "Mnxh", "x" * 9000])
    def test_foreign_cursor_is_refused(self, catalog: Catalog, cursor: str) -> None:
        with pytest.raises(InvalidInput):
            catalog.documents.page("kb-1", limit=10, cursor=cursor)

    def test_rename_takes_and_frees_claims_with_the_names(self, catalog: Catalog) -> None:
        document = accept(catalog, claims=(NAME,))
        catalog.documents.set_live("doc-1", 1)
        names = frozenset({"price.pdf", "价格.pdf"})
        renamed = catalog.documents.rename(document, names, take=[Claim("name", "price.pdf")], free=[NAME])
        assert renamed == replace(document, names=names, live_ordinal=1, edition=1)
        assert catalog.documents.get("doc-1") == renamed
        assert catalog.documents.holder("kb-1", "name", "price.pdf") == "doc-1"
        assert catalog.documents.holder("kb-1", "name", "guide.pdf") is None

    def test_rename_of_a_document_renamed_meanwhile_is_refused(self, catalog: Catalog) -> None:
        document = accept(catalog)
        catalog.documents.rename(document, frozenset({"guide.pdf", "first.pdf"}))
        with pytest.raises(StaleState):
            catalog.documents.rename(document, frozenset({"guide.pdf", "second.pdf"}))

    def test_rename_to_a_claim_of_another_changes_nothing(self, catalog: Catalog) -> None:
        document = accept(catalog, claims=(NAME,))
        accept(catalog, "doc-2", claims=(Claim("name", "taken.pdf"),))
        with pytest.raises(StaleState):
            catalog.documents.rename(document, frozenset({"taken.pdf"}), take=[Claim("name", "taken.pdf")], free=[NAME])
        assert catalog.documents.get("doc-1") == document
        assert catalog.documents.holder("kb-1", "name", "guide.pdf") == "doc-1"

    def test_document_can_do_without_names(self, catalog: Catalog) -> None:
        nameless = catalog.documents.rename(accept(catalog), frozenset())
        assert nameless.names == frozenset()
        assert catalog.documents.rename(nameless, frozenset({"again.pdf"})).names == frozenset({"again.pdf"})

    def test_removal_hides_frees_and_stages_at_once(self, catalog: Catalog) -> None:
        document = accept(catalog, claims=(NAME,))
        catalog.clock.pass_seconds(5)
        removed = catalog.documents.remove(document, [NAME])
        assert removed == replace(document, removed=True, removed_ordinal=1, updated_at=NOON + timedelta(seconds=5))
        assert catalog.documents.get("doc-1") == removed
        assert walk(catalog, limit=10) == []
        assert catalog.documents.holder("kb-1", "name", "guide.pdf") is None
        assert catalog.publications.staged("kb-1", limit=10) == [Staged("doc-1", 1, removal=True)]
        assert catalog.knowledge_bases.get("kb-1").generation == 1

    def test_removal_leaves_a_claim_that_passed_on(self, catalog: Catalog) -> None:
        document = accept(catalog, claims=(NAME,))
        accept(catalog, "doc-2", claims=(replace(NAME, held_by="doc-1"),))
        assert catalog.documents.remove(document, [NAME, Claim("md5", "never held")]).removed
        assert catalog.documents.holder("kb-1", "name", "guide.pdf") == "doc-2"

    def test_removal_of_a_document_changed_meanwhile_is_refused(self, catalog: Catalog) -> None:
        document = accept(catalog)
        accept_next(catalog, 2)
        with pytest.raises(StaleState):
            catalog.documents.remove(document)
        assert walk(catalog, limit=10) == ["doc-1"]
        assert catalog.publications.staged("kb-1", limit=10) == []

    def test_one_of_two_removals_wins(self, catalog: Catalog) -> None:
        document = accept(catalog)
        catalog.documents.remove(document)
        with pytest.raises(StaleState):
            catalog.documents.remove(document)
        assert catalog.knowledge_bases.get("kb-1").generation == 1

    def test_removed_document_takes_no_version(self, catalog: Catalog) -> None:
        catalog.documents.remove(accept(catalog))
        with pytest.raises(StaleState):
            accept_next(catalog, 2)

    def test_upload_after_removal_is_a_new_document(self, catalog: Catalog) -> None:
        catalog.documents.remove(accept(catalog, claims=(NAME,)), [NAME])
        accept(catalog, "doc-2", claims=(NAME,))
        assert walk(catalog, limit=10) == ["doc-2"]

    def test_live_version_never_goes_back(self, catalog: Catalog) -> None:
        accept(catalog)
        for ordinal, expected in ((2, 2), (1, 2), (2, 2), (3, 3)):
            catalog.documents.set_live("doc-1", ordinal)
            assert catalog.documents.get("doc-1").live_ordinal == expected

    def test_live_version_of_nothing_stays_nothing(self, catalog: Catalog) -> None:
        catalog.documents.set_live("doc-1", 1)
        with pytest.raises(DocumentNotFound):
            catalog.documents.get("doc-1")

    def test_erased_document_is_forgotten_with_its_versions(self, catalog: Catalog) -> None:
        accept(catalog)
        for ordinal in range(2, 32):
            accept_next(catalog, ordinal)
        removed = catalog.documents.remove(catalog.documents.get("doc-1"))
        accept(catalog, "doc-10")
        catalog.documents.erase(removed)
        catalog.documents.erase(removed)
        with pytest.raises(DocumentNotFound):
            catalog.documents.get("doc-1")
        with pytest.raises(VersionNotFound):
            catalog.versions.get("doc-1", 31)
        assert walk(catalog, limit=10) == ["doc-10"]
