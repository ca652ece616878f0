"""Talks to a stack as any client of the uran contract would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from httpx_sse import EventSource

from infra.local.failures import StackFailure

DONE = "[DONE]"


@dataclass(slots=True)
class Piece:
    """What one frame of an answer brings."""

    step: str = ""
    text: str = ""
    references: list[dict[str, Any]] = field(default_factory=list)


class Conversation:
    """A client with a key."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=httpx.Timeout(60, read=300), trust_env=False)

    def import_documents(self, documents: list[dict[str, str]], *, repository: str, notify_url: str) -> None:
        """Have documents fetched into a repository.

        Raises:
            StackFailure: the stack refuses.
        """
        body = {"documents": documents, "repository": repository, "notifyUrl": notify_url}
        reply = self._http.post("/uran/lm/documents", json=body)
        if not reply.is_success:
            raise StackFailure(f"the documents were refused: {reply.text}")

    def ask(self, question: str, *, repository: str) -> Iterator[Piece]:
        """Ask, and yield the answer's pieces as they come.

        Raises:
            StackFailure: the answer failed; the message is the stack's own.
        """
        with self._http.stream("POST", "/uran/lm/question", json=question_body(question, repository)) as reply:
            if not reply.is_success:
                raise StackFailure(f"the question was refused: {reply.read().decode()}")
            for event in EventSource(reply).iter_sse():
                if event.data != DONE:
                    yield _piece(json.loads(event.data))


def question_body(question: str, repository: str) -> dict[str, Any]:
    """Return the body of `POST /uran/lm/question`."""
    return {
        "messages": [{"role": "user", "content": question}],
        "repository": {"name": repository, "threshold": 0, "topK": 5},
        "maxTokens": 512,
        "temperature": 0,
        "model": "any",
    }


def _piece(frame: dict[str, Any]) -> Piece:
    if "error" in frame:
        raise StackFailure(f"the answer failed: {frame['error'].get('message')}")
    delta = frame["choices"][0]["delta"]
    return Piece(delta.get("step", ""), delta.get("content", ""), frame.get("references", []))
