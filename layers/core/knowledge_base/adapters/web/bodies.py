"""Reading response bodies in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from http.client import HTTPException, HTTPResponse

from knowledge_base.domain.errors import DownloadFailed, PayloadTooLarge

_PIECE = 64 * 1024
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32


def read_body(response: HTTPResponse, max_size: int) -> bytes:
    """Return the body, decoded where the server compressed it although it was asked not to.

    Raises:
        PayloadTooLarge: it has more than `max_size` bytes, as sent or decoded.
        DownloadFailed: its encoding is not known, or not what it is said to be.
        ConnectionAbortedError: it ends too early.
    """
    if (response.length or 0) > max_size:
        raise PayloadTooLarge(max_size)
    body = bytearray()
    for piece in _decoded(response, _pieces(response)):
        body += piece
        if len(body) > max_size:
            raise PayloadTooLarge(max_size)
    return bytes(body)


def read_start(response: HTTPResponse, size: int) -> bytes:
    """Return at most the first `size` bytes of the body, as sent; fewer where it breaks off."""
    body = bytearray()
    try:
        for piece in _pieces(response):
            body += piece
            if len(body) >= size:
                break
    except (OSError, ValueError, HTTPException):
        pass  # the status has come, which is what counts
    return bytes(body[:size])


def _pieces(response: HTTPResponse) -> Iterator[bytes]:
    while piece := response.read(_PIECE):
        yield piece
    if response.length:
        raise ConnectionAbortedError


def _decoded(response: HTTPResponse, pieces: Iterable[bytes]) -> Iterator[bytes]:
    encoding = (response.headers.get("Content-Encoding") or "identity").strip().lower()
    if encoding == "identity":
        return iter(pieces)
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _inflated(pieces)
    raise DownloadFailed("the server compressed the content in a way that was not asked for", final=True)


def _inflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Inflate piece by piece, never more than a piece at once: a bomb is noticed before it is in memory."""
    inflater = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        for piece in pieces:
            rest, out = piece, b""
            while rest or len(out) == _PIECE:
                out = inflater.decompress(rest, _PIECE)
                rest = inflater.unconsumed_tail
                yield out
    except zlib.error:
        raise DownloadFailed("the content is not compressed as the server says", final=True) from None
    if not inflater.eof:
        raise ConnectionAbortedError
