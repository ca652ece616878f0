"""Take in what people say of what a search found, and let it move the next search that asks the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowledge_base.domain.access import Principal
from knowledge_base.domain.batches import fingerprint
from knowledge_base.domain.chunks import Chunk, ChunkPlace
from knowledge_base.domain.errors import ChunkNotFound
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.relevance import Rating, VotePlace, Votes
from knowledge_base.domain.retrieval import ChunkFilter, Hit
from knowledge_base.ports.relevance import RelevanceVotes
from knowledge_base.ports.vector_index import VectorIndexes
from knowledge_base.services.ingestions import Ingestions
from knowledge_base.services.vocabulary import question_words


class VotePriors:
    """Moves hits by the votes on them.

    A vote is on the text of a chunk, so it outlives a new version that leaves the text as it was, and ends with
    the text. It counts for every query that asks about the same words, whatever their order and endings.
    """

    def __init__(self, votes: RelevanceVotes) -> None:
        self._votes = votes

    def applied(self, query: str, knowledge_bases: Iterable[KnowledgeBase], hits: Sequence[Hit]) -> Sequence[Hit]:
        """Return the hits with their scores as the votes of their knowledge bases have them, best first.

        They are put in order before scores over 1 are cut to it: the best of all has 1 without any vote.
        """
        asked = query_key(query)
        votes = {kb.kb_id: self._votes.of(kb.kb_id, asked) for kb in knowledge_bases if kb.config.learns and kb.votes}
        moved = hits
        if any(votes.values()):
            moved = [_moved(hit, votes.get(hit.kb_id, {}).get(text_key(hit.chunk))) for hit in hits]
        ranked = sorted(moved, key=lambda hit: (-hit.score, hit.chunk.chunk_id))
        return [replace(hit, score=min(1.0, max(0.0, hit.score))) if hit.prior else hit for hit in ranked]


class RelevanceDesk:
    """Takes in votes."""

    def __init__(self, *, votes: RelevanceVotes, ingestions: Ingestions, indexes: VectorIndexes) -> None:
        self._votes = votes
        self._ingestions = ingestions
        self._indexes = indexes

    def vote(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        query: str,
        *,
        document_id: str,
        index: int,
        rating: Rating,
    ) -> None:
        """Store what the caller thinks of a chunk as an answer to a query, in place of what it thought before.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            ChunkNotFound: what searches find of the document has no such chunk.
        """
        document, _version = self._ingestions.status(caller, document_id)
        place = ChunkPlace(document_id, document.live_ordinal, index)
        where = ChunkFilter(caller.tenant, {knowledge_base.kb_id: knowledge_base.revision}, caller.reads_as)
        found = self._indexes.of(knowledge_base.config.embedding).get([place], where)
        if not found:
            raise ChunkNotFound(f"{document_id} has no chunk {index}")
        voted = VotePlace(knowledge_base.kb_id, query_key(query), text_key(found[0]))
        self._votes.cast(voted, caller.user_id, rating)


def query_key(query: str) -> str:
    """Return the same for queries that ask about the same words."""
    words = sorted(question_words(query)) or [query.strip().casefold()]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:32]


def text_key(chunk: Chunk) -> str:
    """Return the same for chunks of the same text."""
    return fingerprint(chunk.text).hex()


def _moved(hit: Hit, votes: Votes | None) -> Hit:
    if votes is None:
        return hit
    return replace(hit, score=hit.score + votes.prior, prior=votes.prior)
