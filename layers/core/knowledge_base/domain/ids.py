"""New identifiers."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import uuid


def new_id() -> str:
    """Return a random UUID, for everything that is named in a URL."""
    return str(uuid.uuid4())


def new_token() -> str:
    """Return 192 random bits, URL-safe: for what is secret by being unguessable."""
    return secrets.token_urlsafe(24)


def token_of(tenant: str, user_id: str, name: str) -> str:
    """Return the token for what a user calls by a name: always the same, and no other user's for any name."""
    said = hashlib.sha256(json.dumps([tenant, user_id, name]).encode()).digest()
    return base64.urlsafe_b64encode(said).decode().rstrip("=")


def id_from(text: str) -> str:
    """Return a UUID that is the same for the same text."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, text))
