"""A typed client of the knowledge base: store documents, search them, ask them."""

from knowledge_base_client.answering import (
    AnswerEvent,
    AnswerFinished,
    AnswerStarted,
    QuestionAccepted,
    SourceFound,
    StepReached,
    TextDelta,
)
from knowledge_base_client.awaiting import AsyncKnowledgeBase
from knowledge_base_client.blocking import KnowledgeBase
from knowledge_base_client.editions import Document, Stored
from knowledge_base_client.errors import (
    AnswerFailed,
    Busy,
    Conflict,
    EditionMismatch,
    IngestionFailed,
    IngestionUnfinished,
    InvalidRequest,
    KnowledgeBaseError,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    Refused,
    ServiceFailed,
    StreamBroken,
    TooLarge,
    UnexpectedReply,
    Unreachable,
    WrongUse,
)
from knowledge_base_client.models.engineering import AnswerView as Answer
from knowledge_base_client.models.engineering import (
    Filters,
    GivenMetadata,
    RelatedDocument,
    Result,
    SearchView,
    Source,
    Turn,
)
from knowledge_base_client.parsed_text import ParsedText, Span
from knowledge_base_client.retrying import Patience

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerEvent",
    "AnswerFailed",
    "AnswerFinished",
    "AnswerStarted",
    "AsyncKnowledgeBase",
    "Busy",
    "Conflict",
    "Document",
    "EditionMismatch",
    "Filters",
    "GivenMetadata",
    "IngestionFailed",
    "IngestionUnfinished",
    "InvalidRequest",
    "KnowledgeBase",
    "KnowledgeBaseError",
    "NotAuthenticated",
    "NotFound",
    "NotPermitted",
    "ParsedText",
    "Patience",
    "QuestionAccepted",
    "Refused",
    "RelatedDocument",
    "Result",
    "SearchView",
    "ServiceFailed",
    "Source",
    "SourceFound",
    "Span",
    "StepReached",
    "Stored",
    "StreamBroken",
    "TextDelta",
    "TooLarge",
    "Turn",
    "UnexpectedReply",
    "Unreachable",
    "WrongUse",
]
