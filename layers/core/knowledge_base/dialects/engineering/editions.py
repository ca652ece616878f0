"""ETags: which edition of a document a caller has seen (RFC 9110, sections 8.8.3 and 13.1.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from knowledge_base.domain.documents import Document
from knowledge_base.domain.errors import InvalidInput

_TAG = re.compile(r'(?P<weak>W/)?"(?P<opaque>[\x21\x23-\x7e\x80-\xff]*)"')
_LIST = re.compile(rf"\s*(?:{_TAG.pattern.replace('?P<weak>', '?:').replace('?P<opaque>', '?:')}\s*(?:,\s*|$))+")


def tag_of(document: Document) -> dict[str, str]:
    """Return the header that names a document's edition; where its ingestion stands is no part of it."""
    return {"ETag": f'"{document.edition}"'}


def editions_of(headers: Mapping[str, str]) -> frozenset[int] | None:
    """Return the editions that `If-Match` names; None: any will do.

    A weak tag matches nothing, nor does one that is not ours.

    Raises:
        InvalidInput: the header is not of its form.
    """
    given = headers.get("if-match")
    if given is None or given.strip() == "*":
        return None
    if not _LIST.fullmatch(given):
        raise InvalidInput('If-Match must be "*" or a list of ETags, each in double quotes', field="If-Match")
    tags = [found for found in _TAG.finditer(given) if not found["weak"]]
    return frozenset(int(found["opaque"]) for found in tags if re.fullmatch(r"[0-9]{1,15}", found["opaque"]))
