"""The routes of the uran contract that put a model to work: assistant, combination, embedding."""

from __future__ import annotations

from knowledge_base.dialects.contract import (
    AnswerRoute,
    Reply,
    Request,
    Route,
    failure_headers,
    failure_status,
)
from knowledge_base.dialects.uran import translate
from knowledge_base.dialects.uran.errors import error_body
from knowledge_base.dialects.uran.schemas import (
    AnswerReply,
    AskAssistant,
    CombineTexts,
    EmbeddingReply,
    EmbeddingsReply,
    EmbedText,
    EmbedTexts,
)
from knowledge_base.domain.answers import Answer, AnswerRecord
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.services.registry import Services


def ask_assistant(request: Request, services: Services) -> AnswerRecord:
    """Start the assistant's answer."""
    wanted = request.read(AskAssistant)
    return services.questions.ask(request.principal, Dialect.URAN, translate.assistance(wanted))


def combine_texts(request: Request, services: Services) -> AnswerRecord:
    """Start the answer that is made of texts."""
    wanted = request.read(CombineTexts)
    return services.questions.ask(request.principal, Dialect.URAN, translate.combination(wanted))


def tell_answer(answer: Answer) -> Reply:
    """Return the text of an answer, or why there is none."""
    if answer.error:
        code, status = answer.error.code, failure_status(answer.error.code)
        return Reply(status, error_body(status, code, answer.error.message), failure_headers(code))
    return _success({"answer": answer.text})


def embed_text(request: Request, services: Services) -> Reply:
    """Embed a question."""
    vector = services.vectors.of_question(request.read(EmbedText).text)
    return _success({"embedding": list(vector)})


def embed_texts(request: Request, services: Services) -> Reply:
    """Embed parts of documents."""
    vectors = services.vectors.of_passages(request.read(EmbedTexts).texts)
    return _success({"embeddings": [list(vector) for vector in vectors]})


def _success(data: dict[str, object]) -> Reply:
    return Reply(200, {"status": 200, "message": "success", "data": data})


ASSISTANT = AnswerRoute(
    "POST", "/uran/lm/assistant", ask_assistant, tell_answer, "Ask the assistant", AskAssistant, AnswerReply
)
COMBINE = AnswerRoute(
    "POST",
    "/uran/lm/combine",
    combine_texts,
    tell_answer,
    "Make one answer of the texts that were found",
    CombineTexts,
    AnswerReply,
)
EMBEDDING = Route("POST", "/uran/lm/embedding", embed_text, "Embed a question", EmbedText, EmbeddingReply)
BLOCK_EMBEDDING = Route(
    "POST", "/uran/lm/block_embedding", embed_texts, "Embed parts of documents", EmbedTexts, EmbeddingsReply
)
