"""Read documents: what is known of them, their text, and their content as it came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Document, IngestionState, Version
from knowledge_base.domain.errors import NotYetReadable, ObjectNotFound
from knowledge_base.domain.parsed import ParsedDocument, decode_parsed
from knowledge_base.ports.catalog import Versions
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.services.ingestions import Ingestions

_BEFORE_TEXT = (IngestionState.PENDING, IngestionState.FETCHING, IngestionState.PARSING)


@dataclass(frozen=True, slots=True)
class Content:
    """A version's content as it came in; `pieces` must be read to the end or closed."""

    version: Version
    size: int
    pieces: Iterator[bytes]


class Reading:
    """Gives documents to those who may read them, whatever knowledge base they are in."""

    def __init__(self, *, ingestions: Ingestions, versions: Versions, objects: ObjectStore) -> None:
        self._ingestions = ingestions
        self._versions = versions
        self._objects = objects

    def text(self, caller: Principal, document_id: str, ordinal: int | None = None) -> tuple[Version, ParsedDocument]:
        """Return the parsed text of a version, else of the one that answers now, else of the newest.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            VersionNotFound: it has no such version.
            NotYetReadable: the version has no text; the message says why.
        """
        document, newest = self._ingestions.status(caller, document_id)
        version = self._version(document, newest, ordinal)
        try:
            return version, decode_parsed(self._objects.get(version.key.parsed()))
        except ObjectNotFound:
            raise NotYetReadable(_why_no_text(version)) from None

    def content(self, caller: Principal, document_id: str, ordinal: int | None = None) -> Content:
        """Return the content of a version as it came in, else of the one that answers now, else of the newest.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            VersionNotFound: it has no such version.
            NotYetReadable: the content is not there; the message says why.
        """
        document, newest = self._ingestions.status(caller, document_id)
        version = self._version(document, newest, ordinal)
        opened = ExitStack()
        try:
            size = self._objects.size(version.key.upload())
            pieces = opened.enter_context(self._objects.open(version.key.upload()))
        except ObjectNotFound:
            raise NotYetReadable(_why_no_text(version)) from None
        return Content(version, size, _until_end(opened, pieces))

    def _version(self, document: Document, newest: Version, ordinal: int | None) -> Version:
        wanted = ordinal or document.live_ordinal or newest.ordinal
        return newest if wanted == newest.ordinal else self._versions.get(document.document_id, wanted)


def _why_no_text(version: Version) -> str:
    if version.failure:
        return f"version {version.ordinal} failed: {version.failure.code}: {version.failure.message}"
    if version.state in _BEFORE_TEXT:
        return f"version {version.ordinal} is {version.state.value}: try again later"
    return f"version {version.ordinal} is no longer kept"


def _until_end(opened: ExitStack, pieces: Iterable[bytes]) -> Iterator[bytes]:
    with opened:
        yield from pieces
