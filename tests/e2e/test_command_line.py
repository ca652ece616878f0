"""`kb` against the running stack: files go in, a cited answer comes out, and what is deleted is gone."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.local.stack import RunningStack
from tests.e2e.client import Behind
from tests.e2e.cutting_proxy import cutting_proxy
from tests.e2e.files import KINDS, fact, pdf_file, text_file

KB = Path(sys.executable).parent / "kb"


@dataclass
class Done:
    exit_code: int
    out: str
    err: str

    @property
    def by_name(self) -> dict[str, Any]:
        """The lines that `kb ingest --json` writes, by document."""
        lines = [json.loads(line) for line in self.out.splitlines()]
        return {line["name"]: line for line in lines}


class CommandLine:
    """`kb` as a person of this machine calls it: with the stack's address, and without a key."""

    def __init__(self, stack: RunningStack) -> None:
        settings = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
        self._settings = {**settings, "KB_URL": stack.url, "NO_COLOR": "1"}

    def __call__(self, *arguments: str, seconds: float = 100, **settings: str) -> Done:
        done = subprocess.run(
            [KB, *arguments],
            env={**self._settings, **settings},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def kb(stack: RunningStack) -> CommandLine:
    return CommandLine(stack)


def test_a_folder_is_read_in_asked_cited_and_deleted(kb: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "my documents"
    (folder / "储物柜").mkdir(parents=True)
    (folder / "储物柜" / "第一版 (a).pdf").write_bytes(pdf_file(71))
    (folder / "plain.txt").write_bytes(text_file(72))
    (folder / ".hidden.txt").write_bytes(text_file(73))

    done = kb("ingest", str(folder), "--kb", "command line")
    assert done.exit_code == 0, done.out + done.err
    assert "2 ready" in done.out

    question = "Which code opens the locker of engineer number 71?"
    answer = kb("ask", question, "--kb", "command line")
    assert answer.exit_code == 0, answer.err
    assert fact(71) in answer.out
    assert "储物柜/第一版 (a).pdf, page 2" in answer.out

    assert kb("delete", "储物柜/第一版 (a).pdf", "--kb", "command line", "--yes").exit_code == 0
    gone = kb("ask", question, "--kb", "command line", "--json")
    assert fact(71) not in json.loads(gone.out)["answer"]


def test_a_folder_read_in_again_sends_only_what_changed(kb: CommandLine, tmp_path: Path) -> None:
    for number in (81, 82):
        (tmp_path / f"{number}.txt").write_bytes(text_file(number))
    first = kb("ingest", str(tmp_path), "--kb", "again", "--json").by_name
    (tmp_path / "82.txt").write_bytes(text_file(83))

    second = kb("ingest", str(tmp_path), "--kb", "again", "--json").by_name

    assert {name: line["result"] for name, line in second.items()} == {"81.txt": "unchanged", "82.txt": "ready"}
    assert first["81.txt"]["document_id"] == second["81.txt"]["document_id"]
    answer = kb("ask", "Which code opens the locker of engineer number 83?", "--kb", "again").out
    assert fact(83) in answer
    assert fact(82) not in answer


def test_an_answer_whose_stream_is_cut_comes_whole_all_the_same(
    kb: CommandLine, stack: RunningStack, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_bytes(text_file(97))
    kb("ingest", str(tmp_path), "--kb", "cut")
    question = ("ask", "Which code opens the locker of engineer number 97?", "--kb", "cut", "--json")

    whole = json.loads(kb(*question).out)
    with cutting_proxy(stack.url, request=b"POST /uran/lm/question", reply=b'"content": "') as url:
        cut = json.loads(kb(*question, KB_URL=url).out)

    assert fact(97) in whole["answer"]
    assert cut["answer"] == whole["answer"]
    for source, same in zip(cut["references"], whole["references"], strict=True):
        assert source == {
            **same,
            "score": pytest.approx(same["score"]),
            "similarity": pytest.approx(same["similarity"]),
        }


def test_each_failure_is_told_with_its_reason_and_the_rest_is_ready(kb: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_bytes(text_file(91))
    (tmp_path / "blank.txt").write_text("   \n\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is no PDF")
    (tmp_path / "empty.md").touch()

    done = kb("ingest", str(tmp_path), "--kb", "failures", "--json")

    assert done.exit_code == 1
    results = done.by_name
    assert results["good.txt"]["result"] == "ready"
    for name in ("blank.txt", "broken.pdf", "empty.md"):
        assert results[name]["result"] == "failed", results[name]
        assert results[name]["error"]["code"]
        assert results[name]["error"]["message"]


def test_what_failed_and_was_mended_is_ready_under_the_same_name(kb: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "mended.txt"
    path.write_text("   \n")
    assert kb("ingest", str(path), "--kb", "mended").exit_code == 1

    path.write_bytes(text_file(92))
    done = kb("ingest", str(path), "--kb", "mended", "--json")

    assert (done.exit_code, done.by_name["mended.txt"]["result"]) == (0, "ready")


def test_deleted_content_that_comes_back_is_read_in_again(kb: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "back.txt"
    path.write_bytes(text_file(93))
    assert kb("ingest", str(path), "--kb", "back").exit_code == 0
    assert kb("delete", "back.txt", "--kb", "back", "--yes").exit_code == 0

    assert kb("ingest", str(path), "--kb", "back", "--json").by_name["back.txt"]["result"] == "ready"
    assert fact(93) in kb("ask", "locker of engineer number 93", "--kb", "back").out


def test_a_file_announced_by_a_call_that_was_cut_off_is_taken_in_by_the_next(
    kb: CommandLine, stack: RunningStack, tmp_path: Path
) -> None:
    path = tmp_path / "cut.txt"
    path.write_bytes(text_file(94))
    _announce_only(stack, path, "cut off")

    done = kb("ingest", str(path), "--kb", "cut off", "--json")

    assert (done.exit_code, done.by_name["cut.txt"]["result"]) == (0, "ready"), done.out


def test_thirty_files_of_mixed_kinds_are_all_ready_and_leave_nothing_behind(
    kb: CommandLine, behind: Behind, tmp_path: Path
) -> None:
    for number, (ending, _, make) in enumerate(KINDS * 6, start=200):
        (tmp_path / f"locker {number}.{ending}").write_bytes(make(number))

    done = kb("ingest", str(tmp_path / "*"), "--kb", "thirty", "--json", "--jobs", "8", seconds=115)

    results = done.by_name
    assert {name: line["error"] for name, line in results.items() if line["result"] != "ready"} == {}
    assert len(results) == 30
    behind.wait_until_quiet()


def test_a_document_is_followed_by_its_id(kb: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(text_file(95))
    document_id = kb("ingest", str(tmp_path), "--kb", "status", "--no-wait", "--json").by_name["a.txt"]["document_id"]

    end = time.monotonic() + 30
    while (state := json.loads(kb("status", document_id, "--json").out)["state"]) != "ready":
        assert time.monotonic() < end, state
        time.sleep(0.2)


def test_documents_are_found_by_name_whatever_became_of_them(kb: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "好 a.txt").write_bytes(text_file(96))
    (tmp_path / "blank.txt").write_text("  \n")
    kb("ingest", str(tmp_path), "--kb", "by name")

    named = kb("status", "好 a.txt", "nothing.txt", "--kb", "by name")
    listed = kb("status", "--kb", "by name", "--json")

    assert (named.exit_code, "好 a.txt  ready" in named.out) == (1, True)
    assert named.err == "kb: document not found: nothing.txt\n"
    states = {line["name"]: line["state"] for line in map(json.loads, listed.out.splitlines())}
    assert states == {"好 a.txt": "ready", "blank.txt": "failed"}


def test_the_service_tells_how_it_is(kb: CommandLine, stack: RunningStack) -> None:
    done = kb("status")

    assert done.exit_code == 0
    assert f"{stack.url} is ready" in done.out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("ask", "why?", "--kb", "there is no such"), "not found"),
        (("delete", "nothing.txt", "--kb", "there is no such", "--yes"), "not found"),
        (("status", "there-is-no-such"), "document not found"),
        (("status", "x", "--key", "kb_unknown"), "key"),
    ],
)
def test_what_the_service_refuses_is_one_sentence(kb: CommandLine, arguments: tuple[str, ...], word: str) -> None:
    done = kb(*arguments)

    assert done.exit_code == 1
    assert word in done.err
    assert len(done.err.strip().splitlines()) == 1


def _announce_only(stack: RunningStack, path: Path, knowledge_base: str) -> None:
    """Do what `kb` does before it sends the bytes, and no more."""
    content = path.read_bytes()
    body = {
        "filename": path.name,
        "size": len(content),
        "content_type": "text/plain",
        "sha256": hashlib.sha256(content).hexdigest(),
        "target": {"dialect": "uran", "repository": knowledge_base, "name": path.name},
    }
    headers = {"Authorization": "Bearer local-dev-key"}
    reply = httpx.post(f"{stack.url}/uploads", json=body, headers=headers, trust_env=False, timeout=30)
    assert reply.status_code == 201, reply.text
