"""How long an endpoint asks to be left alone."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.openai.endpoint_errors import seconds_to_wait

NOON = 1767268800  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("0", 0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0),
        ("9999999", 3600),
        ("1e400", 3600),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value: str, seconds: float | None) -> None:
    assert seconds_to_wait({"retry-after": value}, NOON) == seconds


def test_without_the_header_nothing_is_known() -> None:
    assert seconds_to_wait({}, NOON) is None
