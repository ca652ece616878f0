"""Documents of all sorts go in: by form, many at once, beside files that must not be read, and with sidecars."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.client import Behind, Client
from tests.e2e.files import fact, pdf_file

MANY = 200


def test_an_uploaded_file_is_read_listed_and_known_again(client: Client) -> None:
    content = pdf_file(61)
    document_id = client.upload("柜子.pdf", content, "uploads")
    ready = client.wait_for_end(document_id)
    assert (ready["state"], ready["error"], ready["chunks_done"]) == ("ready", None, ready["chunk_count"])
    assert client.upload("柜子.pdf", content, "uploads") == document_id
    assert [item["name"] for item in client.ingestions("uploads")] == ["柜子.pdf"]


def test_the_text_of_a_document_is_the_one_that_its_citations_point_into(client: Client) -> None:
    content = pdf_file(62)
    document_id = client.upload("text.pdf", content, "texts")
    client.wait_for_end(document_id)
    text = client.http.get(f"/documents/{document_id}/text").text
    assert fact(62) in text
    answer = client.ask("Which code opens the locker of engineer number 62?", "texts")
    for reference in client.stored_answer(answer.token)["references"]:
        assert text[reference["start"] : reference["end"]] == reference["quote"]
    assert client.http.get(f"/documents/{document_id}/content").content == content


@pytest.mark.timeout(300)
def test_two_hundred_documents_at_once_all_end_and_the_index_has_their_chunks(client: Client, behind: Behind) -> None:
    def upload(number: int) -> str:
        return client.upload(f"many-{number}.txt", f"{fact(number)} ".encode() * (1 + number % 5), "many")

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(upload, range(MANY)))) == MANY
    _until(lambda: all(item["state"] in ("ready", "failed") for item in client.ingestions("many")), seconds=240)
    ended = list(client.ingestions("many"))
    assert [item["state"] for item in ended] == ["ready"] * MANY
    assert behind.live_chunks("many") == sum(item["chunk_count"] for item in ended)
    behind.wait_until_quiet()


def test_a_small_document_does_not_wait_for_files_that_take_as_long_as_they_may(client: Client) -> None:
    slow = [client.upload(f"slow-{number}.pdf", endless_pdf(number), "beside") for number in range(2)]
    bomb = client.upload("bomb.docx", docx_bomb(300), "beside")
    small = client.upload("small.txt", fact(63).encode(), "beside")
    assert client.wait_for_end(small)["state"] == "ready"
    assert "ready" not in {client.ingestion(document_id)["state"] for document_id in slow}
    for document_id in (*slow, bomb):
        ended = client.wait_for_end(document_id, seconds=90)
        assert (ended["state"], ended["error"]["code"]) == ("failed", "too_complex")


def test_a_sidecar_gives_a_dropped_file_its_title(client: Client, behind: Behind) -> None:
    key = "default/described/柜子.txt"
    said = {"metadataAttributes": {"title": "Lockers", "tags": ["keys"], "floor": 3}}
    behind.s3.put_object(Bucket=behind.drops, Key=key, Body=fact(64).encode())
    behind.s3.put_object(Bucket=behind.drops, Key=f"{key}.metadata.json", Body=json.dumps(said).encode())

    def metadata() -> dict[str, object]:
        page = client.http.get("/ingestions", params={"repository": "described", "name": "柜子.txt"}).json()
        if not page.get("ingestions"):
            return {}
        document_id = page["ingestions"][0]["document_id"]
        found: dict[str, object] = client.http.get(f"/documents/{document_id}").json()["metadata"]
        return found

    _until(lambda: metadata().get("title") == "Lockers")
    assert (metadata()["tags"], metadata()["floor"]) == (["keys"], 3)


def docx_bomb(megabytes: int) -> bytes:
    """A small file whose main part unpacks to so many megabytes."""
    paragraph = "<w:p><w:r><w:t>again and again</w:t></w:r></w:p>"
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = paragraph * (megabytes * 1024 * 1024 // len(paragraph))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>')
    return stream.getvalue()


def endless_pdf(number: int, depth: int = 40) -> bytes:
    """A page whose form draws another twice, which draws another twice, and so on: a trillion lines of text."""
    forms = b"<</XObject<</F %d 0 R>>/Font<</A 4 0 R>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 5 0 R/Resources %s>>" % (forms % 6),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        _stream(b"", b"/F Do"),
        *(
            _stream(b"/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Resources %s" % (forms % (at + 1)), b"/F Do /F Do")
            for at in range(6, 6 + depth)
        ),
        _stream(
            b"/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Resources<</Font<</A 4 0 R>>>>", b"BT /A 9 Tf (x) Tj ET"
        ),
    ]
    body, places = b"%%PDF-1.4 %d\n" % number, []
    for at, written in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (at, written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    return body + head + table + tail


def _stream(dictionary: bytes, content: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (dictionary, len(content), content)


def _until(holds: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.3)
