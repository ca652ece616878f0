"""`kb ingest` where files, the service or the object store make trouble: one file's does not become all files'."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.responses import Response

from knowledge_base_cli import ingesting
from knowledge_base_cli.documents import MOST_BYTES
from knowledge_base_cli.ingesting import Pace
from tests.cli.calling import Kb, write
from tests.cli.deployment import Deployment, bucket_error, error, form_of


def test_a_document_that_fails_is_told_with_code_and_reason(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    deployment.failures["scan.txt"] = ("no_text", "the file holds no text, only images")

    done = kb("ingest", str(write(tmp_path, scan="x", good="y")), "--kb", "handbook")

    assert done.exit_code == 1
    assert "no_text: the file holds no text, only images" in done.out
    assert "1 failed, 1 ready" in done.out


def test_a_file_over_the_limit_and_an_empty_one_are_refused_before_anything_is_sent(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    with (tmp_path / "huge.pdf").open("wb") as huge:
        huge.truncate(MOST_BYTES + 1)
    (tmp_path / "empty.txt").touch()

    done = kb("ingest", str(tmp_path), "--kb", "handbook", "--json")

    assert {line["name"]: line["error"]["code"] for line in done.lines} == {
        "huge.pdf": "too_large",
        "empty.txt": "empty",
    }
    assert "50 MB" in next(line for line in done.lines if line["name"] == "huge.pdf")["error"]["message"]
    assert deployment.called("POST", "/uploads") == []
    assert done.exit_code == 1


def test_a_busy_service_is_asked_again_when_it_says_so(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    deployment.next_replies["POST /uploads"] = [
        error(429, "overloaded", "too many requests", Retry_After="0"),
        error(503, "overloaded", "too many requests", Retry_After="0"),
    ]

    done = kb("ingest", str(write(tmp_path, a="text")), "--kb", "handbook")

    assert done.exit_code == 0
    assert len(deployment.called("POST", "/uploads")) == 3


def test_an_object_store_that_stumbles_is_given_the_whole_file_again(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    slow_down = bucket_error(503, "SlowDown", "Please reduce your request rate.")
    slow_down.headers["Retry-After"] = "0"
    deployment.next_replies["POST bucket"] = [slow_down]

    done = kb("ingest", str(write(tmp_path, a="text")), "--kb", "handbook")

    assert done.exit_code == 0
    assert [form_of(sent)[-1] for sent in deployment.uploaded] == [("file", b"text"), ("file", b"text")]


def test_what_the_object_store_refuses_is_told_in_its_words_and_the_others_go_on(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    deployment.next_replies["POST bucket"] = [bucket_error(403, "AccessDenied", "Policy expired.")]

    done = kb("ingest", str(write(tmp_path, a="1", b="2")), "--kb", "handbook", "--jobs", "1", "--json")

    results = {line["name"]: line for line in done.lines}
    assert results["a.txt"]["error"]["code"] == "upload_refused"
    assert "Policy expired. (AccessDenied)" in results["a.txt"]["error"]["message"]
    assert results["b.txt"]["result"] == "ready"


def test_one_refused_announcement_does_not_keep_the_others_out(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    deployment.next_replies["POST /uploads"] = [error(400, "invalid_input", "target.name: too long")]

    done = kb("ingest", str(write(tmp_path, a="1", b="2")), "--kb", "handbook", "--json")

    assert sorted(line["result"] for line in done.lines) == ["failed", "ready"]
    assert done.exit_code == 1


def test_a_refused_key_ends_everything_at_once_in_one_sentence(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    write(tmp_path, **{f"file{number}": str(number) for number in range(30)})

    done = kb("ingest", str(tmp_path), "--kb", "handbook", "--key", "wrong")

    assert done.exit_code == 1
    assert "kb: this key is not known" in done.err
    assert "30 not uploaded" in done.out
    assert len(deployment.called("POST", "/uploads")) <= 4


def test_a_deployment_without_uploads_is_told_once(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    missing = [error(404, "route_not_found", "no such route: /uploads") for _ in range(8)]
    deployment.next_replies["POST /uploads"] = list[Response](missing)

    done = kb("ingest", str(write(tmp_path, a="1", b="2")), "--kb", "handbook")

    assert done.exit_code == 1
    assert done.err.count("no such route: /uploads") == 1


def test_a_document_that_is_deleted_meanwhile_has_failed(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    deployment.next_replies["GET /ingestions/id-1"] = [error(404, "document_not_found", "document not found: id-1")]

    done = kb("ingest", str(write(tmp_path, a="1")), "--kb", "handbook", "--json")

    assert done.lines[0]["error"]["code"] == "removed"


def test_an_ingestion_that_never_moves_is_given_up(
    kb: Kb, deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingesting, "Pace", lambda: Pace(first=0.01, longest=0.02, patience=0.1))
    deployment.stuck = True

    done = kb("ingest", str(write(tmp_path, a="1")), "--kb", "handbook", "--json")

    assert done.lines[0]["error"]["code"] == "no_progress"
    assert done.exit_code == 1


@pytest.mark.parametrize("arguments", [("nowhere",), ("*.nothing",), (".",)])
def test_nothing_to_take_in_is_wrong_use(
    kb: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)

    done = kb("ingest", *arguments, "--kb", "handbook")

    assert done.exit_code == 2
    assert done.err.startswith("kb: ")


def test_a_file_that_vanishes_before_its_turn_has_failed(
    kb: Kb, deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a="1", b="2")
    health = Response('{"status": "ok"}', media_type="application/json")

    class Vanishing(list[Response]):
        def pop(self, *_: object) -> Response:  # type: ignore[override]
            (tmp_path / "a.txt").unlink()
            self.clear()
            return health

    deployment.next_replies["GET /health"] = Vanishing([health])

    done = kb("ingest", str(tmp_path), "--kb", "handbook", "--json")

    results = {line["name"]: line for line in done.lines}
    assert results["a.txt"]["error"]["code"] == "unreadable"
    assert results["b.txt"]["result"] == "ready"
