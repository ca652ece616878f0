"""The routes of the uran contract."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from knowledge_base.dialects.contract import AnswerRoute, Contract, Reply, Request, Route, StreamRoute
from knowledge_base.dialects.uran import translate
from knowledge_base.dialects.uran.errors import STATUSES, error_body
from knowledge_base.dialects.uran.models import ASSISTANT, BLOCK_EMBEDDING, COMBINE, EMBEDDING
from knowledge_base.dialects.uran.posting import MISSPELT_RESPONSE, QUESTION, RESPONSE
from knowledge_base.dialects.uran.schemas import (
    AskQuestion,
    DeleteDocuments,
    DeleteRepositories,
    DocumentToImport,
    ImportDocuments,
    UranReply,
)
from knowledge_base.dialects.uran.stream import UranStream
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerRecord
from knowledge_base.domain.errors import DocumentNotFound
from knowledge_base.domain.knowledge_bases import Dialect, KnowledgeBase
from knowledge_base.services.gateways import Gateway
from knowledge_base.services.registry import Services

AnyRoute = TypeVar("AnyRoute", Route, AnswerRoute)

AT_ONCE = 16
"""So many documents of one call are accepted at the same time."""

SUCCESS = Reply(200, {"status": 200, "message": "success"})


def import_documents(request: Request, services: Services) -> Reply:
    """Accept a batch; each document is notified for itself as soon as it ends."""
    wanted = request.read(ImportDocuments)
    services.gateways.admit(Gateway.DOCUMENTS)
    services.notifications.check_address(wanted.notify_url)
    knowledge_base = services.knowledge_bases.ensure(request.principal, Dialect.URAN, wanted.repository)

    def accept(documents: list[DocumentToImport]) -> list[dict[str, str]]:
        return [_accept(request.principal, services, knowledge_base, document, wanted) for document in documents]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        accepted = [item for items in pool.map(accept, _apart(wanted.documents)) for item in items]
    return Reply(200, {**SUCCESS.body, "data": {"documents": accepted}})


def _apart(documents: list[DocumentToImport]) -> list[list[DocumentToImport]]:
    """Part a batch so that documents of one name or one md5 stay together and in order."""
    groups: dict[str, list[DocumentToImport]] = {}
    for document in documents:
        keys = (f"name {document.name}", f"md5 {document.md5}")
        group = next((groups[key] for key in keys if key in groups), [])
        group.append(document)
        groups.update(dict.fromkeys(keys, group))
    return list({id(group): group for group in groups.values()}.values())


def _accept(
    caller: Principal,
    services: Services,
    knowledge_base: KnowledgeBase,
    document: DocumentToImport,
    wanted: ImportDocuments,
) -> dict[str, str]:
    version = services.importing.accept(caller, knowledge_base, translate.source(document))
    services.notifications.subscribe(translate.subscription(document, wanted.repository, wanted.notify_url, version))
    return {"name": document.name, "documentId": version.document_id}


def delete_documents(request: Request, services: Services) -> Reply:
    """Remove names; 404 when the repository has none of them."""
    wanted = request.read(DeleteDocuments)
    knowledge_base = services.knowledge_bases.named(request.principal.tenant, Dialect.URAN, wanted.repository)
    missing = []
    for name in wanted.documents:
        try:
            services.importing.remove(knowledge_base, name)
        except DocumentNotFound:
            missing.append(name)
    if len(missing) == len(wanted.documents):
        raise DocumentNotFound(", ".join(missing))
    return Reply(200, {**SUCCESS.body, "data": {"notFound": missing}}) if missing else SUCCESS


def delete_repositories(request: Request, services: Services) -> Reply:
    """Remove repositories; nothing is removed when one of them does not exist."""
    names = request.read(DeleteRepositories).repositories
    for name in names:
        services.knowledge_bases.named(request.principal.tenant, Dialect.URAN, name)
    for name in dict.fromkeys(names):
        services.knowledge_bases.remove(request.principal.tenant, Dialect.URAN, name)
    return SUCCESS


def ask(request: Request, services: Services) -> AnswerRecord:
    """Start the answer to a question."""
    wanted = request.read(AskQuestion)
    caller = request.principal
    repository = wanted.repository
    knowledge_base = (
        services.knowledge_bases.named(caller.tenant, Dialect.URAN, repository.name) if repository else None
    )
    return services.questions.ask(caller, Dialect.URAN, translate.question(wanted, knowledge_base))


def _both(route: AnyRoute) -> tuple[AnyRoute, AnyRoute]:
    """The document writes `lm` and `llm` for the same thing: both are served."""
    return route, replace(route, path=route.path.replace("/lm/", "/llm/"))


CONTRACT = Contract(
    name="uran",
    title="uran: batch import by URL, webhooks, questions streamed as SSE",
    routes=(
        *_both(
            Route(
                "POST",
                "/uran/lm/documents",
                import_documents,
                "Import documents by URL",
                ImportDocuments,
                UranReply,
            )
        ),
        *_both(
            Route(
                "DELETE",
                "/uran/lm/documents",
                delete_documents,
                "Delete documents by name",
                DeleteDocuments,
                UranReply,
            )
        ),
        *_both(
            Route(
                "DELETE",
                "/uran/lm/repositories",
                delete_repositories,
                "Delete repositories by name",
                DeleteRepositories,
                UranReply,
            )
        ),
        *_both(EMBEDDING),
        *_both(RESPONSE),
        MISSPELT_RESPONSE,
        QUESTION,
    ),
    answers=(*_both(ASSISTANT), *_both(COMBINE)),
    slow=_both(BLOCK_EMBEDDING),
    streams=(
        StreamRoute("POST", "/uran/lm/question", ask, UranStream, "Ask a question, answered as SSE", AskQuestion),
    ),
    errors=STATUSES,
    error_body=error_body,
    error_model=UranReply,
)
