"""The chunker, with a strategy for each way of cutting."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from knowledge_base.adapters.chunking.code.outline import Outline
from knowledge_base.adapters.chunking.packing import LONGEST_TOKEN, Piece, pack, trim
from knowledge_base.adapters.chunking.places import Places
from knowledge_base.adapters.chunking.prose import document_parts
from knowledge_base.adapters.chunking.tokens import count
from knowledge_base.adapters.chunking.windows import overlapping_windows, token_windows
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

_CODE_TYPE = "text/x-"


class TextChunker:
    """Cuts parsed text by the five strategies; sizes are tokens of `cl100k_base`, of `overlapping` characters.

    Only `overlapping` and `fixed` take an overlap, of at most seven eighths of the size. Source code is
    cut by syntax under `semantic` and `markdown` too; a document that is none is cut by sentences under
    `code`.
    """

    def split(
        self, parsed: ParsedDocument, config: ChunkingConfig, *, document_id: str, ordinal: int
    ) -> Iterator[Chunk]:
        """Yield chunks in order: each with exact offsets, within the size, none inside another.

        Every character that is not white space is in at least one chunk; no chunk is white space only.
        """
        outline = _outline(parsed, config.strategy)
        places = Places(parsed, outline.definitions() if outline else ())
        index = 0
        for start, end, tokens in _STRATEGIES[config.strategy](parsed, config, outline):
            text = parsed.text[start:end]
            if text and not text.isspace():
                yield Chunk(document_id, ordinal, index, text, start, end, token_count=tokens, **places.of(start, end))
                index += 1

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of the encoding `cl100k_base`."""
        return count(text)


def _outline(parsed: ParsedDocument, strategy: ChunkingStrategy) -> Outline | None:
    """Return the outline of a document that is source code, or is to be taken for it."""
    text = parsed.text
    is_marked = any(span.start <= 0 and span.end >= len(text.rstrip()) for span in parsed.spans_of(SpanKind.CODE))
    if not is_marked and (parsed.spans or strategy is not ChunkingStrategy.CODE):
        return None
    language = parsed.media_type.removeprefix(_CODE_TYPE) if parsed.media_type.startswith(_CODE_TYPE) else ""
    return Outline(text, language, 0, len(text))


def _overlapping(parsed: ParsedDocument, config: ChunkingConfig, _outline: Outline | None) -> Iterator[Piece]:
    return overlapping_windows(parsed.text, config.size, config.overlap)


def _fixed(parsed: ParsedDocument, config: ChunkingConfig, _outline: Outline | None) -> Iterator[Piece]:
    return token_windows(parsed.text, config.size, config.overlap)


def _by_meaning(parsed: ParsedDocument, config: ChunkingConfig, outline: Outline | None) -> Iterator[Piece]:
    parts = outline.parts() if outline else document_parts(parsed.text, parsed.spans, 0, len(parsed.text))
    return pack(parsed.text, parts, config.size)


def _markdown(parsed: ParsedDocument, config: ChunkingConfig, outline: Outline | None) -> Iterator[Piece]:
    """Cut at the headings of the highest level there is; a section over the size is cut further."""
    if outline:
        yield from _by_meaning(parsed, config, outline)
        return
    spans = parsed.spans if any(parsed.spans_of(SpanKind.HEADING)) else find_spans(parsed.text)
    span_starts = [span.start for span in spans]
    starts = _section_starts(parsed.text, spans)
    for start, end in zip(starts, (*starts[1:], len(parsed.text)), strict=True):
        inside = spans[bisect_left(span_starts, start) : bisect_left(span_starts, end)]
        yield from _whole(parsed.text, start, end, config.size) or pack(
            parsed.text, document_parts(parsed.text, inside, start, end), config.size
        )


def _whole(text: str, start: int, end: int, size: int) -> tuple[Piece, ...]:
    """Return a section as one piece, nothing if it is too large."""
    begin, stop = trim(text, start, end)
    if stop - begin > size * LONGEST_TOKEN:
        return ()
    piece = Piece(begin, stop, count(text[begin:stop]))
    return (piece,) if piece.tokens <= size else ()


def _section_starts(text: str, spans: tuple[Span, ...]) -> list[int]:
    headings = [span for span in spans if span.kind is SpanKind.HEADING]
    highest = min((span.number for span in headings), default=0)
    found = {text.rfind("\n", 0, span.start) + 1 for span in headings if span.number == highest}
    return sorted({0} | found)


_STRATEGIES: dict[ChunkingStrategy, Callable[[ParsedDocument, ChunkingConfig, Outline | None], Iterator[Piece]]] = {
    ChunkingStrategy.OVERLAPPING: _overlapping,
    ChunkingStrategy.FIXED: _fixed,
    ChunkingStrategy.SEMANTIC: _by_meaning,
    ChunkingStrategy.MARKDOWN: _markdown,
    ChunkingStrategy.CODE: _by_meaning,
}
"""`code` and `semantic` differ in what they take for source code."""
