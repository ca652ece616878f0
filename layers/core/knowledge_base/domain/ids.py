"""New identifiers."""

from __future__ import annotations

import secrets
import uuid


def new_id() -> str:
    """Return a random UUID, for everything that is named in a URL."""
    return str(uuid.uuid4())


def new_token() -> str:
    """Return 192 random bits, URL-safe: for what is secret by being unguessable."""
    return secrets.token_urlsafe(24)
