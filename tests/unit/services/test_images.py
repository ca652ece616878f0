"""Images of a question: fetched under guard, given to a model that sees, and never dropped without a word."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from knowledge_base.domain.answers import Answer, AnswerRecord, Message, Question, Step, StepReached
from knowledge_base.domain.errors import AddressNotAllowed, ImagesRefused
from knowledge_base.domain.images import MOST_BYTES, MOST_BYTES_TOGETHER, ImageState, media_type_of
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.models import Capabilities, ChatMessage
from knowledge_base.ports.queues import Queue
from tests.builders import FACT
from tests.fakes import FakeChat
from tests.pictures import GIF, JPEG, WEBP, png
from tests.world import World

URL, OTHER = "https://images.example/fire.png", "https://images.example/gauge.png"
SEES, BLIND = Capabilities(sees_images=True), Capabilities(sees_images=False)


class RefusingChat(FakeChat):
    """Refuses whatever carries an image, and answers the rest."""

    def stream(self, messages: Sequence[ChatMessage], **options: Any) -> Iterator[str]:
        if any(message.images for message in messages):
            self.asked.append(messages)
            raise ImagesRefused("the chat endpoint refused the request (status 400)")
        yield from super().stream(messages, **options)


def ask(world: World, *turns: Message, kb_ids: tuple[str, ...] = (), **changes: Any) -> AnswerRecord:
    turns = turns or (Message("user", "What is this?", (URL,)),)
    record = world.container.questions.ask(world.caller, Dialect.URAN, Question(turns, kb_ids, **changes))
    world.run()
    return record


def answer(world: World, record: AnswerRecord) -> Answer:
    return world.container.answers.get(world.caller, record.token)


def steps(world: World, record: AnswerRecord) -> list[StepReached]:
    events = [logged.event for logged in world.stores.answers.read(record.token)]
    return [event for event in events if isinstance(event, StepReached)]


def fates(world: World, record: AnswerRecord) -> list[tuple[str, ImageState]]:
    traces = [trace.images for trace in world.stores.answers.notes(record.token) if trace.images]
    return [(image.url, image.state) for image in traces[-1]]


def data_url(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def chat_of(world: World, capabilities: Capabilities = SEES, kind: type[FakeChat] = FakeChat) -> FakeChat:
    world.stores.chat = kind(["A fire ", "on the tower."], known=capabilities)
    world.web.pages |= {URL: png(), OTHER: png(1)}
    return world.stores.chat


def test_a_model_that_sees_is_given_the_images_themselves_and_not_their_addresses(world: World) -> None:
    chat = chat_of(world)
    record = ask(world, Message("user", "What is this?", (URL, OTHER)))
    assert chat.asked[-1][-1].images == (data_url(png()), data_url(png(1)))
    assert answer(world, record).text == "A fire on the tower."
    assert answer(world, record).degraded == ()
    assert [step.step for step in steps(world, record)] == [Step.READING_IMAGES, Step.COMPOSING]
    assert fates(world, record) == [(URL, ImageState.GIVEN), (OTHER, ImageState.GIVEN)]


def test_images_of_earlier_turns_stay_with_their_turns_beside_the_background(world: World) -> None:
    chat = chat_of(world)
    turns = (Message("user", "See?", (URL,)), Message("assistant", "Yes."), Message("user", "And now?", (OTHER,)))
    ask(world, *turns, background="The caller watches towers.")
    system, first, _, last = chat.asked[-1]
    assert system.content == "The caller watches towers."
    assert (first.images, last.images) == ((data_url(png()),), (data_url(png(1)),))


@pytest.mark.parametrize("endpoint", ["none", "blind", "refusing"])
def test_where_nobody_sees_a_step_the_trace_and_the_end_say_so(filled: World, endpoint: str) -> None:
    if endpoint == "none":
        filled.web.pages[URL] = png()
    else:
        chat_of(filled, *((BLIND,) if endpoint == "blind" else (Capabilities(), RefusingChat)))
    turn = Message("user", "When does the pump start?", (URL,))
    record = ask(filled, turn, kb_ids=(filled.knowledge_base().kb_id,))
    told = steps(filled, record)
    wanted = [Step.READING_IMAGES, Step.IMAGES_NOT_ANALYSED, Step.SEARCHING, Step.COMPOSING]
    assert [step.step for step in told] == wanted
    assert told[1].detail
    assert fates(filled, record) == [(URL, ImageState.NOT_ANALYSED)]
    assert answer(filled, record).degraded == ("images",)
    assert answer(filled, record).text


def test_a_chat_whose_model_refuses_images_goes_on_without_them_and_says_so(world: World) -> None:
    chat = chat_of(world, Capabilities(), RefusingChat)
    record = ask(world)
    assert answer(world, record).text == "A fire on the tower."
    assert [step.step for step in steps(world, record)][-1] is Step.IMAGES_NOT_ANALYSED
    assert fates(world, record) == [(URL, ImageState.NOT_ANALYSED)]
    assert len(chat.asked) == 2


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (None, "404"),
        (b"<html>not found</html>", "not a PNG"),
        (b"", "not a PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG"),
    ],
)
def test_an_image_that_cannot_be_read_is_told_to_the_caller_and_to_the_model(
    world: World, page: bytes | None, said: str
) -> None:
    chat = chat_of(world)
    world.web.pages.pop(URL)
    if page is not None:
        world.web.pages[URL] = page
    record = ask(world, Message("user", "What is this?", (URL, OTHER)))
    told = next(step for step in steps(world, record) if step.step is Step.IMAGE_UNREADABLE)
    assert URL in told.detail
    assert said in told.detail
    assert chat.asked[-1][-1].images == (data_url(png(1)),)
    assert URL in chat.asked[-1][-1].content
    assert answer(world, record).degraded == ("images",)


def test_a_hostile_address_is_told_as_any_other_that_cannot_be_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat_of(world)

    def refuse(url: str, **_: object) -> None:
        raise AddressNotAllowed("the URL's host is not a public address")

    monkeypatch.setattr(world.web, "download", refuse)
    record = ask(world)
    assert fates(world, record) == [(URL, ImageState.UNREADABLE)]
    assert answer(world, record).text


def test_no_more_is_carried_than_all_images_may_have_together(world: World) -> None:
    chat = chat_of(world)
    each = MOST_BYTES_TOGETHER // 2
    assert each <= MOST_BYTES
    urls = tuple(f"https://images.example/{number}" for number in range(3))
    world.web.pages |= dict.fromkeys(urls, png() + bytes(each - len(png())))
    record = ask(world, Message("user", "What is this?", urls))
    assert [state for _, state in fates(world, record)] == ["given", "given", "unreadable"]
    assert len(chat.asked[-1][-1].images) == 2


def test_what_an_image_shows_is_searched_for(filled: World) -> None:
    chat = chat_of(filled)
    chat.pieces = (FACT,)
    record = ask(filled, Message("user", "Explain this.", (URL,)), kb_ids=(filled.knowledge_base().kb_id,))
    described, explained = chat.asked
    assert described[-1].images == explained[-1].images == (data_url(png()),)
    assert FACT in filled.stores.answers.notes(record.token)[0].searched
    assert FACT in explained[-1].content


def test_where_nothing_is_found_a_model_that_sees_answers_from_the_image(filled: World) -> None:
    chat_of(filled)
    record = ask(filled, Message("user", "Qwertz?", (URL,)), kb_ids=(filled.knowledge_base("empty").kb_id,))
    assert answer(filled, record).text == "A fire on the tower."
    assert answer(filled, record).references == ()


def test_the_queues_carry_the_fate_of_each_image_and_not_its_content(filled: World) -> None:
    chat_of(filled)
    ask(filled, kb_ids=(filled.knowledge_base().kb_id,))
    for queue in (Queue.SEARCH, Queue.ANSWER):
        [image] = filled.queues.bodies(queue)[-1]["images"]
        assert (image["url"], image["state"], image["media_type"], image["size"]) == (
            URL,
            "given",
            "image/png",
            len(png()),
        )
        assert filled.objects.get(image["stored_at"]) == png()


@pytest.mark.parametrize("other", ["uploads/", "messages/images/another/"])
def test_a_message_cannot_name_another_object_as_an_image(filled: World, other: str) -> None:
    filled.objects.put("messages/images/another/0", png())
    chat = chat_of(filled)
    filled.container.questions.ask(filled.caller, Dialect.URAN, Question((Message("user", "What?", (URL,)),)))
    filled.run(Queue.QUESTION)
    [message] = filled.queues.messages[Queue.ANSWER]
    message["images"][0]["stored_at"] = next(key for key in filled.objects.stored if key.startswith(other))
    filled.run()
    assert chat.asked[-1][-1].images == ()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (png(), "image/png"),
        (JPEG, "image/jpeg"),
        (GIF, "image/gif"),
        (WEBP, "image/webp"),
        (b"RIFF....WAVE", None),
        (b"%PDF-1.7", None),
    ],
)
def test_the_content_tells_what_an_image_is(content: bytes, kind: str | None) -> None:
    assert media_type_of(content) == kind
