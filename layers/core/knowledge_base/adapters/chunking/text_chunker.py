"""The chunker, with a strategy for each way of cutting."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from knowledge_base.adapters.chunking.boundaries import find_segments
from knowledge_base.adapters.chunking.packing import pack, trim
from knowledge_base.adapters.chunking.places import Places
from knowledge_base.adapters.chunking.tokens import count
from knowledge_base.adapters.chunking.windows import overlapping_windows, token_windows
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

Ranges = Iterator[tuple[int, int]]


class TextChunker:
    """Cuts parsed text by the five strategies; sizes are tokens of `cl100k_base`, of `overlapping` characters."""

    def split(
        self, parsed: ParsedDocument, config: ChunkingConfig, *, document_id: str, ordinal: int
    ) -> Iterator[Chunk]:
        """Yield chunks in order: each with exact offsets, within the size, none inside another.

        Every character that is not white space is in at least one chunk; no chunk is white space only.
        """
        places = Places(parsed)
        ranges = _STRATEGIES[config.strategy](parsed, config)
        for index, (start, end) in enumerate(_without_blanks(parsed.text, ranges)):
            text = parsed.text[start:end]
            yield Chunk(
                document_id=document_id,
                ordinal=ordinal,
                index=index,
                text=text,
                start=start,
                end=end,
                page=places.page_at(start),
                last_page=places.page_at(end - 1),
                headings=places.headings_at(start),
                token_count=count(text),
                page_breaks=places.page_breaks(start, end),
            )

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of the encoding `cl100k_base`."""
        return count(text)


def _without_blanks(text: str, ranges: Ranges) -> Ranges:
    return ((start, end) for start, end in ranges if not text[start:end].isspace() and start < end)


def _overlapping(parsed: ParsedDocument, config: ChunkingConfig) -> Ranges:
    return overlapping_windows(parsed.text, config.size, config.overlap)


def _fixed(parsed: ParsedDocument, config: ChunkingConfig) -> Ranges:
    return token_windows(parsed.text, config.size, config.overlap)


def _semantic(parsed: ParsedDocument, config: ChunkingConfig) -> Ranges:
    return _packed(parsed.text, parsed.spans, config.size, 0, len(parsed.text))


def _code(parsed: ParsedDocument, config: ChunkingConfig) -> Ranges:
    whole = Span(SpanKind.CODE, 0, len(parsed.text))
    return _packed(parsed.text, (whole,), config.size, 0, len(parsed.text))


def _markdown(parsed: ParsedDocument, config: ChunkingConfig) -> Ranges:
    """Cut at the headings of the highest level there is; a section over the size is cut further."""
    spans = parsed.spans if any(parsed.spans_of(SpanKind.HEADING)) else find_spans(parsed.text)
    starts = _section_starts(parsed.text, spans)
    for start, end in zip(starts, (*starts[1:], len(parsed.text)), strict=True):
        begin, stop = trim(parsed.text, start, end)
        if count(parsed.text[begin:stop]) <= config.size:
            yield begin, stop
        else:
            yield from _packed(parsed.text, spans, config.size, start, end)


def _section_starts(text: str, spans: tuple[Span, ...]) -> list[int]:
    headings = [span for span in spans if span.kind is SpanKind.HEADING]
    highest = min((span.number for span in headings), default=0)
    found = {text.rfind("\n", 0, span.start) + 1 for span in headings if span.number == highest}
    return sorted({0} | found)


def _packed(text: str, spans: tuple[Span, ...], size: int, start: int, end: int) -> Ranges:
    return pack(text, find_segments(text, spans, start, end), size)


_STRATEGIES: dict[ChunkingStrategy, Callable[[ParsedDocument, ChunkingConfig], Ranges]] = {
    ChunkingStrategy.OVERLAPPING: _overlapping,
    ChunkingStrategy.FIXED: _fixed,
    ChunkingStrategy.SEMANTIC: _semantic,
    ChunkingStrategy.MARKDOWN: _markdown,
    ChunkingStrategy.CODE: _code,
}
