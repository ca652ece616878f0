"""Writing many chunks: in pieces that every cluster accepts, item by item."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.opensearch.client import BUSY, TRIES
from knowledge_base.adapters.opensearch.sources import id_of, to_source
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.errors import IndexUnavailable

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

PIECE_BYTES = 5_000_000
"""Small domains of AWS refuse a request over 10 MB."""

SECONDS = 60


def write_all(client: OpenSearch, index: str, items: Iterable[IndexedChunk]) -> frozenset[str]:
    """Write chunks; return the ids of those that the index refuses for good."""
    lines = ((item.chunk.chunk_id, _lines(item)) for item in items)
    return frozenset(chunk_id for piece in _pieces(lines) for chunk_id in _write_piece(client, index, piece))


def _lines(item: IndexedChunk) -> bytes:
    action = {"index": {"_id": id_of(item.chunk)}}
    return f"{json.dumps(action)}\n{json.dumps(to_source(item))}\n".encode()


def _pieces(lines: Iterable[tuple[str, bytes]]) -> Iterator[dict[str, bytes]]:
    piece: dict[str, bytes] = {}
    size = 0
    for chunk_id, line in lines:
        if piece and size + len(line) > PIECE_BYTES:
            yield piece
            piece, size = {}, 0
        piece[chunk_id] = line
        size += len(line)
    if piece:
        yield piece


def _write_piece(client: OpenSearch, index: str, piece: dict[str, bytes]) -> set[str]:
    """Write a piece; what a busy cluster has put off is written again."""
    refused: set[str] = set()
    for attempt in range(TRIES):
        time.sleep(attempt)
        statuses = _send(client, index, piece)
        refused |= {chunk_id for chunk_id, status in statuses.items() if status >= 400 and status not in BUSY}
        piece = {chunk_id: line for chunk_id, line in piece.items() if statuses[chunk_id] in BUSY}
        if not piece:
            return refused
    raise IndexUnavailable("the vector index is too busy to write")


def _send(client: OpenSearch, index: str, piece: dict[str, bytes]) -> dict[str, int]:
    answer: dict[str, Any] = client.bulk(body=b"".join(piece.values()), index=index, request_timeout=SECONDS)
    results = (entry["index"] for entry in answer["items"])
    return {chunk_id: result["status"] for chunk_id, result in zip(piece, results, strict=True)}
