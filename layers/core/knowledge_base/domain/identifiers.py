"""The parts of names as programmers join them: `getUserName` is about a user and a name."""

from __future__ import annotations

import re

BOUNDARY = "(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z]{2})"
"""Between the parts of a name: `user|Name`, `HTTP|Server`, `sha256|Hash`; `PDFs` and `GHz` have none.

Understood alike by Python and Java, since an index in OpenSearch finds the parts by itself.
"""

_BOUNDARY = re.compile(BOUNDARY)
_RUN = re.compile("[A-Za-z0-9\x80-\U0010ffff]+")


def part_identifiers(text: str) -> str:
    """Return a text in which the parts of each identifier stand behind it; without any, the text itself."""
    if not _BOUNDARY.search(text):
        return text
    return _RUN.sub(_with_parts, text)


def _with_parts(run: re.Match[str]) -> str:
    parts = _BOUNDARY.split(run[0])
    return run[0] if len(parts) == 1 else " ".join((run[0], *parts))
