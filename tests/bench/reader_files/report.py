"""What is in a report that somebody has written: beside its words, what a page of paragraphs lacks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.bench.reader_facets import Facet
from tests.bench.reader_files.languages import ENGLISH
from tests.bench.reader_files.made import Section, facets_of, tables

_SECTIONS, _ROWS = 14, 8


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section with everything that hangs on it; every text begins with words that stand nowhere else."""

    section: Section
    steps: tuple[str, ...]
    note: str
    comment: str
    box: str
    deleted: str
    hidden: str
    link: str
    target: str
    entry: str

    def text(self, *kinds: str) -> str:
        """Return the words that stand in the text, with what hangs on it of these kinds behind."""
        rows = (" ".join(row) for row in self.section.rows)
        hanging = (getattr(self, kind) for kind in kinds)
        return "\n".join((self.section.title, *self.section.paragraphs, *self.steps, *rows, *hanging))


_KINDS = {"note": "notes", "comment": "comments", "box": "text boxes", "link": "link texts", "entry": "form values"}


def chapters(seed: int, count: int = _SECTIONS) -> tuple[Chapter, ...]:
    """Return the chapters of a report."""
    chance = random.Random(seed)
    return tuple(_chapter(number, part, chance) for number, part in enumerate(tables(seed, count, rows=_ROWS), start=1))


def facets_of_chapters(parts: Sequence[Chapter], *kinds: str) -> tuple[Facet, ...]:
    """Return the facets of chapters: headings, columns and list numbers, and those of the named kinds."""
    return (*facets_of(part.section for part in parts), *(found for part in parts for found in _facets(part, kinds)))


def _facets(part: Chapter, kinds: Sequence[str]) -> Iterator[Facet]:
    yield from (Facet("list numbers", step, f"{place}.") for place, step in enumerate(part.steps, start=1))
    yield from (Facet(_KINDS[kind], getattr(part, kind)) for kind in kinds if kind in _KINDS)
    yield from (Facet("hidden", getattr(part, kind)) for kind in kinds if kind in ("deleted", "hidden"))
    if "link" in kinds:
        yield Facet("link targets", part.link, part.target)


def _chapter(number: int, table: Section, chance: random.Random) -> Chapter:
    texts = tuple(ENGLISH.paragraph(chance, sentences=chance.randint(3, 6)) for _ in range(4))
    return Chapter(
        Section(table.title, texts, table.rows),
        tuple(f"Step {number}s{place} {ENGLISH.sentence(chance)}" for place in range(4)),
        *(
            f"{kind} {number}x {ENGLISH.sentence(chance)}"
            for kind in ("Noted", "Remarked", "Boxed", "Struck", "Unseen")
        ),
        link=f"see manual {number}x",
        target=f"https://example.org/manual/{number}",
        entry=f"entered {number}x by hand",
    )
