"""How long each kind of work may take before somebody looks after it. All figures are seconds."""

from __future__ import annotations

from datetime import datetime

SILENCE = 180
"""An ingestion that has not moved for this long is looked after by the sweep; longer than any stage may take."""

RESUMES = 2
"""How often the sweep starts a silent ingestion again; after three silences it is failed, within 10 minutes."""

QUESTION = 300
"""An answer that has not ended by then is ended as failed."""

PUBLISH_LEASE = 75
"""How long a publisher may write: longer than the function's timeout of 60, so that it cannot be overtaken alive."""

UPLOAD = 3600
"""How long an upload form is good for, and an announced file is waited for."""

EMBEDDER = 480
"""How long an ingestion waits for an embedder that does not answer or says that it is busy, since its last step."""

SUBSCRIPTION = 120
"""When the sweep checks that the end of an ingestion has been told."""

PURGE_GRACE = 600
"""How long replaced and removed chunks stay for questions that are under way: twice the question's own limit."""


def due_in(seconds: float, now: datetime) -> int:
    """Return the second since the epoch that lies `seconds` after `now`."""
    return int(now.timestamp() + seconds)
