"""Text in pictures: read where a recogniser is set up, refused in plain words where none is."""

from __future__ import annotations

import textwrap
from io import BytesIO

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from knowledge_base.adapters.parsing.library import LibraryDocumentParser, make_warm_parser
from knowledge_base.adapters.parsing.ocr import images, picture
from knowledge_base.adapters.parsing.ocr.picture import MAX_PIXELS, Picture, RecognizedText, Recognizer
from knowledge_base.adapters.parsing.ocr.tesseract import TesseractRecognizer
from knowledge_base.adapters.parsing.pdf import reader as pdf
from knowledge_base.adapters.parsing.pdf import reading
from knowledge_base.adapters.parsing.sandbox.parser import WARM_LIBRARY_PARSER, SandboxedDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import SpanKind
from knowledge_base.settings import MEGABYTE, read_settings
from tests.unit.parsing.files import PROSE, a_pdf, a_scan
from tests.unit.parsing.memory import PeakMemory
from tests.unit.parsing.test_pdf_letters import GARBLED

PROBLEM = TesseractRecognizer("eng+chi_sim").problem
needs_tesseract = pytest.mark.skipif(bool(PROBLEM), reason=PROBLEM)


class Scripted:
    """Says what it was told, and remembers what it was shown."""

    problem = ""

    def __init__(self, *texts: str, is_sure: bool = True) -> None:
        self.shown: list[Picture] = []
        self._texts = texts
        self._is_sure = is_sure

    def recognize(self, shown: Picture) -> RecognizedText:
        self.shown.append(shown)
        text = self._texts[(len(self.shown) - 1) % len(self._texts)]
        return RecognizedText(text, self._is_sure)


def parser_with(recognizer: Recognizer) -> LibraryDocumentParser:
    return LibraryDocumentParser((pdf.make_format(recognizer), images.make_format(recognizer)))


def failure_of(parser: LibraryDocumentParser | SandboxedDocumentParser, content: bytes) -> IngestionFailed:
    with pytest.raises(IngestionFailed) as caught:
        parser.parse(content, name="a")
    return caught.value


def an_image(
    text: str = "", *, kind: str = "PNG", mode: str = "L", size: tuple[int, int] = (1700, 900), pages: int = 1
) -> bytes:
    image = Image.new(mode, size, "white" if mode != "RGBA" else (0, 0, 0, 0))
    font = ImageFont.load_default(size=44)
    ImageDraw.Draw(image).multiline_text((60, 60), "\n".join(textwrap.wrap(text, 60)), font=font, fill="black")
    target = BytesIO()
    options = {"save_all": True, "append_images": [image] * (pages - 1)} if pages > 1 else {}
    image.save(target, kind, **options)
    return target.getvalue()


def a_scan_of(*texts: str) -> bytes:
    """A PDF whose pages are pictures; a page without a picture where a text is empty."""
    target = BytesIO()
    canvas = Canvas(target, pagesize=(595, 842))
    for text in texts:
        if text:
            canvas.drawImage(ImageReader(BytesIO(an_image(text))), 40, 500, 500, 265)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def test_scan_is_without_text_where_recognition_is_switched_off() -> None:
    failure = failure_of(LibraryDocumentParser(), a_scan())
    assert failure.code is FailureCode.NO_TEXT
    assert "recognition is switched off" in failure.message


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP"])
def test_image_is_without_text_where_recognition_is_switched_off(kind: str) -> None:
    failure = failure_of(LibraryDocumentParser((images.FORMAT,)), an_image("words", kind=kind))
    assert failure.code is FailureCode.NO_TEXT
    assert "recognition is switched off" in failure.message


def test_missing_language_is_told_at_the_start_and_where_it_matters(capfd: pytest.CaptureFixture[str]) -> None:
    parser = make_warm_parser("eng+klingon")
    assert "cannot run" in capfd.readouterr().err
    for content in (a_scan(), an_image("words")):
        failure = failure_of(parser, content)
        assert failure.code is FailureCode.NO_TEXT
        assert "switched on but cannot run" in failure.message
    assert parser.parse(a_pdf("Words of its own"), name="a.pdf").text == "Words of its own"


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.ocr.tesseract.find_spec", lambda name: None)
    assert "tesserocr" in TesseractRecognizer("eng").problem


@pytest.mark.parametrize("value", ["eng", "eng+chi_sim", ""])
def test_languages_are_set_as_tesseract_names_them(value: str) -> None:
    assert read_settings({"KB_OCR_LANGUAGES": value}).ocr_languages == value


@pytest.mark.parametrize("value", ["eng,deu", "eng+", "../eng", "eng deu"])
def test_languages_in_another_form_are_refused(value: str) -> None:
    with pytest.raises(ValueError, match="KB_OCR_LANGUAGES"):
        read_settings({"KB_OCR_LANGUAGES": value})


def test_pages_without_text_are_shown_to_the_recogniser_and_no_others() -> None:
    recognizer = Scripted("Read from the picture")
    target = BytesIO()
    canvas = Canvas(target)
    canvas.drawString(72, 700, "Typed words")
    canvas.showPage()
    canvas.drawImage(ImageReader(BytesIO(an_image("words"))), 40, 500, 500, 265)
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    parsed = parser_with(recognizer).parse(target.getvalue(), name="a.pdf")
    assert parsed.text == "Typed words\n\nRead from the picture"
    assert [span.number for span in parsed.spans_of(SpanKind.PAGE)] == [1, 2, 3]
    assert len(recognizer.shown) == 1


