"""What was measured of the readers, as Markdown tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.bench.public_readers.reader import OURS, OURS_IN_SANDBOX, Reader
from tests.bench.reader_quality import Quality

TOLERANCE = 0.01
"""How much less of the words a reader may find, and be called of the same quality."""
MORE_NOISE = 0.1
NAMED = ("pypdf", "kreuzberg", "markitdown")
NOTE = f"""\
Each reader runs in a process of its own, warmed, in turn with the others, forwards and backwards, several rounds.
`cpu` is the processor's time for the whole set, of all threads and children: it holds on a machine that does other
work; `wall` is the clock's; both are medians. A ratio is a reader's `cpu` to ours, so above 1 it is slower than ours.
`words` is how much of the words it finds: of made files, those that they are known to say, in their order; of foreign
files, those that any two readers agree upon. `noise` is how much of what only decorates the pages (navigation, running
heads) it brings along, `�` counts replacement characters, `failed` the files of which it gives no text.

A reader is of the *same quality* as ours if it finds at least our share of the words less {TOLERANCE:.0%}, fails on
no more files, and brings along at most {MORE_NOISE:.0%} more noise. The fastest of the same quality stands in bold,
those of lower quality in italics.
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
        ours = self.run(OURS)
        good = [run for run in self.runs if not run.reader.is_ours and ours and run.is_as_good_as(ours.quality)]
        return sorted(good, key=lambda run: run.cpu_ms)


def details(result: SetResult) -> Iterator[str]:
    """Yield the lines of a file set's table."""
    yield f"\n### {result.name}: {result.files} files, {result.size / 1e6:.2f} MB\n"
    yield "| reader | cpu ms | wall ms | ratio | MB/s | peak MB | words | noise | � | failed |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for run in result.runs:
        yield _detail(result, run)
    if result.lost:
        yield f"\nCrashed or hung: {', '.join(result.lost)}."


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
    yield f"| files | ours, ms | in its sandbox, ms | words | fastest public reader of the same quality | {names} |"
    yield "|---|---|---|---|---|" + "---|" * len(NAMED)
    for result in results:
        ours = result.run(OURS)
        if ours:
            yield _summary(result, ours)


def _summary(result: SetResult, ours: Run) -> str:
    sandboxed = result.run(OURS_IN_SANDBOX)
    best = result.peers[0] if result.peers else None
    fastest = f"{best.reader.name} {best.cpu_ms / ours.cpu_ms:.2f}" if best else "none"
    named = " | ".join(_ratio(result, ours, name) for name in NAMED)
    return (
        f"| {result.name} | {ours.cpu_ms:.0f} | {f'{sandboxed.cpu_ms:.0f}' if sandboxed else ''} "
        f"| {ours.quality.share:.1%} | {fastest} | {named} |"
    )


def _ratio(result: SetResult, ours: Run, name: str) -> str:
    run = result.run(name)
    if run is None:
        return ""
    ratio = f"{run.cpu_ms / ours.cpu_ms:.2f}"
    if run in result.peers:
        return ratio
    is_noisy = run.quality.noise > ours.quality.noise + MORE_NOISE
    return f"*{ratio}, {f'{run.quality.noise:.0%} noise' if is_noisy else f'{run.quality.share:.0%}'}*"
