"""What a workbook's reader asks of it, and the answer of workbooks whose parts are XML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Protocol
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.docx.runs import flag
from knowledge_base.adapters.parsing.office_package import OfficePackage
from knowledge_base.adapters.parsing.sheets import Merges
from knowledge_base.adapters.parsing.xlsx.alike_rows import Shapes
from knowledge_base.adapters.parsing.xlsx.cells import RawRow, RawRun, one_line
from knowledge_base.adapters.parsing.xlsx.stream import shared_texts, sheet_merges, sheet_rows
from knowledge_base.adapters.parsing.xlsx.values import CellLook, built_in_code, read_form

_MOST_HELD = 64
"""Pieces of a sheet that are held: four megabytes."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet's name, the id of its part, and whether anybody may show it."""

    name: str
    part_id: str
    is_shown: bool = True


class Book(Protocol):
    """The parts of a workbook, in whatever form they are stored."""

    def sheets(self) -> list[Sheet]:
        """Return the sheets in the order of their tabs."""

    def counts_from_1904(self) -> bool:
        """Whether days are counted from 1904 on."""

    def texts(self) -> list[str]:
        """Return the texts that cells share, each on one line."""

    def looks(self) -> list[CellLook]:
        """Return the looks by the numbers by which cells point to them."""

    def merges(self, part: str) -> Merges:
        """Return the merged cells of a sheet."""

    def rows(self, part: str) -> Iterator[RawRow | RawRun]:
        """Yield the rows of a sheet, those above a damaged place too.

        Raises:
            IngestionFailed: it is damaged, or has too many cells.
        """

    def comments(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield the cells that have comments, with their texts."""


class XmlBook:
    """A workbook whose parts are XML."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._workbook = package.main_part()
        self._shapes = Shapes()
        self._held: tuple[str, list[bytes]] = ("", [])

    def sheets(self) -> list[Sheet]:
        """Return the sheets in the order of their tabs."""
        return [
            Sheet(one_line(sheet.get("name", "")), sheet.get("r:id", ""), sheet.get("state") != "veryHidden")
            for sheet in self._workbook.iter("sheet")
        ]

    def counts_from_1904(self) -> bool:
        """Whether days are counted from 1904 on."""
        properties = self._workbook.find("workbookPr")
        return properties is not None and properties.get("date1904", "0") in ("1", "true")

    def texts(self) -> list[str]:
        """Return the texts that cells share, each on one line."""
        names = self._package.related(self._package.main, "sharedStrings")
        return shared_texts(self._package.pieces(names[0])) if names and names[0] in self._package else []

    def looks(self) -> list[CellLook]:
        """Return the looks by the numbers by which cells point to them."""
        styles = next(iter(self._package.related_parts(self._package.main, "styles")), None)
        if styles is None:
            return []
        codes = {form.get("numFmtId", ""): form.get("formatCode", "") for form in styles.iter("numFmt")}
        fonts = [flag(font.find("b")) for font in styles.findall("fonts/font")]
        return [_look(look, codes, fonts) for look in styles.findall("cellXfs/xf")]

    def merges(self, part: str) -> Merges:
        """Return the merged cells of a sheet, whose bytes are held if they are few: its rows are asked for next."""
        pieces = self._package.pieces(part)
        held = list(islice(pieces, _MOST_HELD))
        self._held = (part, held) if len(held) < _MOST_HELD else ("", [])
        return sheet_merges(chain(held, pieces))

    def rows(self, part: str) -> Iterator[RawRow | RawRun]:
        """Yield the rows of a sheet, those above a damaged place too."""
        name, held = self._held
        return sheet_rows(held if name == part else self._package.pieces(part), self._shapes)

    def comments(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield the cells that have comments, with their texts."""
        for comments in self._package.related_parts(part, "comments"):
            for comment in comments.iter("comment"):
                text = "".join(text.text or "" for text in comment.iter("t"))
                yield one_line(comment.get("ref", "")), one_line(text)


def _look(look: Element, codes: dict[str, str], fonts: list[bool]) -> CellLook:
    number, font = look.get("numFmtId", "0"), look.get("fontId", "0")
    code = codes.get(number) or (built_in_code(int(number[:9])) if number.isdecimal() else "")
    return CellLook(read_form(code), font.isdecimal() and int(font[:9]) < len(fonts) and fonts[int(font[:9])])
