"""Batches of chunks on their way through the object store, in a versioned JSON form."""

from __future__ import annotations

import base64
import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from knowledge_base.domain.chunks import Chunk, Vector

BATCH_SIZE = 32
"""The largest number of chunks in one object, and so in one request to the embedder."""

_FORM = 1


def batches_of(chunks: Sequence[Chunk]) -> Iterator[tuple[int, Sequence[Chunk]]]:
    """Yield the batches that chunks travel in, each with its number from 0."""
    for number, start in enumerate(range(0, len(chunks), BATCH_SIZE)):
        yield number, chunks[start : start + BATCH_SIZE]


def encode_chunks(chunks: Sequence[Chunk]) -> bytes:
    """Return chunks as bytes for the store."""
    return _encode([asdict(chunk) for chunk in chunks])


def decode_chunks(data: bytes) -> list[Chunk]:
    """Return the chunks that `encode_chunks` wrote."""
    return [_chunk(item) for item in _decode(data)]


def encode_vectors(chunks: Sequence[Chunk], vectors: Sequence[Vector]) -> bytes:
    """Return chunks with their vectors, as little-endian float32, as bytes for the store."""
    pairs = zip(chunks, vectors, strict=True)
    return _encode([{**asdict(chunk), "vector": _pack(vector)} for chunk, vector in pairs])


def decode_vectors(data: bytes) -> list[tuple[Chunk, Vector]]:
    """Return the pairs that `encode_vectors` wrote."""
    return [(_chunk(item), _unpack(item["vector"])) for item in _decode(data)]


def _encode(items: list[dict[str, Any]]) -> bytes:
    return json.dumps({"form": _FORM, "chunks": items}, ensure_ascii=False, separators=(",", ":")).encode()


def _decode(data: bytes) -> list[dict[str, Any]]:
    document = json.loads(data)
    if document.get("form") != _FORM:
        raise ValueError("unknown form of a chunk batch")
    items: list[dict[str, Any]] = document["chunks"]
    return items


def _chunk(item: dict[str, Any]) -> Chunk:
    fields = {name: value for name, value in item.items() if name != "vector"}
    breaks = tuple((start, page) for start, page in fields.pop("page_breaks"))
    return Chunk(**{**fields, "headings": tuple(fields["headings"])}, page_breaks=breaks)


def _pack(vector: Vector) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()


def _unpack(packed: str) -> Vector:
    return array("f", base64.b64decode(packed))
