"""The routes of the uran contract."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from knowledge_base.dialects.contract import AnswerRoute, Contract, Reply, Request, Route, StreamRoute
from knowledge_base.dialects.uran import translate
from knowledge_base.dialects.uran.errors import STATUSES, error_body
from knowledge_base.dialects.uran.examples import EXAMPLES
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
from knowledge_base.domain.deliveries import Subscription
from knowledge_base.domain.documents import Version
from knowledge_base.domain.errors import DocumentNotFound
from knowledge_base.domain.knowledge_bases import Dialect, KnowledgeBase
from knowledge_base.ports.catalog import NEW_AT_ONCE, Claim
from knowledge_base.services.gateways import Gateway
from knowledge_base.services.importing import claims_of
from knowledge_base.services.registry import Services

AnyRoute = TypeVar("AnyRoute", Route, AnswerRoute)
Placed: TypeAlias = tuple[int, DocumentToImport]
"""A document with its place in the call."""

DECIDED_AT_ONCE = 50
"""A call with more documents is taken in as a batch: deciding about these takes half a second.

So is one that comes behind many others of its names or contents, of which nothing is decided yet.
"""

AT_ONCE = 16
"""So many parts of one call are accepted at the same time."""

SUCCESS = Reply(200, {"status": 200, "message": "success"})


def import_documents(request: Request, services: Services) -> Reply:
    """Accept a batch; each document is notified for itself as soon as it ends."""
    wanted = request.read(ImportDocuments)
    services.notifications.check_address(wanted.notify_url)
    services.gateways.admit(Gateway.DOCUMENTS)
    knowledge_base = services.knowledge_bases.ensure(request.principal, Dialect.URAN, wanted.repository)

    claims = [claim for each in wanted.documents for claim in _claims(each)]
    if len(wanted.documents) > DECIDED_AT_ONCE or not services.deciding.settle(knowledge_base, claims):
        return _take_in(request.principal, services, knowledge_base, wanted)
    batch = _Batch(request.principal, services, knowledge_base, wanted)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = {place: item for items in pool.map(batch.accept, _parted(wanted.documents)) for place, item in items}
    return Reply(200, {**SUCCESS.body, "data": {"documents": [told[place] for place in sorted(told)]}})


def _take_in(caller: Principal, services: Services, knowledge_base: KnowledgeBase, wanted: ImportDocuments) -> Reply:
    """Accept a batch without deciding what its documents mean; where each stands is known at once."""
    sources = [translate.source(document) for document in wanted.documents]
    ids = services.batches.take(caller, knowledge_base, sources, translate.notify_url(wanted.notify_url))
    told = [{"name": source.name, "documentId": each} for source, each in zip(sources, ids, strict=True)]
    return Reply(200, {**SUCCESS.body, "data": {"documents": told}})


def _claims(document: DocumentToImport) -> tuple[Claim, ...]:
    return claims_of(translate.source(document))


def _parted(documents: Sequence[DocumentToImport]) -> list[list[Placed]]:
    """Part a batch into what is accepted at the same time.

    Documents of one name or one md5 stay together and in order; those that are alone with theirs are
    taken by the dozen.
    """
    groups: dict[str, list[Placed]] = {}
    for place, document in enumerate(documents):
        keys = (f"name {document.name}", f"md5 {document.md5.lower()}")
        group = next((groups[key] for key in keys if key in groups), [])
        group.append((place, document))
        groups.update(dict.fromkeys(keys, group))
    distinct = list({id(group): group for group in groups.values()}.values())
    alone = [group[0] for group in distinct if len(group) == 1]
    dozens = [alone[start : start + NEW_AT_ONCE] for start in range(0, len(alone), NEW_AT_ONCE)]
    return dozens + [group for group in distinct if len(group) > 1]


@dataclass(frozen=True, slots=True)
class _Batch:
    """What all documents of one call have in common."""

    caller: Principal
    services: Services
    knowledge_base: KnowledgeBase
    wanted: ImportDocuments

    def accept(self, part: Sequence[Placed]) -> list[tuple[int, dict[str, str]]]:
        """Accept a part of the batch: what is new together, the rest one by one in order."""
        new = self._accept_new(part) if _are_apart(part) else {}
        return [
            (place, {"name": document.name, "documentId": new.get(place) or self._accept(document)})
            for place, document in part
        ]

    def _accept_new(self, part: Sequence[Placed]) -> dict[int, str]:
        sources = [translate.source(document) for _, document in part]
        versions = self.services.importing.accept_new(self.caller, self.knowledge_base, sources)
        new = [(place, document, found) for (place, document), found in zip(part, versions, strict=True) if found]
        self.services.notifications.promise([self._subscription(document, found) for _, document, found in new])
        self.services.importing.start([found for _, _, found in new])
        return {place: found.document_id for place, _, found in new}

    def _accept(self, document: DocumentToImport) -> str:
        version = self.services.importing.accept(self.caller, self.knowledge_base, translate.source(document))
        self.services.notifications.subscribe(self._subscription(document, version))
        return version.document_id

    def _subscription(self, document: DocumentToImport, version: Version) -> Subscription:
        return translate.subscription(document, self.wanted.repository, self.wanted.notify_url, version)


def _are_apart(part: Sequence[Placed]) -> bool:
    names, contents = {document.name for _, document in part}, {document.md5.lower() for _, document in part}
    return len(names) == len(contents) == len(part)


def delete_documents(request: Request, services: Services) -> Reply:
    """Remove names; 404 when the repository has none of them."""
    wanted = request.read(DeleteDocuments)
    knowledge_base = services.knowledge_bases.named(request.principal.tenant, Dialect.URAN, wanted.repository)
    names = list(dict.fromkeys(wanted.documents))
    found = services.deciding.withdraw(knowledge_base, set(names))

    def was_there(name: str) -> bool:
        try:
            services.importing.remove(knowledge_base, name)
        except DocumentNotFound:
            return False
        return True

    known = sorted(services.importing.known(knowledge_base, names))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found |= {name for name, removed in zip(known, pool.map(was_there, known), strict=True) if removed}
    missing = [name for name in names if name not in found]
    if len(missing) == len(names):
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
    examples=EXAMPLES,
)
