"""Wait until a document can be searched."""

from __future__ import annotations

from knowledge_base_client import errors
from knowledge_base_client.core import Core, exchange, path
from knowledge_base_client.editions import Document, edition_of
from knowledge_base_client.steps import Call, Flow, Pause

FIRST_LOOK = 0.1
LONGEST_PAUSE = 2.0


def wait_until_ready(core: Core, document_id: str, *, timeout: float = 600.0) -> Flow[Document]:
    """Return a document once its newest version can be searched; looks at ever longer intervals, up to 2 seconds.

    Raises:
        IngestionFailed: it cannot be.
        IngestionUnfinished: it is not ready after `timeout` seconds.
    """
    until = core.clock() + timeout
    pause = FIRST_LOOK
    while True:
        reply = yield from exchange(core, Call("GET", path("documents", document_id), repeatable=True))
        document = edition_of(Document, reply)
        if document.status == "ready":
            return document
        if document.status == "failed":
            raise _failure(document)
        if core.clock() + pause > until:
            raise errors.IngestionUnfinished(document_id, document.status)
        yield Pause(pause)
        pause = min(LONGEST_PAUSE, pause * 1.5)


def _failure(document: Document) -> errors.IngestionFailed:
    code, reason = (document.error.code, document.error.message) if document.error else ("failed", "it says no reason")
    return errors.IngestionFailed(document.document_id, code, reason)
