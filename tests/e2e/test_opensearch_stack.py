"""The same main path with a real OpenSearch as the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.local.ports import free_port
from infra.local.stack import running_stack
from tests.e2e.client import Client
from tests.e2e.files import fact, pdf_file, text_file
from tests.e2e.outside import Outside


@pytest.mark.timeout(240)
def test_documents_are_found_replaced_and_deleted_in_opensearch(
    opensearch_url: str, outside: Outside, tmp_path: Path
) -> None:
    settings = {
        "KB_PORT": str(free_port()),
        "KB_FETCH_ALLOW_HOSTS": outside.host,
        "KB_INDEX": "opensearch",
        "KB_OPENSEARCH_URL": opensearch_url,
    }
    with running_stack(tmp_path, settings) as stack:
        client = Client(stack)
        client.import_documents([outside.page("os.pdf", pdf_file(81), "pdf")], "opensearch", outside.notify_url)
        outside.wait_for({"os.pdf"}, seconds=60)
        answer = client.ask("Which code opens the locker of engineer number 81?", "opensearch")
        assert fact(81) in answer.text
        assert answer.references[0]["page"] == 2

        replacement = outside.page("os.pdf", text_file(82), "txt")
        client.import_documents([replacement], "opensearch", outside.notify_url)
        outside.wait_for_version("os.pdf", replacement["md5"], seconds=60)
        assert fact(81) not in client.ask("Which code opens the locker of engineer number 81?", "opensearch").text
        assert fact(82) in client.ask("Which code opens the locker of engineer number 82?", "opensearch").text

        client.delete_document("os.pdf", "opensearch")
        assert client.ask("Which code opens the locker of engineer number 82?", "opensearch").references == []
