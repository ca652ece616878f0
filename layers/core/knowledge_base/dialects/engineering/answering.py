"""Answer questions from the documents that the caller may read."""

from __future__ import annotations

from knowledge_base.dialects.answer_events import NamedEvents
from knowledge_base.dialects.contract import AnswerRoute, Reply, Request, failure_headers, failure_status
from knowledge_base.dialects.engineering import schemas, translate
from knowledge_base.dialects.engineering.errors import MEDIA_TYPE, error_body
from knowledge_base.domain.answers import Answer, AnswerRecord
from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.services.registry import Services

EVENTS = "text/event-stream"


def ask(request: Request, services: Services) -> AnswerRecord:
    """Start the answer to a question."""
    asked, caller = request.read(schemas.AskQuestion), request.principal
    question = translate.question(asked, services.knowledge_bases.find_documents(caller.tenant))
    return services.questions.ask(caller, Dialect.ENGINEERING, question)


def wants_stream(request: Request) -> bool:
    """Whether a caller asks for events; what is no question is refused where it is asked."""
    if EVENTS in request.headers.get("accept", "").lower():
        return True
    try:
        return request.read(schemas.AskQuestion).stream
    except InvalidInput:
        return False


def tell(ended: Answer) -> Reply:
    """Return an answer that has ended."""
    if ended.error:
        code, status = ended.error.code, failure_status(ended.error.code)
        return Reply(status, error_body(status, code, ended.error.message), failure_headers(code), MEDIA_TYPE)
    return Reply(200, translate.answer(ended).model_dump(mode="json"))


def events() -> NamedEvents:
    """Return what tells an answer's events."""
    return NamedEvents(lambda reference: translate.source(reference).model_dump(mode="json"))


ANSWER = AnswerRoute(
    "POST",
    "/answer",
    ask,
    tell,
    "Answer a question from the documents that the caller may read, in JSON or as a stream of events",
    schemas.AskQuestion,
    schemas.AnswerView,
    events,
    wants_stream,
)
