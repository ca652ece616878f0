"""A deployment to speak to, and `kb` to speak with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge_base_cli import ingesting
from knowledge_base_cli.ingesting import Pace
from tests.cli.calling import Kb
from tests.cli.deployment import Deployment, deployed


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    with deployed() as made:
        yield made


@pytest.fixture
def kb(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Kb:
    """`kb` for a deployment that may be looked at as often as one likes."""
    monkeypatch.setattr(ingesting, "Pace", lambda: Pace(first=0.01, longest=0.05, a_second=1000))
    return Kb(deployment.url)
