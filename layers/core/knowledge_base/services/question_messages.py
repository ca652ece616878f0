"""What travels on the question, search and answer queues.

The messages carry the field names of the uran document (`question_token`, `question`, `resp_url`,
`embedding` on the search queue, `texts` on the answer queue), and our own beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from knowledge_base.domain.answers import AnswerRecord
from knowledge_base.domain.images import QuestionImage
from knowledge_base.domain.retrieval import QuestionVector, SearchResult

_RESULT: TypeAdapter[SearchResult] = TypeAdapter(SearchResult)
_IMAGES: TypeAdapter[tuple[QuestionImage, ...]] = TypeAdapter(tuple[QuestionImage, ...])
_VECTORS: TypeAdapter[list[QuestionVector]] = TypeAdapter(list[QuestionVector])


def search_message(
    record: AnswerRecord, searched: str, vectors: Sequence[QuestionVector], images: Sequence[QuestionImage]
) -> dict[str, Any]:
    """Return what the search queue is sent: the text to search for, with its vector under each model."""
    dumped = _VECTORS.dump_python(list(vectors), mode="json")
    embedding = next((item["vector"] for item in dumped if item["vector"]), None)
    return {**_head(record, searched, images), "embedding": embedding, "vectors": dumped}


def question_vectors(message: Mapping[str, Any]) -> list[QuestionVector]:
    """Return the vectors that a search message carries."""
    return _VECTORS.validate_python(message.get("vectors", []))


def searched_text(message: Mapping[str, Any], record: AnswerRecord) -> str:
    """Return what is searched for: the question, or what it means in its conversation."""
    return str(message.get("search_text") or record.question.text)


def answer_message(
    record: AnswerRecord, searched: str, result: SearchResult, images: Sequence[QuestionImage]
) -> dict[str, Any]:
    """Return what the answer queue is sent: the question with what was found."""
    found = _RESULT.dump_python(result, mode="json")
    return {**_head(record, searched, images), "texts": result.texts, "result": found}


def search_result(message: Mapping[str, Any]) -> SearchResult:
    """Return what an answer message says was found."""
    return _RESULT.validate_python(message.get("result", {}))


def question_images(message: Mapping[str, Any]) -> tuple[QuestionImage, ...]:
    """Return what became of the question's images, as a message says it; none where it says nothing of them."""
    return _IMAGES.validate_python(message.get("images", ()))


def _head(record: AnswerRecord, searched: str, images: Sequence[QuestionImage]) -> dict[str, Any]:
    question = record.question
    head = {"question_token": record.token, "question": question.text, "resp_url": question.response_url}
    more: dict[str, Any] = {} if searched == question.text else {"search_text": searched}
    return head | more | ({"images": _IMAGES.dump_python(tuple(images), mode="json")} if images else {})
