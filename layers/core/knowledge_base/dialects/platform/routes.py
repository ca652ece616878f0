"""The routes of the platform contract."""

from __future__ import annotations

from knowledge_base.dialects.answer_events import NamedEvents
from knowledge_base.dialects.contract import (
    Contract,
    Download,
    DownloadRoute,
    Reply,
    Request,
    Route,
    StreamRoute,
    check_query,
)
from knowledge_base.dialects.document_metadata import described
from knowledge_base.dialects.platform import schemas, translate
from knowledge_base.dialects.platform.deliveries import DELIVERIES
from knowledge_base.dialects.platform.errors import STATUSES, error_body
from knowledge_base.dialects.platform.parameters import limit, moment
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerRecord
from knowledge_base.domain.errors import InvalidInput, Overloaded
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.services.batches import COME_BACK
from knowledge_base.services.gateways import Gateway
from knowledge_base.services.importing import claims_of
from knowledge_base.services.registry import Services
from knowledge_base.services.uploads import Upload

NO_CONTENT = Reply(204)
JSON_LINES = "application/x-ndjson"


def alive(_request: Request, _services: Services) -> Reply:
    """Say that the function runs."""
    return Reply(200, {"status": "ok"})


def ready(_request: Request, services: Services) -> Reply:
    """Say whether the parts that every request needs do answer."""
    parts = services.health.parts()
    is_ready = all(parts.values())
    return Reply(200 if is_ready else 503, {"status": "ready" if is_ready else "not_ready", "parts": parts})


def create_key(request: Request, services: Services) -> Reply:
    """Make a key."""
    wanted = request.read(schemas.CreateKey)
    made = services.access.create_key(
        request.principal, translate.principal(wanted, request.principal), expires_at=wanted.expires_at
    )
    return Reply(201, {"key_id": made.key_id, "key": made.key})


def list_keys(request: Request, services: Services) -> Reply:
    """List the tenant's keys."""
    keys = [translate.key(key) for key in services.access.keys_of(request.principal)]
    return Reply(200, schemas.KeyList(keys=keys).model_dump(mode="json"))


def revoke_key(request: Request, services: Services) -> Reply:
    """Revoke a key."""
    services.access.revoke_key(request.principal, request.path["key_id"])
    return NO_CONTENT


def rotate_webhook_secret(request: Request, services: Services) -> Reply:
    """Make a new signing secret."""
    made = services.webhook_secrets.rotate(request.principal)
    view = schemas.WebhookSecret(secret=made.current, previous_valid_until=made.previous_valid_until)
    return Reply(200, view.model_dump(mode="json"))


def list_gateways(request: Request, services: Services) -> Reply:
    """Show how each gateway stands, since when and why."""
    found = [translate.gateway(state) for state in services.gateways.states(request.principal)]
    return Reply(200, schemas.GatewayList(gateways=found).model_dump(mode="json"))


def list_knowledge_bases(request: Request, services: Services) -> Reply:
    """List the tenant's knowledge bases of all dialects."""
    found = [translate.knowledge_base(item) for item in services.knowledge_bases.of_tenant(request.principal)]
    return Reply(200, schemas.KnowledgeBaseList(knowledge_bases=found).model_dump(mode="json"))


def change_knowledge_base(request: Request, services: Services) -> Reply:
    """Change how a knowledge base retrieves."""
    wanted = request.read(schemas.ChangeKnowledgeBase)
    kb_id = request.path["kb_id"]
    changed = services.knowledge_bases.switch(request.principal, kb_id, rerank=wanted.rerank, learns=wanted.feedback)
    return Reply(200, translate.knowledge_base(changed).model_dump(mode="json"))


def get_answer(request: Request, services: Services) -> Reply:
    """Show an answer as far as it has come."""
    found = services.answers.get(request.principal, request.path["token"])
    traces = services.answers.traces(found.record)
    return Reply(200, translate.answer(found, traces).model_dump(mode="json"))


def cancel_answer(request: Request, services: Services) -> Reply:
    """Cancel a running answer."""
    services.answers.cancel(request.principal, request.path["token"])
    return NO_CONTENT


def follow_answer(request: Request, services: Services) -> AnswerRecord:
    """Follow an answer's events."""
    return services.answers.head(request.principal, request.path["token"])


def give_feedback(request: Request, services: Services) -> Reply:
    """Store what the caller thinks of an answer."""
    wanted = request.read(schemas.GiveFeedback)
    given = services.feedback.give(request.principal, request.path["token"], translate.rating(wanted), wanted.comment)
    return Reply(200, translate.feedback(given).model_dump(mode="json"))


def export_feedback(request: Request, services: Services) -> Download:
    """Give all feedback, a JSON object a line."""
    found = services.feedback.export(request.principal, moment(request, "since"))
    return Download((f"{translate.feedback(item).model_dump_json()}\n".encode() for item in found), JSON_LINES)


def get_ingestion(request: Request, services: Services) -> Reply:
    """Show where a document's ingestion stands."""
    document, version = services.arrivals.status(request.principal, request.path["document_id"])
    return Reply(200, translate.ingestion(document, version).model_dump(mode="json"))


def list_ingestions(request: Request, services: Services) -> Reply:
    """List a knowledge base's documents with where they stand, or the one of a name."""
    check_query(request, ("repository", "name", "limit", "cursor"))
    repository, name = request.one("repository"), request.one("name")
    if not repository:
        raise InvalidInput("say which repository", field="repository")
    caller = request.principal
    knowledge_base = services.knowledge_bases.named(caller.tenant, Dialect.URAN, repository)
    if name:
        page = services.arrivals.named(caller, knowledge_base, name)
    else:
        cursor = request.one("cursor")
        page = services.arrivals.page(caller, knowledge_base, limit=limit(request), cursor=cursor)
    views = [translate.ingestion(document, version) for document, version in page.ingestions]
    view = schemas.IngestionList(ingestions=views, next_cursor=page.next_cursor)
    return Reply(200, view.model_dump(mode="json"))


