"""Batches of chunks on their way through the object store, in a versioned JSON form."""

from __future__ import annotations

import base64
import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from knowledge_base.domain.chunks import Chunk, Vector

BATCH_SIZE = 32
"""The largest number of chunks in one object, and so in one request to the embedder."""

FINGERPRINT_BYTES = 16

_FORM = 2


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """Where the vector of a text is stored already: a version of the same document, a batch, a place in it."""

    ordinal: int
    batch: int
    position: int


@dataclass(frozen=True, slots=True)
class ChunkBatch:
    """Chunks to embed; `known` has the place of the vector for those, by position, that were embedded before."""

    chunks: tuple[Chunk, ...]
    known: Mapping[int, VectorPlace] = field(default_factory=dict)


def batches_of(chunks: Sequence[Chunk], known: Mapping[int, VectorPlace]) -> Iterator[tuple[int, ChunkBatch]]:
    """Yield the batches that chunks travel in, each with its number from 0; `known` is by place among all chunks."""
    for number, start in enumerate(range(0, len(chunks), BATCH_SIZE)):
        part = tuple(chunks[start : start + BATCH_SIZE])
        yield number, ChunkBatch(part, {at: known[start + at] for at in range(len(part)) if start + at in known})


def encode_chunks(batch: ChunkBatch) -> bytes:
    """Return a batch as bytes for the store."""
    known = [[at, place.ordinal, place.batch, place.position] for at, place in batch.known.items()]
    return _encode([asdict(chunk) for chunk in batch.chunks], known=known)


def decode_chunks(data: bytes) -> ChunkBatch:
    """Return the batch that `encode_chunks` wrote."""
    form = _decode(data)
    known = {at: VectorPlace(*place) for at, *place in form["known"]}
    return ChunkBatch(tuple(map(_chunk, form["chunks"])), known)


def encode_vectors(chunks: Sequence[Chunk], vectors: Sequence[Vector]) -> bytes:
    """Return chunks with their vectors, as little-endian float32, as bytes for the store."""
    pairs = zip(chunks, vectors, strict=True)
    return _encode([{**asdict(chunk), "vector": _pack(vector)} for chunk, vector in pairs])


def decode_vectors(data: bytes) -> list[tuple[Chunk, Vector]]:
    """Return the pairs that `encode_vectors` wrote."""
    return [(_chunk(item), _unpack(item["vector"])) for item in _decode(data)["chunks"]]


def fingerprint(text: str) -> bytes:
    """Return what tells a chunk's text from every other."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=FINGERPRINT_BYTES).digest()


def encode_fingerprints(chunks: Sequence[Chunk]) -> bytes:
    """Return the fingerprints of all chunks of a version, in order, as bytes for the store."""
    return b"".join(fingerprint(chunk.text) for chunk in chunks)


def decode_fingerprints(data: bytes, ordinal: int) -> dict[bytes, VectorPlace]:
    """Return where a version holds the vector of each text, by its fingerprint."""
    places = {}
    for index, start in enumerate(range(0, len(data), FINGERPRINT_BYTES)):
        place = VectorPlace(ordinal, *divmod(index, BATCH_SIZE))
        places[data[start : start + FINGERPRINT_BYTES]] = place
    return places


def _encode(items: list[dict[str, Any]], **more: Any) -> bytes:
    return json.dumps({"form": _FORM, "chunks": items, **more}, ensure_ascii=False, separators=(",", ":")).encode()


def _decode(data: bytes) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(data)
    if form.get("form") != _FORM:
        raise ValueError("unknown form of a chunk batch")
    return form


def _chunk(item: dict[str, Any]) -> Chunk:
    fields = {name: value for name, value in item.items() if name != "vector"}
    breaks = tuple((start, page) for start, page in fields.pop("page_breaks"))
    return Chunk(**{**fields, "headings": tuple(fields["headings"])}, page_breaks=breaks)


def _pack(vector: Vector) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()


def _unpack(packed: str) -> Vector:
    return array("f", base64.b64decode(packed))
