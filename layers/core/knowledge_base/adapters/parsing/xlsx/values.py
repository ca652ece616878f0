"""Stored values of cells as their reader sees them: dates as dates, percentages as percentages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from knowledge_base.adapters.parsing.delimited.rows import SheetRun
from knowledge_base.adapters.parsing.xlsx.cells import AnyCell, RawRun, one_line, unescape

_BUILT_IN_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_BUILT_IN = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 46: "[h]:mm:ss"}
_LITERALS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.I)
_DATE_SIGNS = re.compile(r"[ymdhs年月日]", re.I)
_DECIMALS = re.compile(r"\.(0+)(?![#?])")
_LAST_DAY = 2_958_465
"""The last day that spreadsheets know, in the year 9999."""
_MOST_DIGITS, _MOST_KNOWN = 10, 200_000
_MOST_SHOWN, _LONGEST_SHOWN, _MOST_LOOKS = 10_000, 30, 20
"""How many values are remembered of each kind and look, how long they are, and of how many kinds and looks."""
_MAX_DECIMALS = _MAX_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Form:
    """What a number format says of positive numbers, without the words in it."""

    shown: str = ""
    is_date: bool = False
    is_elapsed: bool = False


_GENERAL = Form()


@dataclass(frozen=True, slots=True)
class CellLook:
    """How a cell shows what it holds."""

    form: Form = _GENERAL
    is_bold: bool = False


class _SharedTexts(dict[str, str]):
    """The texts that cells share, by the digits that point to them; empty where there is no such text."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self._by_place = texts

    def __missing__(self, digits: str) -> str:
        place = int(digits) if len(digits) < _MOST_DIGITS and digits.strip().isdecimal() else len(self._by_place)
        text = self._by_place[place] if place < len(self._by_place) else ""
        if len(self) < _MOST_KNOWN:
            self[digits] = text
        return text

    def column(self, digits: Iterable[str]) -> list[str]:
        """Return the texts that plain digits point to; empty texts, perhaps fewer, where there are not all of them."""
        try:
            return list(map(self._by_place.__getitem__, map(int, digits)))
        except IndexError:
            return [""]


class _Shown(dict[str, str]):
    """What stored values of one kind and look show."""

    def __init__(self, show: Callable[[str], str]) -> None:
        super().__init__()
        self._show = show

    def __missing__(self, stored: str) -> str:
        text = self._show(stored)
        if len(stored) < _LONGEST_SHOWN and len(self) < _MOST_SHOWN:
            self[stored] = text
        return text