def begin_upload(request: Request, services: Services) -> Reply:
    """Hand out a form for one file; 200 without one when the content is there already."""
    wanted = request.read(schemas.BeginUpload)
    services.gateways.admit(Gateway.DOCUMENTS)
    begun = _begin(request.principal, wanted, services)
    return Reply(201 if begun.form else 200, translate.upload(begun).model_dump(mode="json"))


def _begin(caller: Principal, wanted: schemas.BeginUpload, services: Services) -> Upload:
    target = wanted.target
    if isinstance(target, schemas.UranTarget):
        repository = services.knowledge_bases.ensure(caller, Dialect.URAN, target.repository)
        source = translate.upload_source(wanted, target.name or wanted.filename, wanted.content_type)
        if not services.deciding.settle(repository, claims_of(source)):
            raise Overloaded("too many documents of this name or content are waiting", retry_after=COME_BACK)
        return services.uploads.begin(caller, repository, source, size=wanted.size)
    said = described(target.metadata, wanted.filename)
    source = translate.upload_source(wanted, wanted.filename, said.metadata.format or wanted.content_type)
    documents = services.knowledge_bases.documents(caller)
    return services.uploads.begin_document(caller, documents, source, said, size=wanted.size)


def list_dead_letters(request: Request, services: Services) -> Reply:
    """List dead letters, newest first."""
    check_query(request, ("limit", "cursor"))
    page = services.dead_letters.page(request.principal, limit=limit(request), cursor=request.one("cursor"))
    letters = [translate.dead_letter(letter) for letter in page.dead_letters]
    view = schemas.DeadLetterList(dead_letters=letters, next_cursor=page.next_cursor)
    return Reply(200, view.model_dump(mode="json"))


def redrive_dead_letter(request: Request, services: Services) -> Reply:
    """Try again what died."""
    services.dead_letters.redrive(request.principal, request.path["id"])
    return Reply(202, {"id": request.path["id"]})


def discard_dead_letter(request: Request, services: Services) -> Reply:
    """Forget a dead letter."""
    services.dead_letters.discard(request.principal, request.path["id"])
    return NO_CONTENT


CONTRACT = Contract(
    name="platform",
    title="platform: health, keys, answers, ingestions, dead letters",
    routes=(
        Route("GET", "/health", alive, "Is the service alive", reply=schemas.Alive, public=True),
        Route("GET", "/health/ready", ready, "Do its parts answer", reply=schemas.Ready, public=True),
        Route("POST", "/admin/keys", create_key, "Make a key", schemas.CreateKey, schemas.CreatedKey, 201),
        Route("GET", "/admin/keys", list_keys, "List the tenant's keys", reply=schemas.KeyList),
        Route("DELETE", "/admin/keys/{key_id}", revoke_key, "Revoke a key", status=204),
        Route(
            "POST",
            "/admin/webhook-secret",
            rotate_webhook_secret,
            "Make a new webhook secret",
            reply=schemas.WebhookSecret,
        ),
        Route(
            "GET",
            "/admin/gateways",
            list_gateways,
            "How the gateways stand: open or closed, since when and why, and how much waits",
            reply=schemas.GatewayList,
        ),
        Route(
            "GET",
            "/admin/knowledge-bases",
            list_knowledge_bases,
            "List the tenant's knowledge bases",
            reply=schemas.KnowledgeBaseList,
        ),
        Route(
            "PATCH",
            "/admin/knowledge-bases/{kb_id}",
            change_knowledge_base,
            "Change how a knowledge base retrieves",
            schemas.ChangeKnowledgeBase,
            schemas.KnowledgeBaseView,
        ),
        Route("GET", "/answers/{token}", get_answer, "Show an answer", reply=schemas.AnswerView),
        Route("DELETE", "/answers/{token}", cancel_answer, "Cancel an answer", status=204),
        Route(
            "POST",
            "/answers/{token}/feedback",
            give_feedback,
            "Say what you think of an answer",
            schemas.GiveFeedback,
            schemas.FeedbackView,
        ),
        Route(
            "GET",
            "/ingestions/{document_id}",
            get_ingestion,
            "Where an ingestion stands",
            reply=schemas.IngestionView,
        ),
        Route(
            "GET",
            "/ingestions",
            list_ingestions,
            "List a repository's documents with where they stand",
            reply=schemas.IngestionList,
            query=("repository", "name", "limit", "cursor"),
        ),
        Route("POST", "/uploads", begin_upload, "Announce a file", schemas.BeginUpload, schemas.UploadView, 201),
        Route(
            "GET",
            "/dead-letters",
            list_dead_letters,
            "List dead letters",
            reply=schemas.DeadLetterList,
            query=("limit", "cursor"),
        ),
        Route("POST", "/dead-letters/{id}/redrive", redrive_dead_letter, "Try a dead letter again", status=202),
        Route("DELETE", "/dead-letters/{id}", discard_dead_letter, "Forget a dead letter", status=204),
        *DELIVERIES,
    ),
    streams=(
        StreamRoute("GET", "/answers/{token}/events", follow_answer, NamedEvents, "Follow an answer's events as SSE"),
    ),
    downloads=(
        DownloadRoute("GET", "/feedback", export_feedback, "All feedback, as JSON lines", (JSON_LINES,), ("since",)),
    ),
    errors=STATUSES,
    error_body=error_body,
    error_model=schemas.ErrorView,
)
