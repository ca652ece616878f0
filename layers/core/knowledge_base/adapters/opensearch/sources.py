"""A chunk as a document of OpenSearch, and back."""

from __future__ import annotations

from typing import Any

from knowledge_base.adapters.storable import has_direction
from knowledge_base.domain.chunks import Chunk, IndexedChunk

CHUNK_FIELDS = list(Chunk.__dataclass_fields__)


def to_source(item: IndexedChunk) -> dict[str, Any]:
    """Return the document that is stored; a vector that points nowhere is left out, the engine refuses it."""
    chunk = item.chunk
    source = {
        **{name: getattr(chunk, name) for name in CHUNK_FIELDS},
        "chunk_id": chunk.chunk_id,
        "tenant": item.tenant,
        "kb_id": item.kb_id,
        "from_rev": item.from_rev,
        "to_rev": item.to_rev,
        "readers": sorted(item.readers),
    }
    return {**source, "vector": [float(x) for x in item.vector]} if has_direction(item.vector) else source


def to_chunk(source: dict[str, Any]) -> Chunk:
    """Return the chunk of a stored document."""
    values = {name: source[name] for name in CHUNK_FIELDS}
    return Chunk(**{**values, "headings": tuple(values["headings"])})
