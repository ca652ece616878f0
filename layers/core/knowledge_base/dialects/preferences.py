"""What a caller would like, and need not get (RFC 7240)."""

from __future__ import annotations

import re
from collections.abc import Mapping

LONGEST_WAIT = 25
"""Seconds: API Gateway gives up after 29."""

_WAIT = re.compile(r"\s*wait\s*=\s*\"?([0-9]{1,6})\"?\s*(?:;.*)?", re.IGNORECASE)


def wanted_wait(headers: Mapping[str, str]) -> int:
    """Return for how many seconds `Prefer: wait=N` would have an upload waited for, 0 without it.

    A preference that cannot be read is passed over, as the RFC has it.
    """
    waits = (_WAIT.fullmatch(preference) for preference in headers.get("prefer", "").split(","))
    return next((min(LONGEST_WAIT, int(found[1])) for found in waits if found), 0)
