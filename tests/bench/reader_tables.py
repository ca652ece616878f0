"""What was measured of the readers, as Markdown tables."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.bench.public_readers.reader import OURS, OURS_IN_SANDBOX, Reader
from tests.bench.reader_quality import Quality

TOLERANCE = 0.01
"""How much less of the words a reader may find, and be called of the same quality."""
MORE_NOISE = 0.1
LESS_OF_A_FACET = 0.1
"""How many less of any kind of facet that ours carries."""
NAMED = ("pypdf", "kreuzberg", "kreuzberg, Markdown", "markitdown")
NOTE = f"""\
Each reader runs in a process of its own, warmed, in turn with the others, forwards and backwards, several rounds.
`cpu` is the processor's time for the whole set, of all threads and children: it holds on a machine that does other
work; `wall` is the clock's; both are medians. A ratio is a reader's `cpu` to ours, so above 1 it is slower than ours.
`words` is how much of the words it finds: of made files, those that they are known to say, in their order; of foreign
files, those that any two readers agree upon. `noise` is how much of what only decorates the pages (navigation, running
heads) it brings along, `�` counts replacement characters, `failed` the files of which it gives no text. What a file
holds beside words is counted apart, each kind by itself: headings that are marked as such, list numbers before their
items, values that stand in their line with their column's name or below it in a Markdown table, and so on.

A reader is of the *same quality* as ours if it finds at least our share of the words less {TOLERANCE:.0%}, fails on
no more files, brings along at most {MORE_NOISE:.0%} more noise, and carries of each kind of facet at least our share
less {LESS_OF_A_FACET:.0%}; what it carries and ours does not is shown, and asks nothing of it. The fastest of the
same quality stands in bold, those of lower quality in italics. *By words alone* leaves the facets out.
"""


@dataclass(slots=True)
class Run:
    """What one reader did with one file set; seconds are for the whole set, one item a round."""

    reader: Reader
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    peak: float = 0.0
    quality: Quality = field(default_factory=lambda: Quality(0.0, 0.0, 0, 0))

    @property
    def cpu_ms(self) -> float:
        """The median of the processor's milliseconds."""
        return statistics.median(self.cpu) * 1000

    @property
    def wall_ms(self) -> float:
        """The median of the clock's milliseconds."""
        return statistics.median(self.wall) * 1000

    def is_as_good_as(self, other: Quality) -> bool:
        """Whether its quality is the same, or better."""
        facets = self.quality.facets
        carries = all(facets.get(kind, 0) >= share - LESS_OF_A_FACET for kind, share in other.facets.items())
        return carries and self.finds_as_much_as(other)

    def finds_as_much_as(self, other: Quality) -> bool:
        """Whether it finds as many of the words, with no more failures and little more noise."""
        own = self.quality
        return (
            own.share >= other.share - TOLERANCE
            and own.failed <= other.failed
            and own.noise <= other.noise + MORE_NOISE
        )


@dataclass(frozen=True, slots=True)
class SetResult:
    """The runs over one file set; readers that crashed or hung are named apart."""

    name: str
    files: int
    size: int
    runs: Sequence[Run]
    lost: Sequence[str] = ()

    def run(self, name: str) -> Run | None:
        """Return the run of a reader."""
        return next((run for run in self.runs if run.reader.name == name), None)

    @property
    def fastest(self) -> Run | None:
        """The fastest reader of the same quality as ours, which may be ours."""
        ours = self.run(OURS)
        peers = self.peers
        return min((*([ours] if ours else []), *peers), key=lambda run: run.cpu_ms, default=None)

    @property
    def peers(self) -> list[Run]:
        """The public readers of the same quality as ours, fastest first."""
        return self._public(Run.is_as_good_as)

    @property
    def peers_by_words(self) -> list[Run]:
        """The public readers that find as many words as ours, fastest first."""
        return self._public(Run.finds_as_much_as)

    def _public(self, is_good: Callable[[Run, Quality], bool]) -> list[Run]:
        ours = self.run(OURS)
        good = [run for run in self.runs if not run.reader.is_ours and ours and is_good(run, ours.quality)]
        return sorted(good, key=lambda run: run.cpu_ms)


