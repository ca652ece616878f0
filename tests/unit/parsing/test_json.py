"""JSON: every value with the path that leads to it."""

from __future__ import annotations

import json

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

parser = LibraryDocumentParser()


def text_of(content: str | bytes, name: str = "a.json") -> str:
    return parser.parse(content.encode() if isinstance(content, str) else content, name=name).text


def failure_code(content: str) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        text_of(content)
    return caught.value.code


def test_values_stand_with_their_paths() -> None:
    content = {"pump": {"name": "P1", "parts": [{"id": 1}, {"id": 2}], "tags": ["a", "b"]}, "on": True, "end": None}
    assert text_of(json.dumps(content)) == (
        "pump.name: P1\npump.parts[0].id: 1\npump.parts[1].id: 2\npump.tags: a, b\non: true\nend: null"
    )


def test_records_of_a_list_and_lines_are_paragraphs() -> None:
    assert text_of('[{"a": 1, "b": "x"}, {"a": 2}]') == "[0].a: 1\n[0].b: x\n\n[1].a: 2"
    assert text_of('{"a": 1, "b": "x"}\n\n{"a": 2}\n', "a.jsonl") == "a: 1\nb: x\n\na: 2"


def test_digits_repeated_names_and_escapes_are_kept() -> None:
    digits = "1" * 5_000
    assert text_of('{"n": 0.10, "n": 1e400, "long": ' + digits + ', "\\u4f60": "\\u597d\\ud800"}') == (
        f"n: 0.10\nn: 1e400\nlong: {digits}\n你: 好"
    )


def test_scalar_at_the_top_is_its_own_text() -> None:
    assert text_of('"just words"') == "just words"


@pytest.mark.parametrize("content", ['{"a": 1,} // comment', "{'a': 1}", '{"a": [1, 2'])
def test_text_with_a_slip_is_kept_as_it_stands(content: str) -> None:
    assert text_of(content) == content


def test_json_under_another_name_is_read_as_json_and_code_stays_code() -> None:
    assert text_of('{"a": {"b": 1}}', "a.txt") == "a.b: 1"
    assert text_of("[1] is a reference, see [2]", "a.txt") == "[1] is a reference, see [2]"
    assert text_of('{"a": 1}', "a.js") == '{"a": 1}'


def test_utf16_is_read() -> None:
    assert text_of('{"Größe": "5 m"}'.encode("utf-16")) == "Größe: 5 m"


@pytest.mark.parametrize("depth", [150, 100_000])
def test_deep_nesting_is_too_complex(depth: int) -> None:
    assert failure_code("[" * depth + "]" * depth) in (FailureCode.TOO_COMPLEX, FailureCode.NO_TEXT)
    assert failure_code('{"a":' * depth + "1" + "}" * depth) is FailureCode.TOO_COMPLEX


def test_long_path_repeated_beyond_reason_is_too_complex() -> None:
    assert failure_code(json.dumps({"k" * 1_000_000: [{"v": 1}] * 100})) is FailureCode.TOO_COMPLEX


def test_empty_structures_have_no_text() -> None:
    assert failure_code('{"a": {}, "b": [], "c": ""}') is FailureCode.NO_TEXT


@pytest.mark.parametrize("indent", [None, 1, 4, "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_layout_of_a_large_file_makes_no_difference(indent: int | str | None, newline: str) -> None:
    users = [{"name": f"user {number}", "tags": ["a", "b"], "at": {"hall": number}} for number in range(20_000)]
    value = {"users": users, "total": 1, "last": {"of": "all"}}
    compact = json.dumps(value, separators=(",", ":"))
    laid_out = json.dumps(value, indent=indent).replace("\n", newline)
    assert len(compact) > 1_000_000
    read, expected = (parser.parse(text.encode(), name="a.json").text for text in (laid_out, compact))
    assert read.replace("\n\n", "\n") == expected.replace("\n\n", "\n")
    assert "users[19999].at.hall: 19999" in read


def test_members_of_a_record_that_is_too_large_to_be_held_keep_their_names() -> None:
    record = {"id": 7, "text": ["line of a long list"] * 20_000, "last": "all"}
    text = text_of(json.dumps({"records": [record, {"id": 8}], "total": 2}))
    assert "records[0].id: 7" in text
    assert "records[0].last: all" in text
    assert "records[1].id: 8" in text
