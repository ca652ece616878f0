"""Between the engineering contract's messages and the domain."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from knowledge_base.dialects.engineering.schemas import (
    AnswerView,
    AskQuestion,
    DocumentView,
    Explanation,
    Fault,
    Filters,
    FoundMetadata,
    KeywordLeg,
    Metadata,
    RelatedDocument,
    Result,
    SearchView,
    Source,
    VectorLeg,
    VersionView,
)
from knowledge_base.domain.answers import Answer, Message, Question, Reference
from knowledge_base.domain.document_filters import DocumentFilter
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import Permissions
from knowledge_base.domain.retrieval import FoundChunk, Hit, SearchResult
from knowledge_base.services.related import Related


def document(found: Document, version: Version) -> DocumentView:
    """Return a document with its newest version."""
    return DocumentView(
        document_id=found.document_id,
        status=version.state.value,
        error=_fault(version),
        progress=version.progress,
        metadata=metadata(found, version),
    )


def version(found: Document, each: Version) -> VersionView:
    """Return one of a document's versions."""
    return VersionView(
        version=each.ordinal,
        name=each.source.name,
        status=each.state.value,
        error=_fault(each),
        size=each.size,
        created_at=each.accepted_at,
        live=each.ordinal == found.live_ordinal,
    )


def _fault(version: Version) -> Fault | None:
    failure = version.failure
    return Fault(code=failure.code, message=failure.message) if failure else None


def metadata(found: Document, version: Version) -> Metadata:
    """Return what is known of a document; a free field never hides one of the contract's own."""
    said = found.metadata
    own = {
        "title": said.title or found.name,
        "format": said.format or version.media_type,
        "tags": list(said.tags),
        "source": said.source or version.source.url,
        "created_at": found.created_at,
        "updated_at": found.updated_at,
        "size": version.size,
        "owner": found.owner,
        "acl": acl(found.permissions),
        "public": found.permissions.public,
        "version": version.ordinal,
    }
    return Metadata.model_validate({**said.attributes, **own})


def acl(permissions: Permissions) -> dict[str, list[str]]:
    """Return who may do what: by a plain name where it is said of users and roles alike, else by its mark."""
    allowed = {grant.mark: sorted(action.value for action in grant.actions) for grant in permissions.grants}
    names = {mark.partition(":")[2] for mark in allowed}
    plain = (name for name in names if not name.startswith(("user:", "role:")))
    both = {name for name in plain if allowed.get(f"user:{name}", 0) == allowed.get(f"role:{name}", 1)}
    told = (
        (mark.partition(":")[2] if mark.partition(":")[2] in both else mark, what) for mark, what in allowed.items()
    )
    return dict(told)


def document_filter(given: Filters) -> DocumentFilter:
    """Return what must hold of documents."""
    return DocumentFilter(
        tags=frozenset(given.tags),
        any_tags=frozenset(given.any_tags),
        format=(given.format or "").lower(),
        title=given.title or "",
        source=given.source or "",
        created_from=given.created_from,
        created_to=given.created_to,
        attributes={name: _as_text(value) for name, value in given.metadata.items()},
    )


def found(result: SearchResult, *, took: float, explain: bool) -> SearchView:
    """Return what a search found; `took` is in seconds."""
    return SearchView(
        results=[_result(item, explain=explain) for item in result.found],
        total_results=result.total or 0,
        query_time_ms=round(1000 * took),
        degraded=list(result.degraded),
    )


def _result(item: FoundChunk, *, explain: bool) -> Result:
    hit, chunk = item.hit, item.hit.chunk
    return Result(
        document_id=chunk.document_id,
        chunk_index=chunk.index,
        chunk_content=chunk.text,
        start=chunk.start,
        end=chunk.end,
        page=chunk.page_at(chunk.start),
        relevance_score=hit.score,
        similarity=hit.similarity,
        metadata=_found_metadata(item),
        explain=_explanation(hit) if explain else None,
    )


def _found_metadata(item: FoundChunk) -> FoundMetadata:
    said = replace(
        item.metadata,
        title=item.metadata.title or item.document_name,
        format=item.metadata.format or item.media_type,
        source=item.metadata.source or item.url,
    )
    return _told(said, item.created_at)


def _told(said: DocumentMetadata, created_at: datetime | None) -> FoundMetadata:
    """What is said of a document as a result tells it; a free field never hides one of the contract's own."""
    own = {
        "title": said.title,
        "format": said.format,
        "tags": list(said.tags),
        "source": said.source,
        "created_at": created_at,
    }
    return FoundMetadata.model_validate({**said.attributes, **own})


def _explanation(hit: Hit) -> Explanation:
    return Explanation(
        vector=VectorLeg(score=hit.similarity, rank=hit.vector_rank),
        keyword=KeywordLeg(score=hit.keyword, rank=hit.keyword_rank),
        feedback=hit.prior,
    )


def question(asked: AskQuestion, knowledge_base: KnowledgeBase | None) -> Question:
    """Return a question to the documents of a tenant, which may have none yet."""
    before = tuple(Message(turn.role, turn.content) for turn in asked.history)
    return Question(
        messages=(*before, Message("user", asked.question)),
        kb_ids=(knowledge_base.kb_id,) if knowledge_base else (),
        threshold=asked.min_score,
        top_k=asked.limit,
        max_tokens=asked.max_tokens,
        temperature=asked.temperature,
        among=document_filter(asked.filters),
        grounded=True,
    )


def answer(ended: Answer) -> AnswerView:
    """Return an answer with its sources."""
    return AnswerView(
        token=ended.record.token,
        answer=ended.text,
        references=[source(reference) for reference in ended.references],
        degraded=list(ended.degraded),
    )


def source(reference: Reference) -> Source:
    """Return what an answer quotes."""
    return Source(
        index=reference.index,
        document_id=reference.document_id,
        version=reference.ordinal,
        chunk_index=int(reference.chunk_id.rpartition(":")[2]),
        title=reference.title or reference.name,
        page=reference.page,
        start=reference.start,
        end=reference.end,
        quote=reference.quote,
        score=reference.score,
        similarity=reference.similarity,
    )


def related(found: Related) -> RelatedDocument:
    """Return a document that is related to another."""
    document = found.document
    return RelatedDocument(
        document_id=document.document_id,
        title=document.title,
        score=found.score,
        similarity=found.similarity,
        shared=list(found.shared),
        metadata=_told(replace(document.metadata, title=document.title), document.created_at),
    )


def _as_text(value: str | bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
