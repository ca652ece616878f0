"""Changing and deleting whatever a query matches, until nothing is left that does."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.opensearch.queries import Query
from knowledge_base.domain.errors import IndexUnavailable

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

TURN = 2000
"""How many chunks one request changes: some 5 seconds."""

MOST_TURNS = 1000
SECONDS = 30
_END_AT = "ctx._source.to_rev = params.revision"
_RELABEL = "ctx._source.readers = params.readers"


def end_at(client: OpenSearch, index: str, query: Query, revision: int) -> None:
    """Let the chunks that match end at a revision; the query must not match them afterwards."""
    _update(client, index, query, _END_AT, {"revision": revision})


def relabel(client: OpenSearch, index: str, query: Query, readers: Collection[str]) -> None:
    """Give the chunks that match these readers; the query must not match them afterwards."""
    _update(client, index, query, _RELABEL, {"readers": sorted(readers)})


def delete(client: OpenSearch, index: str, query: Query) -> int:
    """Delete the chunks that match; return how many."""
    return _repeat(client, "delete_by_query", index, {"query": query})


def _update(client: OpenSearch, index: str, query: Query, source: str, params: dict[str, Any]) -> None:
    script = {"lang": "painless", "source": source, "params": params}
    _repeat(client, "update_by_query", index, {"query": query, "script": script})


def _repeat(client: OpenSearch, action: str, index: str, body: dict[str, Any]) -> int:
    """Act until all is done: a turn changes so many at most, and passes over what somebody else changes just now."""
    changed: int = 0
    client.indices.refresh(index=index, ignore_unavailable=True)  # else it would not see what was just written
    for _ in range(MOST_TURNS):
        answer = _act(client, action, index, body)
        changed += answer.get("updated", 0) + answer.get("deleted", 0)
        if answer["total"] < TURN and not answer["version_conflicts"]:
            return changed
    raise IndexUnavailable("the vector index does not come to an end")


def _act(client: OpenSearch, action: str, index: str, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = getattr(client, action)(
        index=index,
        body=body,
        conflicts="proceed",
        max_docs=TURN,
        refresh=True,
        ignore_unavailable=True,
        request_timeout=SECONDS,
    )
    if answer["failures"]:
        raise IndexUnavailable("the vector index could not change a part of its chunks")
    return answer
