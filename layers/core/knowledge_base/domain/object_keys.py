"""The names of objects in the documents bucket: `{stage}/{tenant}/{document_id}/{ordinal}[/{batch}]`.

Writing under `uploads/` sets parse going, under `parsed/` chunk, and batch 0 under `chunks/` embed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from knowledge_base.domain.errors import InvalidInput

INTAKES = "intakes"

IMAGES = "messages/images/"
"""Where images are kept that travel beside a message, as long as large messages are: the lifecycle deletes both."""

ANSWERS = "messages/answers/"
"""Where answers are kept that are too long for a delivery, as long as deliveries are."""

UPLOADS, PARSED, FINGERPRINTS, CHUNKS, VECTORS = "uploads", "parsed", "fingerprints", "chunks", "vectors"


@dataclass(frozen=True, slots=True)
class VersionKey:
    """Which version an object belongs to; everything else about the file is in the catalog."""

    tenant: str
    document_id: str
    ordinal: int

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> VersionKey:
        """Return the version that a message made by `as_message` is about.

        Raises:
            InvalidInput: it was not made by that.
        """
        tenant, document_id, ordinal = (message.get(name) for name in ("tenant", "document_id", "ordinal"))
        if not isinstance(tenant, str) or not isinstance(document_id, str) or not isinstance(ordinal, int):
            raise InvalidInput("the message names no version")
        return cls(tenant, document_id, ordinal)

    def as_message(self) -> dict[str, Any]:
        """Return what a message says that is about this version."""
        return asdict(self)

    def at(self, ordinal: int) -> VersionKey:
        """Return the key of another version of the document."""
        return replace(self, ordinal=ordinal)

    def upload(self) -> str:
        """The key of the content as it came in."""
        return self._under(UPLOADS)

    def parsed(self) -> str:
        """The key of the parsed document."""
        return self._under(PARSED)

    def fingerprints(self) -> str:
        """The key of the fingerprints of all chunks."""
        return self._under(FINGERPRINTS)

    def chunks(self, batch: int) -> str:
        """The key of one batch of chunks; batches count from 0."""
        return f"{self._under(CHUNKS)}/{batch:05d}"

    def vectors(self, batch: int) -> str:
        """The key of one batch of chunks with their vectors."""
        return f"{self._under(VECTORS)}/{batch:05d}"

    def partial_vectors(self, batch: int) -> str:
        """The key of what is embedded so far of a batch that takes longer than a function may."""
        return f"{self.vectors(batch)}.partial"

    def _under(self, stage: str) -> str:
        return f"{stage}/{self.tenant}/{self.document_id}/{self.ordinal}"


def intake_key(tenant: str, intake_id: str) -> str:
    """Return the key of the list of documents that one call has sent."""
    return f"{INTAKES}/{tenant}/{intake_id}"


def parse_key(key: str) -> tuple[VersionKey, int]:
    """Return the version that an object's key names, and its batch (0 where it has none).

    Raises:
        InvalidInput: the key has not the form of this module.
    """
    parts = key.split("/")
    if len(parts) not in (4, 5) or not all(part.isascii() and part.isdigit() for part in parts[3:]):
        raise InvalidInput("not a key of the pipeline")
    batch = int(parts[4]) if len(parts) == 5 else 0
    return VersionKey(parts[1], parts[2], int(parts[3])), batch


def document_prefixes(tenant: str, document_id: str) -> list[str]:
    """Return the prefixes under which everything of a document is stored."""
    return [f"{stage}/{tenant}/{document_id}/" for stage in (UPLOADS, PARSED, FINGERPRINTS, CHUNKS, VECTORS)]


def key_of_image(token: str, place: int) -> str:
    """Return the key of a question's image, by its place in the question."""
    return f"{IMAGES}{token}/{place}"


def key_of_answer(token: str) -> str:
    """Return the key of an answer's text that is to be posted."""
    return f"{ANSWERS}{token}"


def is_image_of(token: str, key: str) -> bool:
    """Tell whether a key that a message names is that of an image of this question, and of nothing else."""
    return key.startswith(f"{IMAGES}{token}/") and ".." not in key
