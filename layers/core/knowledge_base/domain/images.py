"""Images that belong to a question, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST_IMAGES = 16
"""In one question, all turns together."""

MOST_BYTES = 10 * 1024 * 1024
"""Of one image."""

MOST_BYTES_TOGETHER = 20 * 1024 * 1024
"""Of all images of a question: they travel to the model in one request, a third longer as Base64."""

IMAGES_UNSEEN = "images"
"""In `degraded`: at least one image of the question has not been analysed."""


class ImageState(StrEnum):
    """What became of an image."""

    GIVEN = "given"
    NOT_ANALYSED = "not_analysed"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class QuestionImage:
    """An image by the URL that the question gives; `detail` says why it was not analysed, or how sure that is.

    `stored_at` is the key of the object that holds its content, while it is on its way to the model.
    """

    url: str
    state: ImageState
    detail: str = ""
    media_type: str = ""
    size: int = 0
    stored_at: str = ""


def are_given(images: Sequence[QuestionImage]) -> bool:
    """Tell whether at least one image is there for a model to look at."""
    return any(image.state is ImageState.GIVEN for image in images)


def media_type_of(content: bytes) -> str | None:
    """Return the type of an image as its first bytes tell it, of those that vision models take; None of any other.

    Signatures: PNG (RFC 2083), JPEG (ISO 10918-1), GIF87a and GIF89a, WebP (RFC 9649).
    """
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None
