"""Every error the product raises on purpose: facts, without HTTP status.

KnowledgeBaseError
├── NotFound
│   ├── KnowledgeBaseNotFound
│   ├── DocumentNotFound
│   ├── VersionNotFound
│   ├── ChunkNotFound
│   ├── AnswerNotFound
│   ├── KeyNotFound
│   ├── DeadLetterNotFound
│   ├── DeliveryNotFound
│   └── ObjectNotFound
├── Refused
│   ├── NotAuthenticated
│   ├── NotPermitted
│   ├── InvalidInput
│   ├── PayloadTooLarge
│   │   └── TooLargeInline
│   ├── AddressNotAllowed
│   └── NotConfigured
├── Conflict
│   ├── NameTaken
│   ├── StaleState
│   ├── EditionMismatch
│   ├── NotYetReadable
│   ├── AnswerNotEnded
│   ├── AnsweredAlready
│   ├── TokenTaken
│   └── VectorSizeMismatch
├── Unavailable
│   ├── EmbedderUnavailable
│   ├── ChatUnavailable
│   │   ├── ChatRefused
│   │   └── ImagesRefused
│   ├── RerankerUnavailable
│   ├── IndexUnavailable
│   └── Overloaded
├── DownloadFailed
├── EmbeddingRefused
└── IngestionFailed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knowledge_base.domain.documents import FailureCode


class KnowledgeBaseError(Exception):
    """The root of all errors raised on purpose; its text is safe to show to a caller."""


class NotFound(KnowledgeBaseError):
    """Something named by the caller does not exist for this caller."""


class KnowledgeBaseNotFound(NotFound):
    """No knowledge base has this id or name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"knowledge base not found: {name}")
        self.name = name


class DocumentNotFound(NotFound):
    """No document has this id or name, or the caller may not know of it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"document not found: {name}")
        self.name = name


class ChunkNotFound(NotFound):
    """What searches find of a document has no chunk of this number."""


class VersionNotFound(NotFound):
    """The document has no version with this ordinal."""

    def __init__(self, document_id: str, ordinal: int) -> None:
        super().__init__(f"document {document_id} has no version {ordinal}")


class AnswerNotFound(NotFound):
    """No answer has this token, or it belongs to somebody else."""

    def __init__(self, token: str) -> None:
        super().__init__(f"answer not found: {token}")


class KeyNotFound(NotFound):
    """No API key has this id."""

    def __init__(self, key_id: str) -> None:
        super().__init__(f"key not found: {key_id}")


class DeadLetterNotFound(NotFound):
    """No dead letter has this id."""

    def __init__(self, dead_letter_id: str) -> None:
        super().__init__(f"dead letter not found: {dead_letter_id}")


class DeliveryNotFound(NotFound):
    """No delivery has this id."""

    def __init__(self, delivery_id: str) -> None:
        super().__init__(f"delivery not found: {delivery_id}")


class ObjectNotFound(NotFound):
    """The object store holds nothing under this key."""

    def __init__(self, key: str) -> None:
        super().__init__("stored object not found")
        self.key = key


class Refused(KnowledgeBaseError):
    """The request itself cannot be accepted."""


class NotAuthenticated(Refused):
    """The credentials are missing, unknown, expired or revoked."""


class NotPermitted(Refused):
    """The caller is known but may not do this."""


class InvalidInput(Refused):
    """A field of the request is missing or wrong; `field` names it where there is one."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class PayloadTooLarge(Refused):
    """The content is larger than the limit in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"content is larger than {limit} bytes")
        self.limit = limit


class TooLargeInline(PayloadTooLarge):
    """The content is larger than a request may carry, and can be uploaded all the same."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.args = (f"{self.args[0]}: announce it by POST /uploads and send it there",)


class AddressNotAllowed(Refused):
    """The URL's scheme, host or resolved address may not be contacted."""


class NotConfigured(Refused):
    """The deployment lacks a setting that this request needs."""

    def __init__(self, setting: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the setting {setting}")
        self.setting = setting


class Conflict(KnowledgeBaseError):
    """The stored state forbids this change now."""


class NameTaken(Conflict):
    """Another knowledge base of the tenant has this name."""


class StaleState(Conflict):
    """Somebody else changed the record first: read it again and decide anew."""


class EditionMismatch(Conflict):
    """The document is not in the edition that the caller's change is meant for."""

    def __init__(self, document_id: str, edition: int) -> None:
        super().__init__(f"document {document_id} has been changed meanwhile: it is in edition {edition} now")
        self.edition = edition


class NotYetReadable(Conflict):
    """The document has no content, or no text, to be read: not yet, or its ingestion has failed."""


class AnswerNotEnded(Conflict):
    """The answer is still being written."""

    def __init__(self, token: str) -> None:
        super().__init__(f"answer has not ended yet: {token}")


class AnsweredAlready(Conflict):
    """Another text is being written for this answer, or it has ended."""

    def __init__(self, token: str) -> None:
        super().__init__(f"answer has begun or ended already: {token}")


class TokenTaken(Conflict):
    """The caller has given another question this token."""

    def __init__(self, token: str) -> None:
        super().__init__(f"another question has this token: {token}")


class VectorSizeMismatch(Conflict):
    """A vector has not the number of dimensions of its index."""

    def __init__(self, *, expected: int, got: int) -> None:
        super().__init__(f"vector has {got} dimensions, the index has {expected}")


class Unavailable(KnowledgeBaseError):
    """A part this request needs does not answer now; trying again later may succeed."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class EmbedderUnavailable(Unavailable):
    """No embedding endpoint answers."""


class ChatUnavailable(Unavailable):
    """No chat endpoint answers."""


class ChatRefused(ChatUnavailable):
    """The chat endpoint does not take a request, as one that is too long for it; it may take others."""


class ImagesRefused(ChatUnavailable):
    """The chat endpoint does not take the images of a request; without them it may answer."""


class RerankerUnavailable(Unavailable):
    """No reranking endpoint answers."""


class IndexUnavailable(Unavailable):
    """The vector index does not answer."""


class Overloaded(Unavailable):
    """Too much work is waiting."""


class DownloadFailed(KnowledgeBaseError):
    """A URL could not be read: unreachable, refused, too slow, or an error status.

    `final` says that another try would end the same, as after a 404.
    """

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class EmbeddingRefused(KnowledgeBaseError):
    """An embedding endpoint answered, but with a refusal or with unusable vectors."""


class IngestionFailed(KnowledgeBaseError):
    """A version cannot be ingested, whatever is tried: it ends as failed with this code."""

    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
