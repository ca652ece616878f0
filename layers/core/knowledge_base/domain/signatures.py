"""Webhook signatures as the Standard Webhooks specification 1.0.0 has them (standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets as randomness
from collections.abc import Sequence

_PREFIX = "whsec_"
_KEY_BYTES = 32


def new_secret() -> str:
    """Return a new signing secret: 32 random bytes, written as `whsec_` and base64."""
    return _PREFIX + base64.b64encode(randomness.token_bytes(_KEY_BYTES)).decode()


def sign(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove a body to a receiver who holds any one of the secrets.

    `timestamp` is the second since the epoch of this try; the id stays the same on every try.

    Raises:
        ValueError: a secret is not `whsec_` with base64 behind it.
    """
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not key or not secret.startswith(_PREFIX):
        raise ValueError("a webhook secret is whsec_ with base64 behind it")
    return key
