"""The connection to an OpenSearch cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from knowledge_base.domain.errors import IndexUnavailable

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

SECONDS = 10
"""How long one request may take; those that may take longer say so."""

TRIES = 3
BUSY = frozenset({429, 502, 503, 504})
CONNECTIONS = 16


class Cluster:
    """Makes the client on first use; the library is imported no earlier.

    A cluster behind `https` without a name and a password in its URL is one of AWS: requests are signed.
    """

    def __init__(self, url: str, region: str) -> None:
        self._url = url
        self._region = region

    @contextmanager
    def asked(self) -> Iterator[OpenSearch]:
        """Yield the client; what it raises becomes `IndexUnavailable`, whose text says nothing of the cluster."""
        from opensearchpy.exceptions import OpenSearchException

        try:
            yield self._client
        except OpenSearchException as error:
            raise IndexUnavailable("the vector index does not answer") from error

    @cached_property
    def _client(self) -> OpenSearch:
        from opensearchpy import OpenSearch, Urllib3HttpConnection

        options: dict[str, Any] = {"http_auth": self._signer()} if self._is_signed() else {}
        return OpenSearch(
            self._url,
            connection_class=Urllib3HttpConnection,
            timeout=SECONDS,
            max_retries=TRIES - 1,
            retry_on_timeout=True,  # safe: every request here may be repeated
            retry_on_status=BUSY,
            pool_maxsize=CONNECTIONS,
            http_compress=False,
            **options,
        )

    def _is_signed(self) -> bool:
        url = urlsplit(self._url)
        return url.scheme == "https" and not url.username

    def _signer(self) -> object:
        from botocore.session import get_session
        from opensearchpy import Urllib3AWSV4SignerAuth

        return Urllib3AWSV4SignerAuth(get_session().get_credentials(), self._region)
