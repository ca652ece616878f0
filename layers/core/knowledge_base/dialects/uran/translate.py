"""Between the uran contract's messages and the domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from knowledge_base.dialects.contract import failure_status
from knowledge_base.dialects.uran.schemas import AskAssistant, AskQuestion, CombineTexts, DocumentToImport, PutQuestion
from knowledge_base.domain.answers import Message, Question, Reference
from knowledge_base.domain.deliveries import Subscription
from knowledge_base.domain.documents import FailureCode, Source, Version
from knowledge_base.domain.ids import new_id
from knowledge_base.domain.knowledge_bases import KnowledgeBase

ANSWER_TOKENS = 2048
"""The longest answer where a request cannot say how long it may be."""

TEMPERATURE = 0.2

NOTIFY_PATH = "/uran/lm/documents_status"

_FAILURES: Mapping[str, int] = {
    FailureCode.FETCH_FAILED: 502,
    FailureCode.CHECKSUM_MISMATCH: 409,
    FailureCode.SUPERSEDED: 409,
    FailureCode.REMOVED: 410,
    FailureCode.TOO_LARGE: 413,
    FailureCode.UNSUPPORTED: 415,
    FailureCode.EMBEDDING_FAILED: 503,
    FailureCode.INDEX_FAILED: 503,
    FailureCode.STALLED: 504,
    FailureCode.INTERNAL: 500,
}
_UNREADABLE = 422


def source(document: DocumentToImport) -> Source:
    """Return where a document's content comes from."""
    return Source(document.name, document.url, document.type, document.md5)


def notify_url(url: str) -> str:
    """Return the address to notify: as it is, or with the contract's own path where it has none."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=NOTIFY_PATH, fragment="")) if parts.path in ("", "/") else url


def subscription(document: DocumentToImport, repository: str, url: str, version: Version) -> Subscription:
    """Return the promise to notify one import call of one version's end."""
    return Subscription.to(
        version, source(document), subscription_id=new_id(), url=notify_url(url), repository=repository
    )


def question(request: AskQuestion, knowledge_base: KnowledgeBase | None) -> Question:
    """Return the question that a request asks."""
    repository = request.repository
    return Question(
        messages=tuple(Message(m.role, m.content, tuple(m.images)) for m in request.messages),
        kb_ids=(knowledge_base.kb_id,) if knowledge_base else (),
        threshold=repository.threshold if repository else None,
        top_k=repository.top_k if repository else 1,
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        model=request.model,
        background=request.background,
    )


def posted_question(request: PutQuestion, knowledge_base: KnowledgeBase | None) -> Question:
    """Return the question whose answer is posted to its asker."""
    return Question(
        messages=tuple(Message(m.role, m.content, tuple(m.images)) for m in request.turns),
        kb_ids=(knowledge_base.kb_id,) if knowledge_base else (),
        threshold=request.threshold,
        max_tokens=request.max_tokens or ANSWER_TOKENS,
        temperature=TEMPERATURE if request.temperature is None else request.temperature,
        model=request.model or "",
        response_url=request.callback,
        caller_token=request.question_token or "",
    )


def assistance(request: AskAssistant) -> Question:
    """Return the question that is put to the assistant: the model alone answers, with the prompt in mind."""
    asked = Message("user", request.question)
    return Question((asked,), max_tokens=ANSWER_TOKENS, background=request.prompt or "")


def combination(request: CombineTexts) -> Question:
    """Return the question that is answered from the texts that came with it."""
    asked = Message("user", request.question)
    return Question((asked,), max_tokens=ANSWER_TOKENS, texts=tuple(request.texts))


def reference(found: Reference) -> dict[str, Any]:
    """Return a source as the contract shows it."""
    return {
        "index": found.index,
        "name": found.name,
        "url": found.url,
        "md5": found.md5,
        "page": found.page,
        "start": found.start,
        "end": found.end,
        "quote": found.quote,
        "score": round(found.score, 6),
        "similarity": None if found.similarity is None else round(found.similarity, 6),
    }


def document_status(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notification of how one document's ingestion ended."""
    failure = facts["failure"]
    document = {key: facts[key] for key in ("name", "type", "url", "md5")}
    document["status"] = _FAILURES.get(failure["code"], _UNREADABLE) if failure else 200
    document["message"] = f"{failure['code']}: {failure['message']}" if failure else "OK"
    return {"documents": [document], "repository": facts["repository"]}


def posted_answer(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer as it is posted to its asker; one that has failed also says so."""
    body = {"questionToken": facts["question_token"], "answer": facts["answer"]}
    failure = facts["failure"]
    if failure:
        body |= {"status": failure_status(failure["code"]), "message": failure["message"]}
    return body
