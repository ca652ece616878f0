"""ZIP packages: their members by name, and no more of them than can be held."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.archives import Package
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from tests.unit.parsing.files import a_zip


def code_of(action: Callable[[], object]) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        action()
    return caught.value.code


def with_size(content: bytes, size: int) -> bytes:
    """The package with another size of its only member in its directory."""
    place = content.rindex(b"PK\x01\x02") + 24
    return content[:place] + size.to_bytes(4, "little") + content[place + 4 :]


@pytest.mark.parametrize("name", ["Word/Document.xml", "word/document.xml", "/word/document.xml", "word\\document.xml"])
def test_member_is_found_whatever_its_case_and_slashes(name: str) -> None:
    package = Package(a_zip({"word/Document.xml": "words"}))
    assert name in package
    assert package.read(name) == b"words"


def test_member_comes_piece_by_piece() -> None:
    pieces = list(Package(a_zip({"a": "x" * 200_000})).pieces("a"))
    assert len(pieces) > 2
    assert b"".join(pieces) == b"x" * 200_000


def test_what_unpacks_to_too_much_is_too_complex_long_before_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_INFLATED", 1_000_000)
    package, taken = Package(a_zip({"a": bytes(50_000_000)})), 0

    def take() -> None:
        nonlocal taken
        for piece in package.pieces("a"):
            taken += len(piece)

    assert code_of(take) is FailureCode.TOO_COMPLEX
    assert taken <= 1_100_000


def test_members_count_together_but_each_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_INFLATED", 1_000_000)
    package = Package(a_zip({"a": bytes(600_000), "b": bytes(600_000)}))
    assert len(package.read("a")) == len(package.read("a"))
    assert code_of(lambda: package.read("b")) is FailureCode.TOO_COMPLEX


def test_member_too_big_to_be_held_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_HELD", 1_000_000)
    assert code_of(lambda: Package(a_zip({"a": bytes(2_000_000)})).read("a")) is FailureCode.TOO_COMPLEX


def test_header_that_promises_gigabytes_for_a_few_bytes_is_not_believed() -> None:
    assert Package(with_size(a_zip({"a": "words"}), 0xF000_0000)).read("a") == b"words"


def test_header_that_hides_how_much_is_packed_makes_the_member_corrupt() -> None:
    assert code_of(lambda: Package(with_size(a_zip({"a": bytes(5_000_000)}), 10)).read("a")) is FailureCode.CORRUPT


def test_more_members_than_can_be_listed_are_too_complex() -> None:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(20_001):
            archive.writestr(str(number), "")
    assert code_of(lambda: Package(target.getvalue())) is FailureCode.TOO_COMPLEX


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(10), b"no package"])
def test_what_is_no_package_is_corrupt(content: bytes) -> None:
    assert code_of(lambda: Package(content)) is FailureCode.CORRUPT


def test_missing_member_is_corrupt_and_optional_one_is_none() -> None:
    package = Package(a_zip({"a": "words"}))
    assert code_of(lambda: package.read("b")) is FailureCode.CORRUPT
    assert package.read_optional("b") is None


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_member_is_read_whole_or_not_at_all(packing: int) -> None:
    target, words = BytesIO(), bytes(range(256)) * 2_000
    with zipfile.ZipFile(target, "w", packing) as archive:
        archive.writestr("a", words)
    sound = target.getvalue()
    place = sound.index(b"a") + 900
    assert Package(sound).read("a") == words
    broken = sound[:place] + bytes(byte ^ 255 for byte in sound[place : place + 4]) + sound[place + 4 :]
    assert code_of(lambda: Package(broken).read("a")) is FailureCode.CORRUPT


def test_package_behind_other_bytes_is_read() -> None:
    assert Package(b"#!/bin/sh\n" + a_zip({"a": "words"})).read("a") == b"words"
