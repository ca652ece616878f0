"""Between the platform contract's messages and the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from knowledge_base.dialects.platform.schemas import (
    AnswerView,
    BeginUpload,
    CreateKey,
    DeadLetterView,
    Fault,
    FeedbackView,
    GatewayView,
    GiveFeedback,
    HitView,
    IngestionView,
    KeyView,
    KnowledgeBaseView,
    StageView,
    TraceView,
    UploadView,
    UsageView,
)
from knowledge_base.domain.access import ApiKey, Principal
from knowledge_base.domain.answers import Answer, AnswerRecord, Reference, Stage
from knowledge_base.domain.dead_letters import DeadLetter, DeadLetterKind
from knowledge_base.domain.documents import Document, Source, Version
from knowledge_base.domain.feedback import BEST, WORST, Feedback
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.traces import StageTrace
from knowledge_base.services.gateways import GatewayState
from knowledge_base.services.uploads import Upload

_STAGES: dict[Stage, Literal["question", "search", "answer"]] = {
    Stage.QUESTION: "question",
    Stage.SEARCH: "search",
    Stage.ANSWER: "answer",
}
_SUBJECTS = {
    DeadLetterKind.DOCUMENT: "document_id",
    DeadLetterKind.ANSWER: "token",
    DeadLetterKind.DELIVERY: "url",
}


def principal(wanted: CreateKey, caller: Principal) -> Principal:
    """Return whom a new key stands for."""
    return Principal(
        wanted.tenant or caller.tenant,
        wanted.user_id,
        frozenset(wanted.roles),
        frozenset(wanted.workspaces),
        frozenset(wanted.projects),
    )


def key(stored: ApiKey) -> KeyView:
    """Return a key as it may be shown."""
    who = stored.principal
    return KeyView(
        key_id=stored.key_id,
        tenant=who.tenant,
        user_id=who.user_id,
        roles=sorted(who.roles),
        workspaces=sorted(who.workspaces),
        projects=sorted(who.projects),
        created_at=stored.created_at,
        expires_at=stored.expires_at,
    )


def knowledge_base(found: KnowledgeBase) -> KnowledgeBaseView:
    """Return a knowledge base as admins see it."""
    return KnowledgeBaseView(
        kb_id=found.kb_id,
        dialect=found.dialect.value,
        name=found.name,
        chunking_strategy=found.config.chunking.strategy.value,
        embedding_model=found.config.embedding.model,
        rerank=found.config.rerank,
        feedback=found.config.learns,
        revision=found.revision,
        created_at=found.created_at,
    )


def answer(found: Answer, traces: Sequence[StageTrace]) -> AnswerView:
    """Return an answer as far as it has come."""
    record = found.record
    return AnswerView(
        token=record.token,
        status=record.status.value,
        question=record.question.text,
        answer=found.text,
        references=[reference(item) for item in found.references],
        degraded=list(found.degraded),
        error=Fault(code=found.error.code, message=found.error.message) if found.error else None,
        created_at=record.created_at,
        finished_at=record.finished_at,
        trace=_trace(record, traces),
    )


def _trace(record: AnswerRecord, traces: Sequence[StageTrace]) -> TraceView:
    searching = next((trace for trace in traces if trace.stage is Stage.SEARCH), None)
    usage = next((trace.usage for trace in traces if trace.usage), None)
    return TraceView(
        user_id=record.principal.user_id,
        searched=next((trace.searched for trace in traces if trace.searched), ""),
        revisions=searching.revisions if searching else {},
        hits=[HitView(**asdict(hit)) for hit in searching.hits] if searching else [],
        stages=[_stage(trace) for trace in traces],
        usage=UsageView(**asdict(usage)) if usage else None,
    )


def _stage(trace: StageTrace) -> StageView:
    return StageView(
        stage=_STAGES[trace.stage],
        began_after_ms=round(1000 * trace.began_after),
        took_ms=round(1000 * trace.took),
        first_words_ms=None if trace.first_after is None else round(1000 * trace.first_after),
    )


def reference(found: Reference) -> dict[str, Any]:
    """Return a source with everything that is needed to check it."""
    return asdict(found)


def rating(wanted: GiveFeedback) -> int:
    """Return a rating on the scale."""
    return {"up": BEST, "down": WORST}.get(str(wanted.rating)) or int(wanted.rating)


def feedback(given: Feedback) -> FeedbackView:
    """Return feedback as its tenant's admins see it."""
    shown = asdict(given)
    del shown["tenant"]
    return FeedbackView(**{**shown, "cited": [dict(chunk) for chunk in shown["cited"]]})


def ingestion(document: Document, version: Version) -> IngestionView:
    """Return where an ingestion stands."""
    failure = version.failure
    return IngestionView(
        document_id=document.document_id,
        version=version.ordinal,
        state=version.state.value,
        progress=version.progress,
        chunk_count=version.chunk_count,
        chunks_done=version.chunks_done,
        size=version.size,
        name=document.name,
        error=Fault(code=failure.code, message=failure.message) if failure else None,
        accepted_at=version.accepted_at,
        updated_at=version.updated_at,
    )


def upload_source(wanted: BeginUpload, name: str, declared_type: str) -> Source:
    """Return where the content of an announced file comes from."""
    return Source(name, declared_type=declared_type, sha256=wanted.sha256.lower())


def upload(begun: Upload) -> UploadView:
    """Return where to send a file."""
    form = begun.form
    return UploadView(
        document_id=begun.version.document_id,
        duplicate=form is None,
        url=form.url if form else None,
        fields=form.fields if form else None,
        expires_at=begun.expires_at if form else None,
    )


def dead_letter(letter: DeadLetter) -> DeadLetterView:
    """Return a dead letter as operators see it."""
    return DeadLetterView(
        id=letter.dead_letter_id,
        kind=letter.kind.value,
        subject={_SUBJECTS[letter.kind]: letter.subject},
        error=Fault(code=letter.code, message=letter.message),
        attempts=letter.attempts,
        first_at=letter.first_at,
        last_at=letter.last_at,
    )


def gateway(found: GatewayState) -> GatewayView:
    """Return how a gateway stands."""
    state: Literal["closed", "open"] = "open" if found.is_refusing else "closed"
    return GatewayView(name=found.gateway, state=state, waiting=found.waiting, limit=found.limit)
