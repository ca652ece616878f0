"""Which deployment is spoken to, and that a key goes nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from knowledge_base_cli.connection import LOCAL_KEY, LOCAL_URL, connection
from knowledge_base_cli.errors import WrongUse
from tests.cli.calling import Kb
from tests.cli.deployment import KEY, Deployment
from tests.unit.local.serving import serving


@pytest.mark.parametrize(
    "url", [None, "http://127.0.0.1:8001", "http://localhost:8000/", "http://[::1]:8000", "http://127.8.9.1"]
)
def test_this_machine_needs_no_key(url: str | None) -> None:
    assert connection(url, None).key == LOCAL_KEY


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "http://10.0.0.5:8000",
        "http://0.0.0.0:8000",
        "http://2130706433",
        "http://0x7f.1",
        "http://[::ffff:10.0.0.1]",
        "https://xn--lcalhost-54a.org",
    ],
)
@pytest.mark.parametrize("key", [None, "", "  "])
def test_the_local_key_is_never_meant_for_another_host(url: str, key: str | None) -> None:
    with pytest.raises(WrongUse, match="KB_KEY"):
        connection(url, key)


def test_without_a_url_it_is_the_stack_on_this_machine() -> None:
    assert connection(None, None).url == LOCAL_URL == "http://127.0.0.1:8000"


def test_a_path_before_the_routes_is_kept() -> None:
    assert connection("https://api.example.org/v1/", "k").url == "https://api.example.org/v1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org",
        "https://",
        "http://u:secret@example.org",
        "http://h/?a=b",
        "http://h:port",
    ],
)
def test_what_is_no_address_is_wrong_use(url: str) -> None:
    with pytest.raises(WrongUse):
        connection(url, "k")


def test_a_key_with_a_line_break_in_it_is_wrong_use() -> None:
    with pytest.raises(WrongUse):
        connection(None, "one\ntwo")


def test_a_key_is_shown_nowhere() -> None:
    assert "secret-key" not in repr(connection("https://example.org", "secret-key"))


def test_a_stack_on_this_machine_is_reached_past_a_proxy(
    kb: Kb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    (tmp_path / "a.txt").write_text("text")

    assert kb("status").exit_code == 0
    assert kb("ingest", str(tmp_path), "--kb", "k").exit_code == 0


def test_a_redirect_is_told_and_the_key_does_not_follow_it(tmp_path: Path) -> None:
    reached: list[Request] = []

    async def elsewhere(request: Request) -> Response:
        reached.append(request)
        return Response('{"status": "ok"}')

    with serving(Starlette(routes=[Route("/{rest:path}", elsewhere)])) as port:

        async def moved(_request: Request) -> Response:
            return RedirectResponse(f"http://127.0.0.1:{port}/health")

        with serving(Starlette(routes=[Route("/{rest:path}", moved)])) as first:
            done = Kb(f"http://127.0.0.1:{first}")("status")

    assert done.exit_code == 1
    assert f"http://127.0.0.1:{port}" in done.err
    assert reached == []


def test_options_behind_the_command_go_before_those_in_front_and_the_environment(
    deployment: Deployment, kb: Kb
) -> None:
    wrong = "http://127.0.0.1:9"

    assert kb("status", KB_URL=wrong).exit_code == 1
    assert kb("--url", deployment.url, "status", KB_URL=wrong).exit_code == 0
    assert kb("--url", wrong, "status", "--url", deployment.url, KB_URL=wrong).exit_code == 0
    assert kb("--key", "wrong", "status", "id-1", "--key", KEY).err.count("document not found") == 1
    assert "not known" in kb("--key", "wrong", "status", "id-1").err


def test_where_nothing_listens_it_says_so_in_one_sentence() -> None:
    done = Kb("http://127.0.0.1:9")("status")

    assert done.exit_code == 1
    assert done.err.startswith("kb: http://127.0.0.1:9 cannot be reached: ")
    assert "make up" in done.err
    assert "Traceback" not in done.err


def test_a_host_without_an_address_is_told_by_name() -> None:
    done = Kb("https://knowledge-base.invalid")("status")

    assert done.exit_code == 1
    assert "https://knowledge-base.invalid cannot be reached" in done.err


def test_something_else_that_answers_is_not_taken_for_a_knowledge_base(tmp_path: Path) -> None:
    async def page(_request: Request) -> Response:
        return Response("<html>Welcome to nginx!</html>", media_type="text/html")

    (tmp_path / "a.txt").write_text("text")
    with serving(Starlette(routes=[Route("/{rest:path}", page)])) as port:
        for arguments in (["status"], ["ingest", str(tmp_path), "--kb", "k"], ["ask", "why?", "--kb", "k"]):
            done = Kb(f"http://127.0.0.1:{port}")(*arguments)
            assert done.exit_code == 1
            assert len(done.err.strip().splitlines()) == 1
            assert done.out == "" or "not uploaded" in done.out
