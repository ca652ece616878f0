"""What the benchmark of readers counts beside words."""

from __future__ import annotations

import pytest

from tests.bench.public_readers.reader import Paged, written
from tests.bench.reader_facets import Facet, Output, carries, shares


class _Span:
    def __init__(self, kind: str, start: int, number: int) -> None:
        self.kind, self.start, self.number = kind, start, number


class _Structured:
    text = "Start\n\nWords\n\nEnd"
    spans = (_Span("page", 0, 1), _Span("heading", 0, 2), _Span("page", 14, 2), _Span("heading", 14, 1))


NAMED = Facet("columns", "K1\tpump", "Part")


def test_spans_become_the_markdown_that_they_stand_for() -> None:
    assert written(_Structured()) == "## Start\n\nWords\n\n\f\n# End"


@pytest.mark.parametrize("text", ["# The **plan**", "  ### [The](x) plan", "## The plan"])
def test_heading_counts_in_any_markdown(text: str) -> None:
    assert carries(Output(text), Facet("headings", "The plan"))


@pytest.mark.parametrize("text", ["The plan", "# The plan of others", "**The plan**"])
def test_line_that_is_not_marked_as_the_heading_is_none(text: str) -> None:
    assert not carries(Output(text), Facet("headings", "The plan"))


@pytest.mark.parametrize(
    "text", ["Key: K1 | Part: pump", "| **Key** | **Part** |\n|---|:-:|\n| K0 | lid |\n| K1 | pump |"]
)
def test_value_counts_beside_or_below_the_name_of_its_column(text: str) -> None:
    assert carries(Output(text), NAMED)


@pytest.mark.parametrize("text", ["Key Part\nK1 pump", "| Title | |\n|---|---|\n| Key | Part |\n| K1 | pump |"])
def test_value_whose_column_has_another_name_or_none_does_not_count(text: str) -> None:
    assert not carries(Output(text), NAMED)


def test_number_counts_right_before_its_item() -> None:
    step = Facet("list numbers", "Turn it on", "2.")
    assert carries(Output("2\\. Turn it on"), step)
    assert not carries(Output("- Turn it on\n\n2."), step)


def test_pages_count_where_a_reader_tells_of_them_in_any_way() -> None:
    second = Facet("pages", "b", "2")
    assert carries(Output("a\fb"), second)
    assert carries(Output(written(Paged("a b", ["a", "b"]))), second)
    assert not carries(Output("a b"), second)


def test_what_is_hidden_counts_as_left_out_only_where_there_is_a_text() -> None:
    assert shares({"1": "a", "2": None}, {name: [Facet("hidden", "b")] for name in "12"}) == {"hidden": 0.5}
