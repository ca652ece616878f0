"""What people fill into PDF files and write onto them."""

from __future__ import annotations

from io import BytesIO

import pytest
from pypdf import PdfWriter
from pypdf.annotations import FreeText, Popup, Text
from pypdf.generic import ArrayObject, BooleanObject, DictionaryObject, NameObject, NumberObject, TextStringObject
from reportlab.pdfgen.canvas import Canvas

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.parsed import ParsedDocument
from tests.unit.parsing.files import a_pdf
from tests.unit.parsing.pdf_files import drawn, lines, together

parser = LibraryDocumentParser()


def parse(content: bytes) -> ParsedDocument:
    return parser.parse(content, name="a.pdf")


def with_annotations(content: bytes, *annotations: DictionaryObject) -> bytes:
    writer = PdfWriter(clone_from=BytesIO(content))
    for annotation in annotations:
        writer.add_annotation(0, annotation)
    target = BytesIO()
    writer.write(target)
    return target.getvalue()


def a_sticky_note(text: str, *, hidden: bool = False) -> DictionaryObject:
    note = Text(rect=(200, 550, 220, 570), text=text)
    if hidden:
        note[NameObject("/F")] = NumberObject(2)
    return note


def a_highlight(text: str) -> DictionaryObject:
    box = [NumberObject(number) for number in (72, 760, 200, 775)]
    quads = [NumberObject(number) for number in (72, 775, 200, 775, 72, 760, 200, 760)]
    return DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/Highlight"),
            NameObject("/Rect"): ArrayObject(box),
            NameObject("/QuadPoints"): ArrayObject(quads),
            NameObject("/Contents"): TextStringObject(text),
        }
    )


def a_form(**fields: str) -> bytes:
    def draw(canvas: Canvas) -> None:
        for number, (name, value) in enumerate(fields.items()):
            top = 700 - 30 * number
            canvas.drawString(72, top, f"{name}:")
            canvas.acroForm.textfield(name=name, value=value, x=160, y=top - 6, width=200, height=20)

    return drawn(draw)


def without_appearance(content: bytes) -> bytes:
    """The same form, as programs leave it that fill in values only and let the viewer draw them."""
    writer = PdfWriter(clone_from=BytesIO(content))
    for page in writer.pages:
        for annotation in page["/Annots"]:  # type: ignore[attr-defined]
            annotation.get_object().pop("/AP", None)
    writer.root_object["/AcroForm"][NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]
    target = BytesIO()
    writer.write(target)
    return target.getvalue()


def test_value_of_a_form_field_stands_beside_its_name() -> None:
    assert "Name: Ada Lovelace" in parse(a_form(Name="Ada Lovelace", City="London")).text


def test_box_that_is_checked_is_marked_and_one_that_is_not_is_not() -> None:
    def draw(canvas: Canvas) -> None:
        for number, (label, checked) in enumerate((("Heating", True), ("Cooling", False))):
            canvas.acroForm.checkbox(name=label, checked=checked, x=72, y=700 - 30 * number, size=12)
            canvas.drawString(95, 702 - 30 * number, label)

    text = parse(drawn(draw)).text
    assert "☒ Heating" in text
    assert "☒ Cooling" not in text


def test_value_below_its_label_stands_below_it() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Remarks")
        canvas.acroForm.textfield(name="remarks", value="None so far", x=72, y=660, width=200, height=20)
        canvas.drawString(72, 630, "Signature")

    assert [line for line in parse(drawn(draw)).text.split("\n") if line] == ["Remarks", "None so far", "Signature"]


def test_value_that_nobody_has_drawn_is_read_all_the_same() -> None:
    assert "Ada Lovelace" in parse(without_appearance(a_form(Name="Ada Lovelace"))).text


def test_value_stands_in_the_text_once() -> None:
    assert parse(a_form(Name="Ada Lovelace")).text.count("Ada Lovelace") == 1


def test_empty_form_is_its_labels() -> None:
    assert parse(a_form(Name="", City="")).text == "Name:\n\nCity:"


def test_value_of_a_password_field_stays_secret() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Key:")
        canvas.acroForm.textfield(name="key", value="hunter2", x=160, y=694, fieldFlags="password")

    assert "hunter2" not in parse(drawn(draw)).text


def test_choices_of_a_list_and_the_one_made_are_read() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Fruit:")
        options = ["apple", "pear", "plum"]
        canvas.acroForm.listbox(name="fruit", value="pear", options=options, x=160, y=600, width=100, height=90)

    text = parse(drawn(draw)).text
    assert all(option in text for option in ("apple", "pear", "plum"))


def test_comment_is_read_as_a_comment_after_its_page() -> None:
    parsed = parse(with_annotations(a_pdf("First page", "Second page"), a_sticky_note("Check this figure")))
    assert parsed.text == "First page\n\nComment: Check this figure\n\nSecond page"


def test_comment_at_a_highlighted_passage_is_read() -> None:
    assert "Comment: Who says so?" in parse(with_annotations(a_pdf("A bold claim"), a_highlight("Who says so?"))).text


def test_highlight_that_repeats_the_passage_adds_nothing() -> None:
    assert parse(with_annotations(a_pdf("A bold claim"), a_highlight("A bold claim"))).text == "A bold claim"


def test_text_written_onto_the_page_is_text_of_the_page() -> None:
    free = FreeText(text="Approved by Ada", rect=(50, 550, 200, 650))
    assert "Approved by Ada" in parse(with_annotations(a_pdf("Contract"), free)).text


def test_hidden_comment_is_not_read() -> None:
    assert parse(with_annotations(a_pdf("Words"), a_sticky_note("draft", hidden=True))).text == "Words"


def test_window_of_a_comment_does_not_double_it() -> None:
    writer = PdfWriter(clone_from=BytesIO(a_pdf("Words")))
    note = writer.add_annotation(0, a_sticky_note("Only once"))
    writer.add_annotation(0, Popup(rect=(300, 500, 400, 600), parent=note))
    target = BytesIO()
    writer.write(target)
    assert parse(target.getvalue()).text.count("Only once") == 1


def test_text_of_a_link_stays_in_its_sentence() -> None:
    def link(canvas: Canvas) -> None:
        canvas.linkURL("https://example.org/manual", (100, 750, 200, 770))

    text = parse(drawn(together(lines("See the manual for details."), link))).text
    assert text == "See the manual for details."


@pytest.mark.parametrize("count", [3, 40])
def test_file_of_comments_alone_is_not_empty(count: int) -> None:
    notes = [a_sticky_note(f"Remark {number}") for number in range(count)]
    assert f"Comment: Remark {count - 1}" in parse(with_annotations(a_pdf(""), *notes)).text
