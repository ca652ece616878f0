"""What is sent of a file that changes meanwhile, and where an object store sends us."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from starlette.responses import RedirectResponse

from knowledge_base_cli.uploading import FileChanged, MeteredFile, digest
from tests.cli.calling import Kb, write
from tests.cli.deployment import Deployment, form_of


def test_a_file_that_grew_is_sent_as_it_was_announced(tmp_path: Path) -> None:
    log = tmp_path / "growing.log"
    log.write_bytes(b"line 1\nline 2\n")

    with log.open("rb") as stream:
        assert MeteredFile(stream, 7, lambda _count: None).read() == b"line 1\n"
    assert digest(log, 7) == hashlib.sha256(b"line 1\n").hexdigest()


def test_a_file_that_shrank_is_not_sent_as_if_it_were_whole(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_bytes(b"123")

    with pytest.raises(FileChanged):
        digest(tmp_path / "short.txt", 4)


def test_a_meter_tells_how_far_it_is_and_starts_anew_with_the_file() -> None:
    told: list[int] = []
    file = MeteredFile(io.BytesIO(b"abcdef"), 6, told.append)

    assert file.seek(0, io.SEEK_END) == 6
    assert file.seek(0) == 0
    assert [file.read(4), file.read(4), file.read(4)] == [b"abcd", b"ef", b""]
    assert file.tell() == 6
    file.seek(0)
    file.read(1)
    assert told == [4, 6, 6, 1]


def test_a_new_bucket_that_sends_on_to_its_region_gets_the_whole_file_there(
    kb: Kb, deployment: Deployment, tmp_path: Path
) -> None:
    deployment.next_replies["POST bucket"] = [RedirectResponse(deployment.bucket_url, 307)]

    done = kb("ingest", str(write(tmp_path, a="text")), "--kb", "k")

    assert done.exit_code == 0
    assert [form_of(sent)[-1] for sent in deployment.uploaded] == [("file", b"text"), ("file", b"text")]