def details(result: SetResult) -> Iterator[str]:
    """Yield the lines of a file set's table."""
    yield f"\n### {result.name}: {result.files} files, {result.size / 1e6:.2f} MB\n"
    yield "| reader | cpu ms | wall ms | ratio | MB/s | peak MB | words | noise | � | failed |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for run in result.runs:
        yield _detail(result, run)
    yield from _facets(result)
    if result.lost:
        yield f"\nCrashed or hung: {', '.join(result.lost)}."


def _facets(result: SetResult) -> Iterator[str]:
    """Yield the lines of the table of what readers carry beside words."""
    kinds = list(dict.fromkeys(kind for run in result.runs for kind in run.quality.facets))
    if not kinds:
        return
    yield f"\n| reader | words | {' | '.join(kinds)} |"
    yield "|---|---|" + "---|" * len(kinds)
    for run in result.runs:
        shares = " | ".join(f"{run.quality.facets.get(kind, 0):.0%}" for kind in kinds)
        yield f"| {run.reader.name} | {run.quality.share:.1%} | {shares} |"


def _detail(result: SetResult, run: Run) -> str:
    ours, fastest = result.run(OURS), result.fastest
    is_good = run.reader.is_ours or run in result.peers
    name = f"**{run.reader.name}**" if run is fastest else run.reader.name if is_good else f"*{run.reader.name}*"
    ratio = f"{run.cpu_ms / ours.cpu_ms:.2f}" if ours else ""
    speed = result.size / 1000 / run.cpu_ms
    quality = run.quality
    return (
        f"| {name} | {run.cpu_ms:.1f} | {run.wall_ms:.1f} | {ratio} | {speed:.1f} | {run.peak:.0f} "
        f"| {quality.share:.1%} | {quality.noise:.0%} | {quality.broken} | {quality.failed} |"
    )


def summary(results: Sequence[SetResult]) -> Iterator[str]:
    """Yield the lines of the table of all sets; readers of lower quality stand in italics, with what is wrong."""
    yield "\n### All file sets\n"
    names = " | ".join(NAMED)
    yield f"| files | ours, ms | in its sandbox, ms | words | fastest of the same quality | by words alone | {names} |"
    yield "|---|---|---|---|---|---|" + "---|" * len(NAMED)
    for result in results:
        ours = result.run(OURS)
        if ours:
            yield _summary(result, ours)


def _summary(result: SetResult, ours: Run) -> str:
    sandboxed = result.run(OURS_IN_SANDBOX)
    fastest, by_words = (_best(peers, ours) for peers in (result.peers, result.peers_by_words))
    named = " | ".join(_ratio(result, ours, name) for name in NAMED)
    return (
        f"| {result.name} | {ours.cpu_ms:.0f} | {f'{sandboxed.cpu_ms:.0f}' if sandboxed else ''} "
        f"| {ours.quality.share:.1%} | {fastest} | {by_words} | {named} |"
    )


def _best(peers: Sequence[Run], ours: Run) -> str:
    return f"{peers[0].reader.name} {peers[0].cpu_ms / ours.cpu_ms:.2f}" if peers else "none"


def _ratio(result: SetResult, ours: Run, name: str) -> str:
    run = result.run(name)
    if run is None:
        return ""
    ratio = f"{run.cpu_ms / ours.cpu_ms:.2f}"
    if run in result.peers:
        return ratio
    return f"*{ratio}, {_lack(run, ours.quality)}*"


def _lack(run: Run, ours: Quality) -> str:
    """Return in what a reader is worse than ours."""
    own = run.quality
    if own.noise > ours.noise + MORE_NOISE:
        return f"{own.noise:.0%} noise"
    if own.share < ours.share - TOLERANCE:
        return f"{own.share:.0%}"
    less = [kind for kind, share in ours.facets.items() if own.facets.get(kind, 0) < share - LESS_OF_A_FACET]
    return f"no {less[0]}" if less else f"{own.failed} failed"
