"""`kb ingest`, over real sockets, to a deployment of the test's own."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from knowledge_base_cli.documents import MOST_BYTES
from tests.cli.calling import Kb, write
from tests.cli.deployment import KEY, Deployment, form_of


def test_a_folder_becomes_documents_and_all_are_ready(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    (tmp_path / "leave policies").mkdir()
    write(tmp_path, rules="Rules.")
    write(tmp_path / "leave policies", 病假="病假规定。")

    done = kb("ingest", str(tmp_path), "--kb", "handbook")

    assert done.exit_code == 0, done.err
    assert deployment.named("rules.txt").content == b"Rules."
    assert deployment.named("leave policies/病假.txt").content == "病假规定。".encode()
    assert "2 ready" in done.out


def test_what_is_announced_is_what_is_sent(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    content = b"%PDF-1.7\r\n\x00\xff--binary"
    (tmp_path / "a b.pdf").write_bytes(content)

    kb("ingest", str(tmp_path / "a b.pdf"), "--kb", "handbook")

    announced = deployment.called("POST", "/uploads")[0].json
    assert announced == {
        "filename": "a b.pdf",
        "size": len(content),
        "content_type": "application/pdf",
        "sha256": hashlib.sha256(content).hexdigest(),
        "target": {"dialect": "uran", "repository": "handbook", "name": "a b.pdf"},
    }
    assert form_of(deployment.uploaded[0])[-1] == ("file", content)


def test_the_object_store_gets_the_fields_before_the_file_and_never_the_key(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    kb("ingest", str(write(tmp_path, a="text")), "--kb", "handbook")

    sent = deployment.uploaded[0]
    assert [name for name, _ in form_of(sent)] == ["key", "policy", "file"]
    assert "authorization" not in sent.headers
    assert KEY not in str(sent.headers) + sent.body.decode()
    assert int(sent.headers["content-length"]) == len(sent.body)


def test_content_that_is_there_already_is_unchanged_and_not_sent_again(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    folder = str(write(tmp_path, a="text", b="other"))
    kb("ingest", folder, "--kb", "handbook")
    write(tmp_path, b="changed")

    done = kb("ingest", folder, "--kb", "handbook", "--json")

    assert {line["name"]: line["result"] for line in done.lines} == {"a.txt": "unchanged", "b.txt": "ready"}
    assert done.exit_code == 0
    assert len(deployment.uploaded) == 3


def test_each_file_is_one_line_of_json(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    deployment.failures["b.txt"] = ("corrupt", "the file is damaged")

    done = kb("ingest", str(write(tmp_path, a="1", b="2")), "--kb", "handbook", "--json")

    lines = {line["name"]: line for line in done.lines}
    ready, failed = lines["a.txt"], lines["b.txt"]
    assert ready == {
        "name": "a.txt",
        "path": str(tmp_path / "a.txt"),
        "size": 1,
        "document_id": deployment.named("a.txt").document_id,
        "result": "ready",
        "chunk_count": 3,
        "error": None,
    }
    assert failed["error"] == {"code": "corrupt", "message": "the file is damaged"}
    assert done.exit_code == 1


def test_a_file_of_exactly_the_limit_is_sent(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    with (tmp_path / "large.bin").open("wb") as large:
        large.truncate(MOST_BYTES)

    assert kb("ingest", str(tmp_path), "--kb", "handbook").exit_code == 0
    assert len(deployment.named("large.bin").content or b"") == MOST_BYTES


def test_a_dry_run_shows_what_would_be_sent_and_speaks_to_nobody(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    done = kb("ingest", str(write(tmp_path, a="text", b="more")), "--kb", "handbook", "--dry-run")

    assert done.exit_code == 0
    assert "a.txt" in done.out
    assert "2 of 2 files would be uploaded, 8 bytes" in done.out
    assert deployment.seen == []


def test_a_dry_run_needs_no_key(kb: Kb, tmp_path: Path) -> None:
    done = kb("ingest", str(write(tmp_path, a="x")), "--kb", "k", "--dry-run", KB_URL="https://example.org", KB_KEY="")

    assert done.exit_code == 0


def test_without_waiting_it_ends_when_the_bytes_are_there(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    deployment.stuck = True

    done = kb("ingest", str(write(tmp_path, a="text")), "--kb", "handbook", "--no-wait", "--json")

    assert done.exit_code == 0
    assert [(line["result"], line["document_id"]) for line in done.lines] == [("uploaded", "id-1")]
    assert deployment.called("GET", "/ingestions/id-1") == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_uploads_run_at_a_time_than_wanted(kb: Kb, deployment: Deployment, tmp_path: Path, jobs: int) -> None:
    write(tmp_path, **{f"file{number}": str(number) for number in range(12)})

    kb("ingest", str(tmp_path), "--kb", "handbook", "--jobs", str(jobs))

    assert len(deployment.uploaded) == 12
    assert deployment.most_at_once <= jobs


def test_a_known_document_that_is_still_on_its_way_is_waited_for(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    folder = str(write(tmp_path, a="1"))
    kb("ingest", folder, "--kb", "handbook", "--no-wait")

    done = kb("ingest", folder, "--kb", "handbook", "--json")

    assert done.lines[0]["result"] == "unchanged"
    assert len(deployment.called("GET", "/ingestions/id-1")) == 4


def test_nothing_moves_on_a_screen_that_is_none(kb: Kb, tmp_path: Path) -> None:
    done = kb("ingest", str(write(tmp_path, a="1")), "--kb", "handbook")

    assert done.err == ""
    assert "\x1b" not in done.out


def test_a_long_name_is_not_broken_where_there_is_no_terminal(kb: Kb, tmp_path: Path) -> None:
    name = "a very long name " * 10
    write(tmp_path, **{name: "text"})

    assert f"{name}.txt" in kb("ingest", str(tmp_path), "--kb", "handbook").out


def test_a_name_cannot_steer_the_terminal(kb: Kb, tmp_path: Path) -> None:
    write(tmp_path, **{"evil\x1b[2J\x9b31m\u202e": "text"})

    done = kb("ingest", str(tmp_path), "--kb", "handbook")

    assert not {"\x1b", "\x9b", "\u202e"} & set(done.out)


def test_of_many_files_only_the_failed_ones_are_listed(kb: Kb, deployment: Deployment, tmp_path: Path) -> None:
    write(tmp_path, **{f"file{number}": str(number) for number in range(40)})
    deployment.failures["file7.txt"] = ("corrupt", "the file is damaged")

    done = kb("ingest", str(tmp_path), "--kb", "handbook", "--jobs", "8")

    assert "file7.txt" in done.out
    assert "file8.txt" not in done.out
    assert "1 failed, 39 ready" in done.out
