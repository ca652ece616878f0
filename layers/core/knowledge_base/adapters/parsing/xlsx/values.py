"""Stored values of cells as their reader sees them: dates as dates, percentages as percentages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.xlsx.stream import RawCell, unescape

_BUILT_IN_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_BUILT_IN = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 46: "[h]:mm:ss"}
_LITERALS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.I)
_DATE_SIGNS = re.compile(r"[ymdhs年月日]", re.I)
_DECIMALS = re.compile(r"\.(0+)(?![#?])")
_LAST_DAY = 2_958_465
"""The last day that spreadsheets know, in the year 9999."""
_MAX_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class _Form:
    """What a number format says of positive numbers, without the words in it."""

    shown: str = ""
    is_date: bool = False
    is_elapsed: bool = False


_GENERAL = _Form()


class CellValues:
    """Turns stored cells to texts, with the workbook's shared texts and number formats."""

    def __init__(self, texts: list[str], styles: Element | None, *, counts_from_1904: bool) -> None:
        self._texts = texts
        self._epoch = datetime(1904, 1, 1) if counts_from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001
        self._forms = _read_forms(styles) if styles is not None else []
        self._bold = _read_bold(styles) if styles is not None else []

    def text(self, cell: RawCell) -> str:
        """Return what a cell shows on one line; a formula that was never computed stands for itself."""
        if not cell.value:
            return f"={cell.formula}" if cell.formula and cell.kind != "str" else ""
        return " ".join(clean(self._shown(cell)).split())

    def is_bold(self, cell: RawCell) -> bool:
        """Whether a cell is written in bold."""
        return cell.style < len(self._bold) and self._bold[cell.style]

    def _shown(self, cell: RawCell) -> str:
        if cell.kind == "s":
            return self._texts[int(cell.value)] if self._is_known(cell.value) else ""
        if cell.kind in ("str", "inlineStr"):
            return unescape(cell.value)
        if cell.kind == "b":
            return "TRUE" if cell.value.strip() == "1" else "FALSE"
        if cell.kind == "e":
            return ""
        if cell.kind == "d":
            return cell.value.replace("T", " ").removesuffix(" 00:00:00")
        return self._number(cell.value.strip(), cell.style)

    def _is_known(self, place: str) -> bool:
        return place.strip().isdecimal() and len(place) < 10 and int(place) < len(self._texts)

    def _number(self, stored: str, style: int) -> str:
        try:
            number = float(stored)
        except ValueError:
            return stored
        form = self._forms[style] if style < len(self._forms) else _GENERAL
        if form.is_elapsed:
            return _elapsed(number) or _plain(number, stored)
        if form.is_date:
            return self._date(number) or _plain(number, stored)
        return _formatted(number, stored, form.shown) if form.shown else _plain(number, stored)

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


def _read_forms(styles: Element) -> list[_Form]:
    own = {form.get("numFmtId", ""): form.get("formatCode", "") for form in styles.iter("numFmt")}
    codes = [own.get(look.get("numFmtId", "0")) or _built_in(look.get("numFmtId", "0")) for look in _looks(styles)]
    return [_read_form(code) for code in codes]


def _read_form(code: str) -> _Form:
    shown = _LITERALS.sub("", code.partition(";")[0]).replace("General", "")
    return _Form(shown, is_date=bool(_DATE_SIGNS.search(shown)), is_elapsed=bool(_ELAPSED.search(code)))


def _built_in(number: str) -> str:
    if not number.isdecimal():
        return ""
    return _BUILT_IN.get(int(number), "") or ("yyyy-mm-dd" if int(number) in _BUILT_IN_DATES else "")


def _read_bold(styles: Element) -> list[bool]:
    fonts = [_is_bold(font) for font in styles.findall("fonts/font")]
    numbers = [look.get("fontId", "0") for look in _looks(styles)]
    return [number.isdecimal() and int(number) < len(fonts) and fonts[int(number)] for number in numbers]


def _is_bold(font: Element) -> bool:
    bold = font.find("b")
    return bold is not None and bold.get("val", "1") not in ("0", "false")


def _looks(styles: Element) -> list[Element]:
    return styles.findall("cellXfs/xf")
