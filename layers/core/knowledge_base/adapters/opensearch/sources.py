"""A chunk as a document of OpenSearch, and back."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from knowledge_base.adapters.chunk_details import DETAILS, chunk_of, details_of
from knowledge_base.adapters.storable import has_direction
from knowledge_base.domain.chunks import Chunk, ChunkPlace, IndexedChunk

LONGEST_ID = 512
"""In bytes; a longer one would fail a whole bulk request."""


def id_of(chunk: Chunk) -> str:
    """Return the id of the document that holds a chunk."""
    return id_at(chunk.place)


def id_at(place: ChunkPlace) -> str:
    """Return the id of the document that holds the chunk at a place."""
    chunk_id = place.chunk_id
    return chunk_id if len(chunk_id.encode()) <= LONGEST_ID else sha256(chunk_id.encode()).hexdigest()


def to_source(item: IndexedChunk) -> dict[str, Any]:
    """Return the document that is stored; a vector that points nowhere is left out, the engine refuses it."""
    chunk = item.chunk
    source = {
        "chunk_id": chunk.chunk_id,
        "tenant": item.tenant,
        "kb_id": item.kb_id,
        "document_id": chunk.document_id,
        "ordinal": chunk.ordinal,
        "place": chunk.index,
        "from_rev": item.from_rev,
        "to_rev": item.to_rev,
        "readers": sorted(item.readers),
        "text": chunk.text,
        "details": dict(zip(DETAILS, details_of(chunk), strict=True)),
    }
    return {**source, "vector": [float(x) for x in item.vector]} if has_direction(item.vector) else source


def to_chunk(source: dict[str, Any]) -> Chunk:
    """Return the chunk of a stored document."""
    # A detail that was added later, at the end, is not in what was written before.
    details = [source["details"][name] for name in DETAILS if name in source["details"]]
    return chunk_of(source["document_id"], source["ordinal"], source["place"], source["text"], details)
