"""Fetch a version's content from its URL."""

from __future__ import annotations

from knowledge_base.domain.checksums import verify
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import AddressNotAllowed, DownloadFailed, IngestionFailed, PayloadTooLarge
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.web import Download, Web
from knowledge_base.services.ingestion.endings import Endings
from knowledge_base.services.ingestion.stage import StageEntry


class Fetching:
    """Downloads under guard, verifies the checksum, and puts the content where parsing starts."""

    def __init__(self, *, entry: StageEntry, endings: Endings, objects: ObjectStore, web: Web, max_bytes: int) -> None:
        self._entry = entry
        self._endings = endings
        self._objects = objects
        self._web = web
        self._max_bytes = max_bytes

    def fetch(self, key: VersionKey) -> None:
        """Fetch one version; a URL that does not answer is worth the queue's next try.

        Raises:
            DownloadFailed: the URL could not be read this time.
        """
        version = self._entry.enter(key, IngestionState.FETCHING, after={IngestionState.PENDING})
        if version is None:
            return
        try:
            download = self._download(version)
            verify(download.content, version.source)
        except IngestionFailed as failure:
            self._endings.fail(version, failure.code, failure.message)
            return
        except DownloadFailed as error:
            self._entry.note_error(version, str(error))
            raise
        self._objects.put(key.upload(), download.content)

    def _download(self, version: Version) -> Download:
        try:
            return self._web.download(version.source.url, max_size=self._max_bytes)
        except AddressNotAllowed as error:
            raise IngestionFailed(FailureCode.FETCH_FAILED, str(error)) from error
        except PayloadTooLarge as error:
            raise IngestionFailed(FailureCode.TOO_LARGE, str(error)) from error
        except DownloadFailed as error:
            if error.final:
                raise IngestionFailed(FailureCode.FETCH_FAILED, str(error)) from error
            raise
