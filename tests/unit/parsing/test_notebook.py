"""Jupyter notebooks, as Jupyter and others write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

parser = LibraryDocumentParser()
NOTEBOOK: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# The pump\n", "It starts at forty degrees."]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {"collapsed": False},
            "source": "start(40)\n",
            "outputs": [
                {"name": "stdout", "output_type": "stream", "text": ["started\n"]},
                {"output_type": "execute_result", "data": {"text/plain": ["42"]}, "metadata": {}},
                {"output_type": "error", "ename": "TooHot", "evalue": "61 degrees", "traceback": ["\u001b[31mlong"]},
            ],
        },
        {"cell_type": "raw", "metadata": {}, "source": "a raw cell"},
    ],
    "metadata": {"kernelspec": {"name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def read(content: str, name: str = "a.ipynb") -> ParsedDocument:
    return parser.parse(content.encode(), name=name)


FORMS = {
    "compact": json.dumps(NOTEBOOK, separators=(",", ":")),
    "usual": json.dumps(NOTEBOOK),
    "as Jupyter writes": json.dumps(NOTEBOOK, indent=1) + "\n",
    "indented by tabs": json.dumps(NOTEBOOK, indent="\t"),
    "Windows": json.dumps(NOTEBOOK, indent=2).replace("\n", "\r\n"),
    "cells last": json.dumps({name: NOTEBOOK[name] for name in reversed(NOTEBOOK)}, indent=1),
}


@pytest.mark.parametrize("form", FORMS)
def test_cells_come_in_their_order_however_the_file_is_laid_out(form: str) -> None:
    parsed = read(FORMS[form])
    assert parsed.text.split("\n\n") == [
        "# The pump\nIt starts at forty degrees.",
        "start(40)",
        "started",
        "42",
        "TooHot: 61 degrees",
        "a raw cell",
    ]
    assert parsed.title == "The pump"


def test_code_and_what_it_printed_are_code() -> None:
    parsed = read(FORMS["usual"])
    shown = [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.CODE)]
    assert shown == ["start(40)", "started", "42", "TooHot: 61 degrees"]


def test_notebook_is_told_by_its_content() -> None:
    assert "The pump" in read(FORMS["as Jupyter writes"], name="a.json").title


def test_cut_notebook_is_damaged_and_empty_one_has_no_text() -> None:
    for content, code in (
        (FORMS["as Jupyter writes"][:300], FailureCode.CORRUPT),
        (json.dumps({"cells": [], "metadata": {}, "nbformat": 4}), FailureCode.NO_TEXT),
    ):
        with pytest.raises(IngestionFailed) as caught:
            read(content)
        assert caught.value.code is code


def test_outputs_longer_than_what_is_read_at_once_are_not_lost() -> None:
    printed = {"output_type": "stream", "text": [f"line {number}\n" for number in range(9_000)]}
    pictures = {"output_type": "display_data", "data": {"image/png": "A" * 400_000, "text/plain": "<Figure>"}}
    cell = {"cell_type": "code", "source": ["plot()"], "outputs": [pictures, printed]}
    text = read(json.dumps({"cells": [cell, NOTEBOOK["cells"][0]], "metadata": {}, "nbformat": 4}, indent=1)).text
    assert text.startswith("plot()")
    assert "line 17\n" in text
    assert "It starts at forty degrees." in text
    assert "AAAA" not in text


def test_worksheets_of_the_oldest_form_are_read() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["1 + 1"]}]
    text = read(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3, "metadata": {}})).text
    assert text == "Old\n\n1 + 1"
