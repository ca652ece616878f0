"""What travels on the search and answer queues: the Request and Response messages of the uran document.

They carry its field names, and our own beside them. Both sides may be somebody else's: of a message that has the
document's fields alone the rest follows. Their JSON Schemas stand in `infra/messages/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from knowledge_base.domain.answers import AnswerRecord
from knowledge_base.domain.images import QuestionImage
from knowledge_base.domain.retrieval import QuestionVector, SearchResult


class QuestionMessage(BaseModel):
    """What both messages say of a question; other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    question_token: Annotated[str, Field(min_length=1, description="The token of the question, as it was accepted.")]
    question: Annotated[str, Field(description="The question as it was asked; the last of a conversation.")] = ""
    resp_url: Annotated[str, Field(description="Where the answer is posted to; empty where it is streamed.")] = ""
    search_text: Annotated[
        str, Field(description="What is searched for where that is not the question itself, as for a follow-up.")
    ] = ""
    images: Annotated[
        tuple[QuestionImage, ...], Field(description="The question's images, and what became of each.")
    ] = ()


class RequestMessage(QuestionMessage):
    """The document's Request: a question with its vector, to be searched for. Queue `search`."""

    embedding: Annotated[
        list[float] | None, Field(description="The question's vector; null: words alone are searched for.")
    ] = None
    vectors: Annotated[
        list[QuestionVector], Field(description="The vector under each model; empty: `embedding` is meant.")
    ] = []


class ResponseMessage(QuestionMessage):
    """The document's Response: a question with what was found for it, best first. Queue `answer`."""

    texts: Annotated[list[str], Field(description="The texts that were found, the best first.")] = []
    result: Annotated[
        SearchResult | None, Field(description="What was found, with its sources; without it `texts` is all there is.")
    ] = None


def read_request(message: Mapping[str, Any]) -> RequestMessage:
    """Return a message of the search queue."""
    return RequestMessage.model_validate(message)


def read_response(message: Mapping[str, Any]) -> ResponseMessage:
    """Return a message of the answer queue."""
    return ResponseMessage.model_validate(message)


def search_message(
    record: AnswerRecord, searched: str, vectors: Sequence[QuestionVector], images: Sequence[QuestionImage]
) -> dict[str, Any]:
    """Return what the search queue is sent: the text to search for, with its vector under each model."""
    first = next((list(item.vector) for item in vectors if item.vector), None)
    sent = RequestMessage(**_head(record, searched, images), embedding=first, vectors=list(vectors))
    return sent.model_dump(mode="json")


def answer_message(
    record: AnswerRecord, searched: str, result: SearchResult, images: Sequence[QuestionImage]
) -> dict[str, Any]:
    """Return what the answer queue is sent: the question with what was found."""
    sent = ResponseMessage(**_head(record, searched, images), texts=result.texts, result=result)
    return sent.model_dump(mode="json")


def searched_text(message: QuestionMessage, record: AnswerRecord) -> str:
    """Return what is searched for: the question, or what it means in its conversation."""
    return message.search_text or record.question.text


def _head(record: AnswerRecord, searched: str, images: Sequence[QuestionImage]) -> dict[str, Any]:
    question = record.question
    return {
        "question_token": record.token,
        "question": question.text,
        "resp_url": question.response_url,
        "search_text": "" if searched == question.text else searched,
        "images": tuple(images),
    }
