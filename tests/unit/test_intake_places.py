"""What the documents of an intake are called until they are decided."""

from __future__ import annotations

import pytest

from knowledge_base.domain.intakes import Place, new_intake_id


@pytest.mark.parametrize("number", [0, 1, 999, 65_534])
def test_a_documents_id_names_its_place(number: int) -> None:
    place = Place(new_intake_id(), number)
    assert Place.named(place.document_id) == place


@pytest.mark.parametrize("other", ["", "doc-1", "g" * 36, "价格"])
def test_what_is_no_documents_id_names_no_place(other: str) -> None:
    assert Place.named(other) is None


def test_an_intakes_own_id_names_no_place() -> None:
    assert Place.named(new_intake_id()) is None
