"""Point from an answer into a document: characters, page, quote."""

from __future__ import annotations

from knowledge_base.domain.answers import Reference
from knowledge_base.domain.retrieval import FoundChunk
from knowledge_base.services.sentences import Sentence


def reference_to(found: FoundChunk, quote: Sentence, *, index: int) -> Reference:
    """Return the reference to a sentence of a found chunk; `index` is the number of its marker."""
    chunk = found.hit.chunk
    start = chunk.start + quote.start
    return Reference(
        index=index,
        document_id=chunk.document_id,
        name=found.document_name,
        url=found.url,
        md5=found.md5,
        page=chunk.page_at(start),
        start=start,
        end=chunk.start + quote.end,
        quote=quote.text,
        score=found.hit.score,
        similarity=found.hit.similarity,
        kb_id=found.hit.kb_id,
        chunk_id=chunk.chunk_id,
        ordinal=chunk.ordinal,
        title=found.metadata.title or found.document_name,
    )