def test_page_that_no_reader_makes_sense_of_is_shown_to_the_recogniser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read_page", lambda document, index, second_text: GARBLED)
    monkeypatch.setattr(reading.SecondReader, "page_text", lambda self, index: "")
    parsed = parser_with(Scripted("What anybody sees")).parse(a_pdf("x"), name="a.pdf")
    assert parsed.text == "What anybody sees"
    assert not parsed.low_quality


def test_text_that_is_hard_to_make_out_is_marked_as_low_quality() -> None:
    recognizer = Scripted("Mayby this", is_sure=False)
    assert parser_with(recognizer).parse(a_scan(), name="a.pdf").low_quality
    assert parser_with(recognizer).parse(an_image("words"), name="a.png").low_quality


def test_scan_in_which_nothing_can_be_made_out_is_without_text() -> None:
    assert failure_of(parser_with(Scripted("")), a_scan()).code is FailureCode.NO_TEXT
    assert failure_of(parser_with(Scripted("")), an_image()).code is FailureCode.NO_TEXT


@pytest.mark.parametrize("points", [(595, 842), (2384, 3370), (10_000, 200), (20, 20)])
def test_page_of_any_size_is_drawn_in_bounded_size(points: tuple[int, int]) -> None:
    target = BytesIO()
    canvas = Canvas(target, pagesize=points)
    canvas.rect(1, 1, 10, 10, fill=1)
    canvas.save()
    recognizer = Scripted("x")
    parser_with(recognizer).parse(target.getvalue(), name="a.pdf")
    shown = recognizer.shown[0]
    assert shown.width * shown.height <= 1.02 * MAX_PIXELS
    assert len(shown.pixels) == shown.stride * shown.height


def test_large_image_is_shown_smaller_and_a_small_one_larger() -> None:
    recognizer = Scripted("x")
    parser = parser_with(recognizer)
    parser.parse(an_image(size=(6000, 5000)), name="a.png")
    parser.parse(an_image(size=(400, 300)), name="a.png")
    large, small = recognizer.shown
    assert large.width * large.height <= MAX_PIXELS
    assert (small.width, small.height) == (800, 600)


def test_letters_on_a_transparent_ground_are_shown_on_white() -> None:
    recognizer = Scripted("x")
    parser_with(recognizer).parse(an_image("words", mode="RGBA"), name="a.png")
    assert recognizer.shown[0].pixels[0] == 255


def test_pages_of_a_tiff_file_are_pages() -> None:
    parsed = parser_with(Scripted("One", "Two", "Three")).parse(an_image(kind="TIFF", pages=3), name="a.tiff")
    assert parsed.text == "One\n\nTwo\n\nThree"
    assert parsed.media_type == "image/tiff"
    assert [span.number for span in parsed.spans_of(SpanKind.PAGE)] == [1, 2, 3]


def test_image_of_too_many_pixels_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_FILE_PIXELS", 1_000_000)
    assert failure_of(parser_with(Scripted("x")), an_image(size=(1001, 1000))).code is FailureCode.TOO_LARGE


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_damaged_image_is_corrupt(kind: str) -> None:
    content = an_image(PROSE, kind=kind)
    assert failure_of(parser_with(Scripted("x")), content[: len(content) // 3]).code is FailureCode.CORRUPT


def test_file_whose_pictures_take_all_the_time_there_is_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MAX_SECONDS", -1.0)
    failure = failure_of(parser_with(Scripted("x")), a_scan())
    assert failure.code is FailureCode.TOO_COMPLEX
    assert "more pictures of text" in failure.message


def test_garbled_page_for_which_no_time_is_left_does_not_fail_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    original = reading.read_page
    monkeypatch.setattr(picture, "MAX_SECONDS", -1.0)
    monkeypatch.setattr(
        reading,
        "read_page",
        lambda document, index, second_text: GARBLED if index else original(document, index, second_text),
    )
    monkeypatch.setattr(reading.SecondReader, "page_text", lambda self, index: "")
    assert parser_with(Scripted("x")).parse(a_pdf("Good", "bad"), name="a.pdf").low_quality


@needs_tesseract
@pytest.mark.timeout(300)
def test_scan_and_image_are_read_in_the_sandbox_within_its_memory() -> None:
    sandbox = SandboxedDocumentParser(WARM_LIBRARY_PARSER, "eng+chi_sim")
    with PeakMemory() as peak:
        scan = sandbox.parse(a_scan_of(PROSE, "", PROSE), name="a.pdf")
        image = sandbox.parse(an_image(PROSE), name="a.png")
    sandbox.close()
    assert scan.text.count("heat pump starts by itself") == 2
    assert "as soon as the oil is warm enough" in " ".join(image.text.split())
    assert [span.number for span in scan.spans_of(SpanKind.PAGE)] == [1, 2, 3]
    assert peak.bytes < 600 * MEGABYTE


@needs_tesseract
def test_picture_without_letters_is_without_text() -> None:
    assert failure_of(make_warm_parser("eng"), an_image()).code is FailureCode.NO_TEXT
