"""Find the vectors of texts that the live version of a document holds already, so that none is embedded twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knowledge_base.domain.batches import (
    ChunkBatch,
    VectorPlace,
    decode_fingerprints,
    decode_vectors,
    encode_vectors,
    fingerprint,
)
from knowledge_base.domain.chunks import Chunk, Vector
from knowledge_base.domain.errors import ObjectNotFound
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.ports.object_store import ObjectStore


class KnownVectors:
    """Looks through what an earlier version of a document left in the object store.

    A knowledge base has one embedding model for its life, so an equal text has an equal vector.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def locate(self, live: VersionKey, chunks: Sequence[Chunk]) -> dict[int, VectorPlace]:
        """Return where the live version holds the vector of a chunk's text, by the chunk's place in the sequence."""
        try:
            stored = self._objects.get(live.fingerprints())
        except ObjectNotFound:
            return {}
        places = decode_fingerprints(stored, live.ordinal)
        found = ((at, places.get(fingerprint(chunk.text))) for at, chunk in enumerate(chunks))
        return {at: place for at, place in found if place is not None}

    def read(self, key: VersionKey, batch: ChunkBatch) -> dict[int, Vector]:
        """Return the vectors that are stored where the batch says, by position; what is gone is left out."""
        vectors = {}
        for ordinal, number in {(place.ordinal, place.batch) for place in batch.known.values()}:
            stored = self._stored(key.at(ordinal), number)
            for at, place in batch.known.items():
                if (place.ordinal, place.batch) == (ordinal, number) and place.position < len(stored):
                    chunk, vector = stored[place.position]
                    if chunk.text == batch.chunks[at].text:
                        vectors[at] = vector
        return vectors

    def keep(self, key: VersionKey, number: int, batch: ChunkBatch, vectors: Mapping[int, Vector]) -> None:
        """Store what is embedded of a batch so far, so that the next try goes on from there."""
        if vectors:
            places = sorted(vectors)
            data = encode_vectors([batch.chunks[at] for at in places], [vectors[at] for at in places])
            self._objects.put(key.partial_vectors(number), data)

    def kept(self, key: VersionKey, number: int, batch: ChunkBatch) -> dict[int, Vector]:
        """Return what an earlier try has embedded of a batch, by position."""
        by_index = {chunk.index: (chunk.text, vector) for chunk, vector in self._read(key.partial_vectors(number))}
        found = ((at, by_index.get(chunk.index)) for at, chunk in enumerate(batch.chunks))
        return {at: kept[1] for at, kept in found if kept and kept[0] == batch.chunks[at].text}

    def _stored(self, key: VersionKey, batch: int) -> list[tuple[Chunk, Vector]]:
        return self._read(key.vectors(batch))

    def _read(self, key: str) -> list[tuple[Chunk, Vector]]:
        try:
            return decode_vectors(self._objects.get(key))
        except ObjectNotFound:
            return []
