"""The routes of the uran contract by which services hand each other questions and answers."""

from __future__ import annotations

from dataclasses import replace

from knowledge_base.dialects.contract import Reply, Request, Route
from knowledge_base.dialects.uran import translate
from knowledge_base.dialects.uran.schemas import PutQuestion, TakeAnswer, TokenReply, UranReply
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.services.registry import Services


def put_question(request: Request, services: Services) -> Reply:
    """Start the answer to a question; it is posted to the address that the question names."""
    wanted, caller = request.read(PutQuestion), request.principal
    services.notifications.check_address(wanted.callback)
    name = wanted.repository
    knowledge_base = services.knowledge_bases.named(caller.tenant, Dialect.URAN, name) if name else None
    record = services.questions.ask(caller, Dialect.URAN, translate.posted_question(wanted, knowledge_base))
    data = {"questionToken": wanted.question_token or record.token}
    return Reply(200, {"status": 200, "message": "success", "data": data}, {"X-Answer-Token": record.token})


def take_answer(request: Request, services: Services) -> Reply:
    """End a waiting answer with a text from another answer service."""
    wanted = request.read(TakeAnswer)
    services.answers.take(request.principal, wanted.question_token, wanted.answer)
    return Reply(200, {"status": 200, "message": "success"})


QUESTION = Route(
    "POST",
    "/uran/llm/question",
    put_question,
    "Ask a question whose answer is posted to an address",
    PutQuestion,
    TokenReply,
)
RESPONSE = Route("POST", "/uran/lm/response", take_answer, "Answer a waiting question", TakeAnswer, UranReply)
MISSPELT_RESPONSE = replace(RESPONSE, path="/ruran/lm/response")
