"""What the file beside a dropped file may say, in the forms of the managed services."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import Action, Grant, Permissions
from knowledge_base.services.sidecars import is_sidecar, read_sidecar

READ = frozenset({Action.READ})


def read(said: Any) -> DocumentMetadata:
    return read_sidecar(json.dumps(said).encode()).metadata


def test_short_form_of_bedrock_gives_title_tags_source_and_free_fields() -> None:
    attributes = {"title": "价格", "tags": ["a", "b", "a"], "source": "https://x.example", "year": 2026, "final": True}
    expected = DocumentMetadata("价格", ("a", "b"), "https://x.example", "", {"year": 2026, "final": True})
    assert read({"metadataAttributes": attributes}) == expected


def test_long_form_of_bedrock_gives_typed_values() -> None:
    typed = {
        "title": {"value": {"type": "STRING", "stringValue": "Prices"}, "includeForEmbedding": True},
        "year": {"value": {"type": "NUMBER", "numberValue": 2026}},
        "final": {"value": {"type": "BOOLEAN", "booleanValue": False}},
        "tags": {"value": {"type": "STRING_LIST", "stringListValue": ["north", "south"]}},
    }
    expected = DocumentMetadata("Prices", ("north", "south"), attributes={"year": 2026, "final": False})
    assert read({"metadataAttributes": typed}) == expected


def test_form_of_kendra_gives_title_attributes_and_readers() -> None:
    said = {
        "DocumentId": "d",
        "ContentType": "PDF",
        "Title": "Prices",
        "Attributes": {"_source_uri": "https://x.example", "_category": "finance"},
        "AccessControlList": [
            {"Name": "ann", "Type": "USER", "Access": "ALLOW"},
            {"Name": "ops", "Type": "GROUP", "Access": "ALLOW"},
        ],
    }
    sidecar = read_sidecar(json.dumps(said).encode())
    expected = DocumentMetadata("Prices", source="https://x.example", attributes={"_category": "finance"})
    assert sidecar.metadata == expected
    assert sidecar.permissions == Permissions(public=False, grants=(Grant("user:ann", READ), Grant("role:ops", READ)))


def test_without_an_access_control_list_the_tenant_may_read_and_with_an_empty_one_nobody_may() -> None:
    assert read_sidecar(b"{}").permissions.readers == {"*"}
    assert read_sidecar(b'{"AccessControlList": []}').permissions.readers == frozenset()


def test_tags_may_be_written_with_commas() -> None:
    assert read({"metadataAttributes": {"tags": "north, south ,,"}}).tags == ("north", "south")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"no json",
        b"[]",
        b"\xff\xfe",
        b'{"metadataAttributes": []}',
        b'{"metadataAttributes": {"a": {"b": 1}}}',
        b'{"metadataAttributes": {"a": null}}',
        b'{"metadataAttributes": {"a": {"value": {"type": "STRING"}}}}',
        b'{"AccessControlList": [{"Name": "ann", "Type": "USER", "Access": "DENY"}]}',
        b'{"AccessControlList": [{"Name": "ann"}]}',
        b'{"AccessControlList": "ann"}',
        b'{"Title": 7}',
        b'{"a": ' * 5000,
        b'{"Title": "' + b"x" * 20_000 + b'"}',
    ],
)
def test_what_is_no_sidecar_is_refused_with_the_reason(said: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_sidecar(said)
    assert str(refused.value)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.pdf.metadata.json", True),
        ("a/b.pdf", False),
        (".metadata.json", False),
        ("metadata.json", False),
        ("b.metadata.json/c", False),
    ],
)
def test_a_sidecar_is_known_by_its_name(path: str, *, expected: bool) -> None:
    assert is_sidecar(path) is expected
