"""A chat model outside the stack that sees images, says what a test wants, as slowly as it wants, or fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_openai import Exchange, Request, scripted_openai

MODEL = {"id": "talking", "capabilities": {"vision": True}, "max_model_len": 32_000}


@dataclass
class TalkingModel:
    """What it says to every chat, and how; `chats` are the requests it got."""

    base_url: str = ""
    pieces: Sequence[str] = ("Well. ",)
    pause: float = 0.0
    is_down: bool = False
    chats: list[Request] = field(default_factory=list)

    def answer(self, exchange: Exchange) -> None:
        """Answer one request."""
        if exchange.request.path.endswith("/models"):
            exchange.reply(200, {"object": "list", "data": [MODEL]})
            return
        self.chats.append(exchange.request)
        if self.is_down:
            exchange.reply(503, {"error": {"message": "down"}})
            return
        exchange.begin_stream()
        for piece in self.pieces:
            exchange.say(piece)
            exchange.stopping.wait(self.pause)
        exchange.finish()

    def images(self) -> list[str]:
        """Return the URLs of the images in the latest chat."""
        parts: list[Any] = [message["content"] for message in self.chats[-1].body["messages"]]
        shown = [part for content in parts if isinstance(content, list) for part in content]
        return [part["image_url"]["url"] for part in shown if part["type"] == "image_url"]


@contextmanager
def talking_model() -> Iterator[TalkingModel]:
    """Run the model as long as the context lasts."""
    with scripted_openai() as server:
        model = TalkingModel(server.base_url)
        server.usually = model.answer
        yield model