class CellValues:
    """Turns stored cells to texts, with the workbook's shared texts and looks."""

    def __init__(self, texts: list[str], looks: list[CellLook], *, counts_from_1904: bool) -> None:
        self._texts, self._looks = _SharedTexts(texts), looks
        self._bold = frozenset(number for number, look in enumerate(looks) if look.is_bold)
        self._known: dict[tuple[str, int], _Shown] = {}
        self._epoch = datetime(1904, 1, 1) if counts_from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001

    def shown(self, cells: Iterable[AnyCell]) -> dict[int, str]:
        """Return the texts of a row's cells by their columns, without empty ones."""
        texts, shown = self._texts, {}
        for cell in cells:
            text = texts[cell[3]] if cell[1] == "s" and cell[3] else self.text(cell)
            if text:
                shown[cell[0]] = text
        return shown

    def run(self, run: RawRun) -> SheetRun | None:
        """Return the texts of rows that are alike, or None where some cell shows none."""
        columns, kinds, styles = zip(*run.cells, strict=True)
        texts = tuple(map(self._column, kinds, styles, run.values))
        return SheetRun(columns, texts, all(map(self.is_bold, styles))) if all(map(all, texts)) else None

    def text(self, cell: AnyCell) -> str:
        """Return what a cell shows on one line; a formula that was never computed stands for itself."""
        _column, kind, style, value, formula = cell
        if not value:
            return f"={one_line(formula)}" if formula and kind != "str" else ""
        if kind == "s":
            return self._texts[value]
        if kind == "n":
            return self.number(value.strip(), self._form(style))
        return one_line(self._other(kind, value))

    def is_bold(self, style: int) -> bool:
        """Whether a cell with this look is written in bold."""
        return style in self._bold

    def number(self, stored: str, form: Form) -> str:
        """Return what a stored number shows in a format."""
        if form is _GENERAL and stored.isdecimal() and len(stored) < _MAX_DIGITS:
            return str(int(stored))
        try:
            number = float(stored)
        except ValueError:
            return stored
        if form.is_elapsed:
            return _elapsed(number) or _plain(number, stored)
        if form.is_date:
            return self._date(number) or _plain(number, stored)
        return _formatted(number, stored, form.shown) if form.shown else _plain(number, stored)

    def _form(self, style: int) -> Form:
        return self._looks[style].form if style < len(self._looks) else _GENERAL

    def _column(self, kind: str, style: int, values: Sequence[str]) -> list[str]:
        if kind == "s":
            return self._texts.column(values)
        if kind == "n" and self._form(style) is _GENERAL and _are_whole(values):
            return list(map(str, map(int, values)))
        shown = self._known.get((kind, style))
        if shown is None:
            shown = _Shown(lambda value: self.text((0, kind, style, value, "")))
            if len(self._known) < _MOST_LOOKS:
                self._known[kind, style] = shown
        return list(map(shown.__getitem__, values))

    def _other(self, kind: str, value: str) -> str:
        if kind in ("str", "inlineStr"):
            return unescape(value)
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind == "d":
            return value.replace("T", " ").removesuffix(" 00:00:00")
        return ""

    def _date(self, number: float) -> str:
        """Day 60 of the usual calendar is a leap day that never was; days before it are one off."""
        if not 0 <= number <= _LAST_DAY:
            return ""
        days = number + 1 if 1 <= number < 60 and self._epoch.year == 1899 else number
        moment = self._epoch + timedelta(seconds=round(days * 86_400))
        time = f"{moment:%H:%M:%S}".removesuffix(":00")
        if number < 1:
            return time
        return f"{moment:%Y-%m-%d}" if time == "00:00" else f"{moment:%Y-%m-%d} {time}"


def _are_whole(values: Sequence[str]) -> bool:
    return "".join(values).isdecimal() and max(map(len, values)) < _MAX_DIGITS


def _formatted(number: float, stored: str, shown: str) -> str:
    decimals = _DECIMALS.search(shown)
    if "%" in shown and abs(number) < 1e12:
        return f"{_rounded(number * 100, decimals)}%"
    if shown and not shown.strip("0") and len(shown) > 1 and number >= 0 and number.is_integer():
        return _plain(number, stored).zfill(min(len(shown), _MAX_DECIMALS))
    if decimals and "E" not in shown.upper() and abs(number) < 1e15:
        return _rounded(number, decimals)
    return _plain(number, stored)


def _rounded(number: float, decimals: re.Match[str] | None) -> str:
    if decimals is None:
        return f"{number:.10g}"
    return f"{number:.{min(len(decimals[1]), _MAX_DECIMALS)}f}"


def _plain(number: float, stored: str) -> str:
    """Fifteen digits are what spreadsheets show; longer ones come from binary fractions."""
    if number != number or number in (float("inf"), float("-inf")):
        return stored
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.15g}"


def _elapsed(days: float) -> str:
    if abs(days) > _LAST_DAY or days != days:
        return ""
    seconds = round(abs(days) * 86_400)
    sign = "-" if days < 0 else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


@lru_cache(maxsize=1024)
def read_form(code: str) -> Form:
    """Return what a format code says."""
    shown = _LITERALS.sub("", code.partition(";")[0]).replace("General", "")
    is_elapsed = bool(_ELAPSED.search(code))
    if not shown and not is_elapsed:
        return _GENERAL
    return Form(shown, is_date=bool(_DATE_SIGNS.search(shown)), is_elapsed=is_elapsed)


def built_in_code(number: int) -> str:
    """Return the code of a format that every workbook knows by its number; empty for none."""
    return _BUILT_IN.get(number, "") or ("yyyy-mm-dd" if number in _BUILT_IN_DATES else "")
