"""The queries, as OpenSearch takes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from knowledge_base.domain.chunks import OPEN, Vector
from knowledge_base.domain.retrieval import ChunkFilter

Query: TypeAlias = dict[str, Any]

NEAR_ENOUGH = 1024
"""So many neighbours are looked for, whatever is wanted; a filter that leaves fewer is searched exactly."""

MOST = 10_000
"""What OpenSearch returns at most."""

COSINE = "cosine"
_COSINE = "doc['vector'].size() == 0 ? 0 : cosineSimilarity(params.vector, doc['vector'])"

_BEST_FIRST = [{"_score": "desc"}, {"chunk_id": "asc"}]
_PINNED_BY_NONE = """
for (def revision : params.keep) {
  if (doc['from_rev'].value <= revision && revision < doc['to_rev'].value) { return false; }
}
return true;
"""
# Values of a keyword field come sorted.
_OTHER_READERS = """
def readers = doc['readers'];
if (readers.size() != params.readers.size()) { return true; }
for (int i = 0; i < readers.size(); i++) { if (readers.get(i) != params.readers.get(i)) { return true; } }
return false;
"""


def all_of(*clauses: Query) -> Query:
    """Match what matches every clause."""
    return {"bool": {"filter": list(clauses)}}


def term(field: str, value: str | int) -> Query:
    """Match one value of a field."""
    return {"term": {field: value}}


def matches(where: ChunkFilter) -> Query:
    """Match a filter; an empty set in it matches nothing."""
    clauses = [term("tenant", where.tenant), _live(where.revisions)]
    if where.readers is not None:
        clauses.append(_one_of("readers", where.readers))
    if where.document_ids is not None:
        clauses.append(_one_of("document_id", where.document_ids))
    return all_of(*clauses)


def nearest(vector: Vector, limit: int, where: ChunkFilter) -> Query:
    """Search by nearness; the filter holds while the neighbours are collected."""
    wanted = min(MOST, max(NEAR_ENOUGH, 2 * limit))
    knn = {"vector": [float(x) for x in vector], "k": wanted, "filter": matches(where)}
    return _search({"knn": {"vector": knn}}, limit)


def matching(words: Collection[str], limit: int, where: ChunkFilter, *, near: Vector | None) -> Query:
    """Search by words, any of which may match; hits tell their cosine to a vector, if one is given."""
    query = {"bool": {"must": {"match": {"text": " ".join(words)}}, "filter": matches(where)}}
    search = _search(query, limit)
    if near is not None:
        script = {"lang": "painless", "source": _COSINE, "params": {"vector": [float(x) for x in near]}}
        search["script_fields"] = {COSINE: {"script": script}}
    return search


def at(ids: Collection[str], where: ChunkFilter) -> Query:
    """Search for documents by their ids."""
    return _search(all_of(matches(where), {"ids": {"values": sorted(ids)}}), len(ids))


def open_versions_below(kb_id: str, document_id: str, below: int) -> Query:
    """Match the open chunks of a document's versions below an ordinal."""
    return all_of(
        term("kb_id", kb_id),
        term("document_id", document_id),
        term("to_rev", OPEN),
        {"range": {"ordinal": {"lt": below}}},
    )


def read_by_others(kb_id: str, document_id: str, readers: Collection[str]) -> Query:
    """Match the chunks of a document whose readers are not exactly these."""
    script = {"lang": "painless", "source": _OTHER_READERS, "params": {"readers": sorted(readers)}}
    return all_of(term("kb_id", kb_id), term("document_id", document_id), {"script": {"script": script}})


def closed(kb_id: str, through: int, keep: Iterable[int]) -> Query:
    """Match chunks that ended at or before a revision and are live at none of those to keep."""
    pinned = {"lang": "painless", "source": _PINNED_BY_NONE, "params": {"keep": list(keep)}}
    return all_of(term("kb_id", kb_id), {"range": {"to_rev": {"lte": through}}}, {"script": {"script": pinned}})


def _live(revisions: dict[str, int]) -> Query:
    kb_ids: dict[int, list[str]] = defaultdict(list)
    for kb_id, revision in revisions.items():
        kb_ids[revision].append(kb_id)
    live = [all_of(_one_of("kb_id", names), *_live_at(revision)) for revision, names in kb_ids.items()]
    return {"bool": {"should": live, "minimum_should_match": 1}} if live else {"match_none": {}}


def _live_at(revision: int) -> list[Query]:
    return [{"range": {"from_rev": {"lte": revision}}}, {"range": {"to_rev": {"gt": revision}}}]


def _one_of(field: str, values: Iterable[str]) -> Query:
    return {"terms": {field: sorted(values)}}


def _search(query: Query, limit: int) -> Query:
    return {
        "query": query,
        "size": min(MOST, limit),
        "sort": _BEST_FIRST,
        "track_total_hits": False,
        "_source": {"excludes": ["vector"]},
    }
