"""Every error that the client raises; none of them holds the key.

KnowledgeBaseError
├── WrongUse
├── Unreachable
├── UnexpectedReply
├── IngestionFailed
├── IngestionUnfinished
├── AnswerFailed
├── StreamBroken
└── Refused
    ├── InvalidRequest      400, 422
    ├── NotAuthenticated    401
    ├── NotPermitted        403
    ├── NotFound            404
    ├── Conflict            409
    ├── EditionMismatch     412
    ├── TooLarge            413
    ├── Busy                429, 503
    └── ServiceFailed       any other from 500
"""

from __future__ import annotations


class KnowledgeBaseError(Exception):
    """The root."""


class WrongUse(KnowledgeBaseError):
    """The call cannot be made as it is; nothing was sent."""


class Unreachable(KnowledgeBaseError):
    """The service does not answer, or the connection keeps breaking."""


class UnexpectedReply(KnowledgeBaseError):
    """The service answered in a form that this version of the client does not know."""


class IngestionFailed(KnowledgeBaseError):
    """A document was stored, but cannot be searched: `code` and `reason` say why."""

    def __init__(self, document_id: str, code: str, reason: str) -> None:
        super().__init__(f"document {document_id} failed: {reason} ({code})")
        self.document_id = document_id
        self.code = code
        self.reason = reason


class IngestionUnfinished(KnowledgeBaseError):
    """A document was not ready in the time that was waited; it goes on becoming so."""

    def __init__(self, document_id: str, status: str) -> None:
        super().__init__(f"document {document_id} is still {status}")
        self.document_id = document_id
        self.status = status


class AnswerFailed(KnowledgeBaseError):
    """An answer ended without being complete; its `code` may also be `cancelled`."""

    def __init__(self, token: str, code: str, reason: str) -> None:
        super().__init__(f"the answer failed: {reason} ({code})")
        self.token = token
        self.code = code
        self.reason = reason


class StreamBroken(KnowledgeBaseError):
    """An answer's stream broke off and could not be taken up again; `token` still names the answer."""

    def __init__(self, token: str) -> None:
        super().__init__("the stream of the answer broke off and could not be taken up again")
        self.token = token


class Refused(KnowledgeBaseError):
    """The service answered with an error: `status` is HTTP's, `code` its own word, `detail` words for people."""

    def __init__(self, status: int, code: str, detail: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{detail} ({status} {code})")
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
        """The seconds after which the service wants to be asked again, if it says so."""


class InvalidRequest(Refused):
    """Something in the request is not as it must be."""


class NotAuthenticated(Refused):
    """The key is unknown, expired or revoked."""


class NotPermitted(Refused):
    """The caller may read this, but not do that with it."""


class NotFound(Refused):
    """It is not there, or the caller may not read it."""


class Conflict(Refused):
    """It is not in a state that allows this."""


class EditionMismatch(Refused):
    """Somebody else has changed the document since the edition that was given; read it again."""


class TooLarge(Refused):
    """The content is larger than the service takes."""


class Busy(Refused):
    """The service has too much to do or lacks a part for now, also after several tries."""


class ServiceFailed(Refused):
    """The service failed."""
