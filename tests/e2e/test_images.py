"""Images in questions on the running stack: seen where a model sees, told where none does or none can be had."""

from __future__ import annotations

import base64

import pytest

from infra.local.stack import RunningStack
from tests.e2e.client import Answer, Client
from tests.e2e.outside import Outside
from tests.e2e.talking import TalkingModel
from tests.pictures import png

READING, SEARCHING, COMPOSING = "正在解析图片内容", "正在检索知识库", "正在组织解决方案"
UNREADABLE, NOT_ANALYSED = "图片无法读取", "图片内容未被分析"


@pytest.fixture
def url(outside: Outside) -> str:
    return outside.page("火灾 现场.png", png(), "png")["url"]


def data_url(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def look(client: Client, *images: object, repository: str | None = None) -> Answer:
    messages = [{"role": "user", "content": "请帮我描述下这个图片里的内容", "images": image} for image in images]
    return client.ask("", repository, messages=messages)


@pytest.mark.parametrize("form", ["one URL", "a list"])
def test_a_model_that_sees_is_given_the_image(talking: RunningStack, model: TalkingModel, url: str, form: str) -> None:
    model.pieces = ("火灾", "发生")
    answer = look(Client(talking), url if form == "one URL" else [url])
    assert (answer.text, answer.steps, answer.done) == ("火灾发生", [READING, COMPOSING], True)
    assert model.images() == [data_url(png())]


def test_images_of_all_turns_are_given_and_what_cannot_be_had_is_told(
    talking: RunningStack, model: TalkingModel, outside: Outside, url: str
) -> None:
    client, gone = Client(talking), f"http://{outside.host}/gone.png"
    answer = look(client, [url, gone], outside.page("two.png", png(2), "png")["url"], "http://169.254.169.254/a.png")
    told = [step for step in answer.steps if step.startswith(UNREADABLE)]
    assert len(told) == 2
    assert gone in told[0]
    assert "404" in told[0]
    assert "169.254.169.254" in told[1]
    assert model.images() == [data_url(png()), data_url(png(2))]
    stored = client.stored_answer(answer.token)
    assert [image["state"] for image in stored["trace"]["images"]] == ["given", "unreadable", "given", "unreadable"]
    assert stored["degraded"] == ["images"]


def test_what_an_image_shows_is_searched_for_in_the_repository(
    talking: RunningStack, model: TalkingModel, outside: Outside, url: str
) -> None:
    client = Client(talking)
    client.import_documents(
        [outside.page("tower.txt", b"Fire on the tower: call 119.", "txt")], "塔", outside.notify_url
    )
    outside.wait_for({"tower.txt"}, seconds=60)
    model.pieces = ("Fire on the tower [1].",)
    answer = look(client, url, repository="塔")
    assert answer.steps == [READING, SEARCHING, COMPOSING]
    assert [reference["name"] for reference in answer.references] == ["tower.txt"]
    assert "Fire on the tower" in client.stored_answer(answer.token)["trace"]["searched"]


def test_without_a_model_the_stream_the_end_and_the_trace_say_that_nobody_looked(
    client: Client, outside: Outside, url: str
) -> None:
    client.import_documents([outside.page("seen.txt", b"A fire needs air.", "txt")], "seen", outside.notify_url)
    outside.wait_for({"seen.txt"}, seconds=60)
    answer = look(client, url, repository="seen")
    assert [step.partition("：")[0] for step in answer.steps] == [READING, NOT_ANALYSED, SEARCHING, COMPOSING]
    stored = client.stored_answer(answer.token)
    assert [image["state"] for image in stored["trace"]["images"]] == ["not_analysed"]
    assert "KB_LLM_ENDPOINTS" in stored["trace"]["images"][0]["detail"]
    assert stored["degraded"] == ["images"]
