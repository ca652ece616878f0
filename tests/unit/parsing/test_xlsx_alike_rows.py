"""Rows of workbooks that are alike are read and written together; what comes of them is what comes of each alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from knowledge_base.domain.errors import IngestionFailed
from tests.unit.parsing.test_xlsx import MAIN, a_sheet, a_workbook, parse

COUNT = 90
_PIECE = 65_536
"""What is read of a sheet at a time."""
_END = "</sheetData></worksheet>"
TEXTS = ("Name", "100% of it", "Due", "Kiel", "Lyon  north", "", "a_x0041_b", "Name", "7")
SHARED = f'<sst xmlns="{MAIN}">{"".join(f"<si><t>{text}</t></si>" for text in TEXTS)}</sst>'
BY_THE_PARSER = "<!-- nothing of a part with a comment is taken for plain -->"
Rows = list[str]


def cell(column: str, number: int, value: object, kind: str = "", style: int = 0) -> str:
    """A cell as most writers write it."""
    looks = (f' s="{style}"' if style else "") + (f' t="{kind}"' if kind else "")
    return f'<c r="{column}{number}"{looks}><v>{value}</v></c>'


def row(number: int, *cells: str, attributes: str = ' spans="1:3"') -> str:
    return f'<row r="{number}"{attributes}>{"".join(cells)}</row>'


def plain(number: int) -> str:
    return row(
        number, cell("A", number, 3, "s"), cell("B", number, 10 + number), cell("C", number, number / 8, style=2)
    )


def a_table(make: Callable[[int], str] = plain) -> Rows:
    names = row(1, *(cell(letter, 1, place, "s", style=5) for place, letter in enumerate("ABC")))
    return [names, *map(make, range(2, COUNT))]


def with_row(number: int, changed: str) -> Rows:
    rows = a_table()
    rows[number - 1] = changed
    return rows


def filling_a_piece(rows: Rows, and_more: int = 0) -> Rows:
    """The rows with spaces before the last, so that what is read at first ends with it, and with what else follows."""
    length = len(a_sheet(*rows)) - len(_END) + and_more
    return [*rows[:-1], " " * (_PIECE - length), rows[-1]]


def outcome(*rows: str, after: str = "", shared: str = SHARED) -> object:
    """What comes of a workbook whose two sheets have these rows: what is learnt in the first, serves in the second."""
    sheet = a_sheet(*rows, after=after)
    try:
        parsed = parse(a_workbook({"S": sheet, "T": sheet}, sharedStrings=shared))
    except IngestionFailed as failure:
        return failure.code
    return parsed.text, parsed.spans, parsed.low_quality


TABLES: dict[str, Rows] = {
    "all alike": a_table(),
    "a number left out": [line for line in a_table() if 'r="60"' not in line],
    "numbers that go back": [*a_table()[:60], *a_table()[30:]],
    "a number twice": [*a_table()[:60], *a_table()[59:]],
    "another look": with_row(60, row(60, cell("A", 60, 3, "s"), cell("B", 60, 1), cell("C", 60, 0.5, style=1))),
    "a cell less": with_row(60, row(60, cell("A", 60, 3, "s"), cell("C", 60, 0.5, style=2))),
    "a cell without a value": with_row(60, row(60, cell("A", 60, 3, "s"), '<c r="B60"/>', cell("C", 60, 1, style=2))),
    "an empty value": with_row(60, row(60, cell("A", 60, 3, "s"), cell("B", 60, ""), cell("C", 60, 0.5, style=2))),
    "a text that is not there": with_row(60, plain(60).replace(">3<", ">99<")),
    "a text before the first": with_row(60, plain(60).replace(">3<", ">-1<")),
    "texts before the first, in a row": [*a_table()[:40], *(plain(n).replace(">3<", ">-1<") for n in range(41, 90))],
    "texts that are nowhere": a_table(lambda n: plain(n).replace(">3<", "> 3 <")),
    "an empty text": with_row(60, plain(60).replace(">3<", ">5<")),
    "a text that needs tidying": a_table(lambda n: plain(n).replace(">3<", ">4<" if n % 2 else ">6<")),
    "a text that names its column": with_row(60, plain(60).replace(">3<", ">7<")),
    "a row without cells": with_row(60, '<row r="60"/>'),
    "a row without a value": with_row(60, '<row r="60"><c r="A60" s="3"/></row>'),
    "rows without a value": a_table(lambda n: f'<row r="{n}"><c r="A{n}" s="3"/></row>'),
    "other attributes": with_row(60, plain(60).replace(' spans="1:3"', ' ht="12.8" x14ac:dyDescent="0.25"')),
    "cells with styles only": a_table(lambda n: plain(n).replace("</row>", f'<c r="D{n}" s="1"/></row>')),
    "a formula": with_row(60, plain(60).replace("<v>70", "<f>A1</f><v>70")),
    "a text of its own": with_row(60, row(60, '<c r="A60" t="inlineStr"><is><t>words</t></is></c>')),
    "a reference": with_row(60, plain(60).replace("<v>70", "<v>&#55;0")),
    "every kind": a_table(
        lambda n: row(n, *(cell(c, n, n % 2, k) for c, k in zip("ABCDE", ("b", "str", "e", "n", "d"), strict=True)))
    ),
    "every look": a_table(lambda n: row(n, *(cell(c, n, n / 4, style=s) for s, c in enumerate("ABCDEFGHIJKL")))),
    "every look of whole numbers": a_table(
        lambda n: row(n, *(cell(c, n, n, style=s) for s, c in enumerate("ABCDEFGHI")))
    ),
    "all bold": [row(n, *(cell(c, n, 3 if n % 2 else 6, "s", style=5) for c in "ABC")) for n in range(1, COUNT)],
    "titles above": [*(row(n, cell("A", n, 3, "s")) for n in range(1, 12)), *map(plain, range(12, COUNT))],
    "numbers with zeros": a_table(
        lambda n: row(n, cell("A", n, f"00{n}"), cell("B", n, "9" * 20), cell("C", n, " 7 "))
    ),
    "words for numbers": a_table(lambda n: row(n, cell("A", n, "word"), cell("B", n, n))),
    "a column twice": a_table(lambda n: row(n, cell("A", n, n), cell("A", n, 3, "s"), cell("B", n, 1))),
    "columns that go back": a_table(lambda n: row(n, cell("C", n, n), cell("A", n, 3, "s"))),
    "two shapes in turn": a_table(lambda n: plain(n) if n % 2 else row(n, cell("A", n, 3, "s"))),
    "shapes in turn, many of each": a_table(lambda n: plain(n) if n // 25 % 2 else row(n, cell("B", n, 3, "s"))),
    "a single column": a_table(lambda n: row(n, cell("A", n, 3, "s"))),
    "spaces between": [f"{line}\n  " for line in a_table()],
    "a table further down": [*a_table()[:50], *(plain(n) for n in range(60, 150))],
}


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
def test_rows_that_are_alike_read_as_they_do_one_by_one(rows: Rows) -> None:
    assert outcome(*rows) == outcome(BY_THE_PARSER, *rows)


def test_merged_cells_reach_into_rows_that_are_alike() -> None:
    rows = a_table(lambda n: row(n, cell("B", n, 3, "s"), cell("C", n, n)) if n > 50 else plain(n))
    after = '<mergeCells><mergeCell ref="A50:A60"/></mergeCells>'
    assert outcome(*rows, after=after) == outcome(BY_THE_PARSER, *rows, after=after)


def test_row_without_a_number_comes_after_those_of_the_piece_before() -> None:
    unnumbered = "<row><c><v>1</v></c></row>"
    rows = [*filling_a_piece(a_table()), *[unnumbered] * 5]
    assert outcome(*rows) == outcome(BY_THE_PARSER, *rows)


def test_rows_that_are_alike_count_as_rows_and_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = 4 * (COUNT - 1)
    for limit in (cells - 1, cells):
        monkeypatch.setattr("knowledge_base.adapters.parsing.xlsx.stream.MAX_CELLS", limit)
        assert isinstance(outcome(*a_table()), tuple) is (limit >= cells)


def test_rows_that_are_alike_keep_the_limit_of_named_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in range(2_000, 2_100, 7):
        monkeypatch.setattr("knowledge_base.adapters.parsing.delimited.rows.MAX_NAMED_TEXT", limit)
        assert outcome(*a_table()) == outcome(BY_THE_PARSER, *a_table())


UNSOUND: dict[str, Rows] = {
    "the end of a section": with_row(60, plain(60).replace(">70<", ">]]><")),
    "no character": with_row(60, row(60, cell("A", 60, "\uffff", "str"))),
    "an attribute twice": with_row(60, plain(60).replace(' spans="1:3"', ' spans="1:3" spans="1:3"')),
    "an attribute twice, early": with_row(5, plain(5).replace(' spans="1:3"', ' spans="1:3" spans="1:3"')),
    "a number twice over": with_row(60, plain(60).replace(' spans="1:3"', ' r="60"')),
    "an attribute without a name": with_row(60, plain(60).replace(" spans=", " 1=")),
    "rows outside the sheet": [*a_table()[:60], "</sheetData></worksheet>", *a_table()[60:]],
    "a tag that is not closed": [*a_table()[:60], "<row", *a_table()[60:]],
}


@pytest.mark.parametrize("rows", UNSOUND.values(), ids=UNSOUND)
def test_rows_that_are_not_sound_are_found_out(rows: Rows) -> None:
    found = outcome(*rows)
    assert found == outcome(BY_THE_PARSER, *rows)
    assert isinstance(found, tuple) and found[2]


def test_rows_behind_the_end_of_a_sheet_are_found_out() -> None:
    rows = a_table()
    sheet = a_sheet(*filling_a_piece(rows, and_more=len(_END)))
    parsed = parse(a_workbook({"S": sheet + "".join(rows)}, sharedStrings=SHARED))
    assert parsed.low_quality and parsed.text.count("Name: Kiel") == COUNT - 2


@pytest.mark.parametrize("text", ["a  b", "a_x0041_b", " a ", "a\u00a0b", "a\x7fb", "a\u2028b", "a\u200bb"])
def test_odd_shared_text_is_tidied_as_any_other(text: str) -> None:
    texts = f"<si><t>Name</t></si><si><t>{text}</t></si><si><t>b</t></si><si><t>c</t></si>"
    shared = f'<sst xmlns="{MAIN}">{texts}</sst>'
    in_runs = shared.replace(f"<t>{text}</t>", f"<r><t>{text}</t></r>")
    assert outcome(*a_table(), shared=shared) == outcome(*a_table(), shared=in_runs)


@pytest.mark.parametrize("text", ["]]>", "\ufffe", "plain</t></si></sst><si><t>more"])
def test_shared_texts_that_are_not_sound_are_found_out(text: str) -> None:
    shared = SHARED.replace("Kiel", text)
    with pytest.raises(IngestionFailed, match="not well-formed"):
        parse(a_workbook({"S": a_sheet(*a_table())}, sharedStrings=shared))
