"""`kb status` and `kb delete`."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge_base_cli.commands import delete
from tests.cli.calling import Kb
from tests.cli.deployment import Deployment, uran_error


@pytest.fixture
def filled(kb: Kb, deployment: Deployment, tmp_path: Path) -> Deployment:
    for name in ("a.txt", "储物柜 b.txt", "scan.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    deployment.failures["scan.txt"] = ("no_text", "the file holds only images")
    kb("ingest", str(tmp_path), "--kb", "handbook")
    return deployment


def test_a_ready_service_is_told_with_its_parts(kb: Kb, deployment: Deployment) -> None:
    done = kb("status")

    assert done.exit_code == 0
    assert done.out.splitlines() == [f"{deployment.url} is ready", "  catalog: answers", "  queues: answers"]


def test_a_service_that_is_not_ready_is_an_error_that_names_the_part(kb: Kb, deployment: Deployment) -> None:
    deployment.parts["queues"] = False

    done = kb("status")

    assert done.exit_code == 1
    assert "is not ready" in done.out
    assert "queues: no answer" in done.out


def test_the_state_of_the_service_is_json_for_programs(kb: Kb, deployment: Deployment) -> None:
    assert kb("status", "--json").lines == [{"url": deployment.url, "status": "ready", "parts": deployment.parts}]


def test_a_document_is_told_with_state_chunks_and_reason(kb: Kb, filled: Deployment) -> None:
    scan, good = filled.named("scan.txt"), filled.named("储物柜 b.txt")

    done = kb("status", good.document_id, scan.document_id)

    assert done.exit_code == 1
    assert "储物柜 b.txt  ready" in done.out
    assert "3 chunks" in done.out
    assert "scan.txt  failed" in done.out
    assert "no_text: the file holds only images" in done.out


def test_a_document_on_its_way_is_told_with_its_progress(kb: Kb, filled: Deployment) -> None:
    filled.named("a.txt").looks = 2

    done = kb("status", filled.named("a.txt").document_id)

    assert done.exit_code == 0
    assert "embedding, 60%" in done.out


def test_an_unknown_id_is_told_and_the_others_still_shown(kb: Kb, filled: Deployment) -> None:
    done = kb("status", "nope/..", filled.named("a.txt").document_id, "--json")

    assert done.exit_code == 1
    assert [line["state"] for line in done.lines] == ["unknown", "ready"]
    assert done.err == "kb: document not found: nope/..\n"


def test_documents_are_found_by_their_names(kb: Kb, filled: Deployment) -> None:
    done = kb("status", "储物柜 b.txt", "nope.txt", "--kb", "handbook")

    assert done.exit_code == 1
    assert "储物柜 b.txt  ready" in done.out
    assert done.err == "kb: document not found: nope.txt\n"


def test_a_name_that_is_not_there_is_json_as_well(kb: Kb, filled: Deployment) -> None:
    lines = kb("status", "nope.txt", "a.txt", "--kb", "handbook", "--json").lines

    assert [(line["name"], line["state"]) for line in lines] == [("nope.txt", "unknown"), ("a.txt", "ready")]


def test_documents_of_an_unknown_knowledge_base_are_one_error(kb: Kb, filled: Deployment) -> None:
    for names in ((), ("a.txt", "scan.txt")):
        assert kb("status", *names, "--kb", "nope").err == "kb: knowledge base not found: nope\n"


def test_all_documents_of_a_knowledge_base_are_shown_page_by_page(kb: Kb, filled: Deployment) -> None:
    lines = kb("status", "--kb", "handbook", "--json").lines

    assert {line["name"]: line["state"] for line in lines} == {
        "a.txt": "ready",
        "scan.txt": "failed",
        "储物柜 b.txt": "ready",
    }


def test_documents_are_deleted_by_name(kb: Kb, filled: Deployment) -> None:
    done = kb("delete", "a.txt", "储物柜 b.txt", "--kb", "handbook", "--yes")

    assert done.exit_code == 0
    assert [document.name for document in filled.documents.values()] == ["scan.txt"]
    assert done.out.splitlines() == ["deleted a.txt", "deleted 储物柜 b.txt"]


def test_a_name_that_is_not_there_is_told_and_the_others_are_deleted(kb: Kb, filled: Deployment) -> None:
    done = kb("delete", "a.txt", "nope.txt", "--kb", "handbook", "--yes", "--json")

    assert done.exit_code == 1
    assert done.lines == [
        {"name": "a.txt", "result": "deleted"},
        {"name": "nope.txt", "result": "not_found"},
    ]


def test_when_none_of_the_names_is_there_each_is_told(kb: Kb, filled: Deployment) -> None:
    done = kb("delete", "x.txt", "y.txt", "--kb", "handbook", "--yes")

    assert done.exit_code == 1
    assert len(done.err.splitlines()) == 2
    assert "Traceback" not in done.err


def test_an_unknown_knowledge_base_is_told(kb: Kb, filled: Deployment) -> None:
    filled.next_replies["DELETE /uran/lm/documents"] = [uran_error(404, "knowledge base not found: nope")]

    assert kb("delete", "a.txt", "--kb", "nope", "--yes").err == "kb: knowledge base not found: nope\n"


def test_more_names_than_one_call_takes_go_in_several(
    kb: Kb, filled: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delete, "MOST_AT_ONCE", 2)

    assert kb("delete", "a.txt", "储物柜 b.txt", "scan.txt", "--kb", "handbook", "--yes").exit_code == 0
    assert [len(call.json["documents"]) for call in filled.called("DELETE", "/uran/lm/documents")] == [2, 1]


def test_a_deletion_is_not_sent_twice_when_its_reply_is_lost(kb: Kb, filled: Deployment) -> None:
    filled.next_replies["DELETE /uran/lm/documents"] = [uran_error(502, "the function failed")]

    done = kb("delete", "a.txt", "--kb", "handbook", "--yes")

    assert done.exit_code == 1
    assert len(filled.called("DELETE", "/uran/lm/documents")) == 1


def test_nothing_is_deleted_where_nobody_can_be_asked(kb: Kb, filled: Deployment) -> None:
    done = kb("delete", "a.txt", "--kb", "handbook", typed="y\n")

    assert done.exit_code == 2
    assert "--yes" in done.err
    assert filled.called("DELETE", "/uran/lm/documents") == []
