"""Every test of the client runs on both faces."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client.service import Service, face


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture(params=["blocking", "awaiting"])
def kb(request: pytest.FixtureRequest, service: Service) -> Any:
    return face(request.param, service)
