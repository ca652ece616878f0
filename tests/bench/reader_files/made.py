"""What a made file is: its bytes, and the words that a reader should and should not find in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.bench.reader_facets import Facet
from tests.bench.reader_files.languages import ENGLISH, Language

Rows = list[list[str]]
_SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Made:
    """A file; `known` is its text in reading order, `unwanted` what only decorates it, `facets` what it holds else."""

    name: str
    content: bytes
    known: str
    unwanted: str = ""
    facets: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it."""

    title: str
    paragraphs: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """The words of the section in reading order."""
        return "\n".join((self.title, *self.paragraphs, *(" ".join(row) for row in self.rows)))


def sections(seed: int, count: int, *, language: Language = ENGLISH, paragraphs: int = 4) -> tuple[Section, ...]:
    """Return sections of paragraphs."""
    chance = random.Random(seed)
    return tuple(
        Section(
            f"{number} {language.title(chance)}",
            tuple(language.paragraph(chance, sentences=chance.randint(3, 7)) for _ in range(paragraphs)),
        )
        for number in range(1, count + 1)
    )


def tables(seed: int, count: int, *, language: Language = ENGLISH, rows: int = 30) -> tuple[Section, ...]:
    """Return sections of a paragraph and a table, whose first row names its columns."""
    chance = random.Random(seed)
    return tuple(
        Section(
            f"{number} {language.title(chance)}",
            (language.paragraph(chance, sentences=2),),
            (
                ("Position", "Component", "Quantity", "Value", "Remark"),
                *(
                    (f"P{number}x{row}", *(language.cell(chance) for _ in range(3)), f"remark {chance.randrange(999)}")
                    for row in range(rows)
                ),
            ),
        )
        for number in range(1, count + 1)
    )


def text_of(parts: tuple[Section, ...]) -> str:
    """Return the words of sections in reading order."""
    return "\n\n".join(part.text for part in parts)


def facets_of(parts: Iterable[Section]) -> tuple[Facet, ...]:
    """Return the headings of sections, and for a sample of the rows of each table what stands in which column."""
    found: list[Facet] = []
    for part in parts:
        found.append(Facet("headings", part.title))
        found += named_values(part.rows)
    return tuple(found)


def named_values(rows: Sequence[Sequence[str]]) -> Iterator[Facet]:
    """Yield facets of a table whose first row names its columns, and whose first column names its rows."""
    for row in rows[1 :: max(1, len(rows) // _SAMPLE)]:
        yield from (
            Facet("columns", f"{row[0]}\t{value}", name) for name, value in zip(rows[0][1:], row[1:], strict=True)
        )


def numbered(count: int, make: Callable[[int], Made]) -> Iterator[Made]:
    """Make files, each from a seed of its own."""
    return (make(seed) for seed in range(1, count + 1))
