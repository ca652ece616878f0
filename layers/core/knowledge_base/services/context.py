"""What a model is shown to answer from: the found passages, and around them what there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from knowledge_base.domain.chunks import Chunk, ChunkPlace
from knowledge_base.domain.retrieval import FoundChunk

MOST_TOKENS = 6_000
"""Of all passages together; models with 8,192 tokens of context then have room for the conversation and the answer."""


def beside(chunk: Chunk) -> tuple[ChunkPlace, ChunkPlace]:
    """Return the places before and behind a chunk."""
    place = chunk.place
    return replace(place, index=place.index - 1), replace(place, index=place.index + 1)


def in_context(
    found: Sequence[FoundChunk], count_tokens: Callable[[str], int], *, budget: int = MOST_TOKENS
) -> list[FoundChunk]:
    """Return the passages that fit, best first, the first of them widened by the chunks beside them.

    First every passage gets its place, then, best first, what stands before and behind it, as long as there is
    room. What is a passage itself is not shown twice. The best passage is shown whatever its length.
    """
    shown, room = _fitting(found, count_tokens, budget)
    taken = {item.hit.chunk.place for item in shown}
    widened = []
    for item in shown:
        around = [chunk for chunk in (item.before, item.after) if chunk and chunk.place not in taken]
        cost = sum(count_tokens(chunk.text) for chunk in around)
        if around and cost <= room:
            room -= cost
            taken.update(chunk.place for chunk in around)
            widened.append(replace(item, hit=replace(item.hit, chunk=_joined(item.hit.chunk, around))))
        else:
            widened.append(item)
    return widened


def _fitting(
    found: Sequence[FoundChunk], count_tokens: Callable[[str], int], room: int
) -> tuple[list[FoundChunk], int]:
    shown: list[FoundChunk] = []
    for item in found:
        cost = count_tokens(item.hit.chunk.text)
        if cost > room and shown:
            break
        shown.append(item)
        room -= cost
    return shown, room


def _joined(chunk: Chunk, around: Sequence[Chunk]) -> Chunk:
    """Return a chunk with those beside it as one; characters keep their places in the document.

    Between two chunks there is nothing but white space, which no chunk holds: line ends take its place, so that
    no sentence reaches across.
    """
    parts = sorted([chunk, *around], key=lambda part: part.start)
    text, end = "", parts[0].start
    for part in parts:
        text += "\n" * max(0, part.start - end) + part.text[max(0, end - part.start) :]
        end = max(end, part.end)
    return replace(
        chunk,
        text=text,
        start=parts[0].start,
        end=end,
        page=parts[0].page,
        last_page=parts[-1].last_page,
        page_breaks=tuple(sorted({mark for part in parts for mark in part.page_breaks})),
    )
