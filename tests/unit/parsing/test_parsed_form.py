"""The JSON form in which a parsed document is stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind, decode_parsed, encode_parsed

SPANS = st.builds(Span, st.sampled_from(SpanKind), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, st.lists(SPANS), TEXTS, st.booleans())
def test_decoding_gives_back_what_was_encoded(text: str, spans: list[Span], title: str, low_quality: bool) -> None:
    parsed = ParsedDocument(text, "text/plain", tuple(spans), title, low_quality)
    assert decode_parsed(encode_parsed(parsed)) == parsed


@pytest.mark.parametrize("changes", [{"form": 2}, {"form": None}, {"text": ...}, {"spans": [["river", 0, 1, 0]]}])
def test_form_of_another_kind_is_refused(changes: dict[str, object]) -> None:
    form = json.loads(encode_parsed(ParsedDocument("x", "text/plain"))) | changes
    form = {name: value for name, value in form.items() if value is not ...}
    with pytest.raises(ValueError, match=r"."):
        decode_parsed(json.dumps(form).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"null"])
def test_bytes_that_are_no_form_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_parsed(data)
