"""Whether content is what its sender says it is."""

from __future__ import annotations

import hashlib
import re

from knowledge_base.domain.documents import FailureCode, Source
from knowledge_base.domain.errors import IngestionFailed

_MD5 = re.compile(r"[0-9a-fA-F]{32}")


def is_md5(identity: str) -> bool:
    """Tell whether a caller's identity for content is an md5 that the content can be verified against."""
    return _MD5.fullmatch(identity) is not None


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of content, in lower-case hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def verify(content: bytes, source: Source) -> None:
    """Compare content with every checksum that its source gives.

    Raises:
        IngestionFailed: it does not match one of them.
    """
    if is_md5(source.md5) and hashlib.md5(content, usedforsecurity=False).hexdigest() != source.md5.lower():
        raise IngestionFailed(FailureCode.CHECKSUM_MISMATCH, "the content does not match its md5")
    if source.sha256 and sha256_of(content) != source.sha256.lower():
        raise IngestionFailed(FailureCode.CHECKSUM_MISMATCH, "the content does not match its sha256")
