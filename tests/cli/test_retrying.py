"""When a request is sent once more, and how long is waited before."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from knowledge_base_cli.retrying import Patience, asked_wait, with_patience

QUICK = Patience(tries=4, first=0.001, longest=0.002)
Step = int | tuple[int, str] | Exception


class Script:
    """Answers as it was told to, one step for each try; the last step stays."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.tries = 0
        self.waits: list[float] = []

    async def send(self) -> httpx.Response:
        step = self._steps[min(self.tries, len(self._steps) - 1)]
        self.tries += 1
        if isinstance(step, Exception):
            raise step
        status, asked = step if isinstance(step, tuple) else (step, None)
        return httpx.Response(status, headers={} if asked is None else {"Retry-After": asked})

    def run(self, *, repeatable: bool, patience: Patience = QUICK) -> int:
        def note(seconds: float, _why: str) -> None:
            self.waits.append(seconds)

        sent = with_patience(self.send, repeatable=repeatable, patience=patience, note=note)
        return asyncio.run(sent).status_code


@pytest.mark.parametrize("repeatable", [True, False])
@pytest.mark.parametrize("busy", [429, 503])
def test_a_busy_service_is_asked_until_it_has_time(busy: int, repeatable: bool) -> None:
    script = Script((busy, "0"), busy, 200)

    assert script.run(repeatable=repeatable) == 200
    assert script.tries == 3


@pytest.mark.parametrize("status", [500, 502, 504])
def test_an_error_that_may_pass_is_worth_another_try_only_of_what_can_be_repeated(status: int) -> None:
    assert Script(status, 200).run(repeatable=True) == 200
    assert Script(status, 200).run(repeatable=False) == status


@pytest.mark.parametrize("status", [200, 201, 204, 301, 400, 401, 403, 404, 409, 413, 422])
def test_any_other_reply_is_final(status: int) -> None:
    script = Script(status, 200)

    assert script.run(repeatable=True) == status
    assert script.tries == 1


def test_a_connection_that_was_never_made_is_tried_again_in_any_case() -> None:
    for error in (httpx.ConnectError("refused"), httpx.ConnectTimeout("slow")):
        assert Script(error, error, 200).run(repeatable=False) == 200


def test_a_connection_that_broke_after_sending_is_tried_again_only_for_what_can_be_repeated() -> None:
    for error in (httpx.ReadError("reset"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")):
        assert Script(error, 200).run(repeatable=True) == 200
        with pytest.raises(type(error)):
            Script(error, 200).run(repeatable=False)


@pytest.mark.parametrize(
    "error", [httpx.UnsupportedProtocol("?"), httpx.LocalProtocolError("?"), httpx.ProxyError("?")]
)
def test_an_error_of_our_own_making_is_not_tried_again(error: httpx.TransportError) -> None:
    script = Script(error, 200)

    with pytest.raises(type(error)):
        script.run(repeatable=True)
    assert script.tries == 1


def test_it_gives_up_after_so_many_tries_with_the_last_reply_or_error() -> None:
    busy, broken = Script(503), Script(httpx.ConnectError("refused"))

    assert busy.run(repeatable=True) == 503
    with pytest.raises(httpx.ConnectError):
        broken.run(repeatable=True)
    assert (busy.tries, broken.tries) == (4, 4)


def test_waits_grow_up_to_a_limit_and_are_spread() -> None:
    patience = Patience(first=1, longest=8)

    waits = [[patience.wait(tried) for tried in range(1, 7)] for _ in range(50)]

    for most, seen in zip([1, 2, 4, 8, 8, 8], zip(*waits, strict=True), strict=True):
        assert 0.75 * most <= min(seen) < max(seen) <= 1.25 * most


def test_what_the_service_asks_for_goes_before_our_own_waits() -> None:
    script = Script((503, "0"), 200)

    script.run(repeatable=True, patience=Patience(first=1000))

    assert script.waits == [0.0]


def test_a_service_that_asks_for_too_long_is_not_waited_for() -> None:
    script = Script((503, "3600"), 200)

    assert script.run(repeatable=True) == 503
    assert script.tries == 1


def test_a_wait_is_asked_for_in_seconds_or_by_date() -> None:
    def asked(value: str) -> float:
        return asked_wait(httpx.Response(503, headers={"Retry-After": value}))

    soon = datetime.now(UTC) + timedelta(seconds=30)
    assert asked("7") == 7.0
    assert 25 < asked(format_datetime(soon, usegmt=True)) <= 30
    assert asked("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert asked("soon") == 1.0
    assert asked("-5") >= 0
