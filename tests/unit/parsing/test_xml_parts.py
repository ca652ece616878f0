"""XML of office packages: names without prefixes, no entities, and never more elements than can be held."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

import pytest

from knowledge_base.adapters.parsing import xml_parts
from knowledge_base.adapters.parsing.xml_parts import parse_xml, pieces_of, read_children
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def code_of(action: Callable[[], object]) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        action()
    return caught.value.code


def children(xml: str, *containers: str) -> Iterator[tuple[list[str], Element]]:
    for around, child in read_children(pieces_of(xml.encode()), lambda element: element.tag in containers):
        yield [element.tag for element in around], child


@pytest.mark.parametrize(
    "xml",
    [
        f'<w:p {W} w:id="1"><w:t w:val="x"/></w:p>',
        f'<ns0:p {W.replace(":w=", ":ns0=")} ns0:id="1"><ns0:t ns0:val="x"/></ns0:p>',
        f'<p {W.replace(":w=", "=")} id="1"><t val="x"/></p>',
    ],
)
def test_names_are_local_whatever_their_prefix(xml: str) -> None:
    root = parse_xml(xml.encode())
    assert (root.tag, root.get("id"), [child.tag for child in root]) == ("p", "1", ["t"])
    assert root[0].get("val") == "x"


def test_unusual_prefix_is_dropped_wherever_it_begins() -> None:
    xml = f"<p>{'<a/>' * 50_000}<b><odd:c xmlns:odd='x' odd:d='1'/></b></p>"
    assert [element.get("d") for element in parse_xml(xml.encode()).iter("c")] == ["1"]


@pytest.mark.parametrize("prefix", ["r", "rel", "d3p1"])
def test_pointer_to_another_part_is_no_plain_id(prefix: str) -> None:
    root = parse_xml(f'<p xmlns:{prefix}="{R}" {prefix}:id="rId1" id="256"/>'.encode())
    assert (root.get("r:id"), root.get("id")) == ("rId1", "256")


def test_children_come_one_by_one_and_in_order() -> None:
    xml = "<document><body>" + "".join(f"<p><t>{n}</t></p>" for n in range(20_000)) + "</body><end/></document>"
    found = list(children(xml, "body"))
    texts = [text.text for _around, child in found for text in child.iter("t")]
    assert texts == [str(n) for n in range(20_000)]
    assert found[0][0] == ["document", "body"]
    assert [child.tag for _around, child in found[-2:]] == ["body", "end"]


def test_container_that_is_still_open_is_never_yielded_itself() -> None:
    assert [(around, child.tag) for around, child in children("<a><body><p/><q/></body></a>", "body")] == [
        (["a", "body"], "p"),
        (["a", "body"], "q"),
    ]


def test_children_are_forgotten_once_they_are_taken() -> None:
    xml = "<document>" + "<p><t>some words</t></p>" * 50_000 + "</document>"
    most = max(len(around_tags) for around_tags, _child in children(xml))
    assert most == 1
    assert all(len(list(child)) == 1 for _around, child in children(xml))


def test_entities_are_neither_expanded_nor_fetched() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "boom"}">' for n in range(12))
    xml = f'<!DOCTYPE x [{bomb}<!ENTITY file SYSTEM "file:///etc/passwd">]><x>a &e11; b &file; c</x>'
    assert "".join(parse_xml(xml.encode()).itertext()).split() == ["a", "b", "c"]


@pytest.mark.parametrize("sign", ["\x0b", "&#x1;", "&#11;", "\x00"])
def test_control_characters_are_left_out(sign: str) -> None:
    assert parse_xml(f"<x>{'y' * 65_530}a{sign}b</x>".encode()).text == "y" * 65_530 + "ab"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_encodings_are_told_from_the_first_bytes(encoding: str) -> None:
    assert parse_xml("<x>操作手册</x>".encode(encoding)).text == "操作手册"


@pytest.mark.parametrize("xml", ["", "<x>", "<x></y>", "words", "<x>&broken</x>", '<?xml encoding="none"?><x/>'])
def test_what_is_not_well_formed_is_corrupt(xml: str) -> None:
    assert code_of(lambda: parse_xml(xml.encode())) is FailureCode.CORRUPT


@pytest.mark.parametrize(
    "xml",
    [
        "<a>" * 200_000,
        "<x " + "".join(f'a{n}="1" ' for n in range(600_000)) + "/>",
        "<x>" + "".join(f"<a{n}/>" for n in range(60_000)) + "</x>",
        "<x>" + "<a><b/></a>" * 800_000 + "</x>",
    ],
    ids=["nesting", "attributes", "names", "elements"],
)
def test_more_than_can_be_held_is_too_complex_at_once(xml: str) -> None:
    started = time.process_time()
    assert code_of(lambda: parse_xml(xml.encode())) is FailureCode.TOO_COMPLEX
    assert time.process_time() - started < 5


def test_single_element_that_is_too_big_is_too_complex_and_many_small_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(xml_parts, "MAX_TREE", 4_000_000)
    small = "<d>" + "<p><t>x</t></p>" * 20_000 + "</d>"
    assert len(list(children(small))) == 20_000
    assert code_of(lambda: list(children(f"<d>{small}</d>"))) is FailureCode.TOO_COMPLEX
