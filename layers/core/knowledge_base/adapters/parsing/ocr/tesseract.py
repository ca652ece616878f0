"""Tesseract, called within the process by its binding tesserocr: it ends with the process and counts in its memory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from knowledge_base.adapters.parsing.ocr.picture import Picture, RecognizedText

MAX_MILLISECONDS = 15_000
"""After so long a picture is given up; a page of text takes about two seconds."""
LEAST_CONFIDENCE, SURE = 40, 75
"""Tesseract's own confidence in percent: below the first a paragraph counts as noise, below the other as doubtful."""

_PLACES = (
    "/opt/tessdata",
    "/opt/python/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
_ORIENTATION = "osd"
_HYPHEN_AT_LINE_END = re.compile(r"(?<=[a-zà-ÿ])-\n(?=[a-zà-ÿ])")
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_SPACE_WITHIN_CHINESE = re.compile(rf"(?<=[{_UNSPACED}]) +(?=[{_UNSPACED}])")


class TesseractRecognizer:
    """Reads pictures in some languages, named as Tesseract names its data: `eng`, or `eng+chi_sim`."""

    def __init__(self, languages: str) -> None:
        self._languages = languages

    @cached_property
    def problem(self) -> str:
        """Why no text is recognised here, in plain words; empty where it is."""
        missing = [library for library in ("tesserocr", "PIL") if find_spec(library) is None]
        if missing:
            return f"text recognition is switched on but cannot run: {' and '.join(missing)} is not installed"
        if not self._data:
            data = f"Tesseract's data for {self._languages} is in no known folder, nor in TESSDATA_PREFIX"
            return f"text recognition is switched on but cannot run: {data}"
        return ""

    def recognize(self, picture: Picture) -> RecognizedText:
        """Return the text of a picture, empty where there is none, or none that can be made out in time."""
        api = self._api
        api.SetImageBytes(picture.pixels, picture.width, picture.height, 1, picture.stride)
        api.SetSourceResolution(picture.dots_per_inch)
        if not api.Recognize(MAX_MILLISECONDS):
            return RecognizedText("", is_sure=False)
        paragraphs = list(_paragraphs(api))
        text = "\n\n".join(text for text, _confidence in paragraphs)
        return RecognizedText(text, is_sure=all(confidence >= SURE for _text, confidence in paragraphs))

    @cached_property
    def _data(self) -> str:
        """The folder that has the data of all languages, empty where there is none."""
        wanted = [f"{language}.traineddata" for language in self._languages.split("+")]
        places = (os.environ.get("TESSDATA_PREFIX", ""), *_PLACES)
        return next((place for place in places if place and all((Path(place) / name).is_file() for name in wanted)), "")

    @cached_property
    def _api(self) -> Any:
        tesserocr: Any = import_module("tesserocr")
        knows_orientation = (Path(self._data) / f"{_ORIENTATION}.traineddata").is_file()
        mode = tesserocr.PSM.AUTO_OSD if knows_orientation else tesserocr.PSM.AUTO
        return tesserocr.PyTessBaseAPI(path=f"{self._data}/", lang=self._languages, psm=mode)


def _paragraphs(api: Any) -> Iterator[tuple[str, float]]:
    """Yield the paragraphs that are not noise, with the confidence in each."""
    tesserocr: Any = import_module("tesserocr")
    found, level = api.GetIterator(), tesserocr.RIL.PARA
    for paragraph in tesserocr.iterate_level(found, level) if found else ():
        confidence = paragraph.Confidence(level)
        text = _joined(paragraph.GetUTF8Text(level)) if confidence >= LEAST_CONFIDENCE else ""
        if text:
            yield text, confidence


def _joined(text: str) -> str:
    """Return a paragraph's lines as one, words that were cut at their ends whole, Chinese without spaces."""
    text = " ".join(_HYPHEN_AT_LINE_END.sub("", text).split())
    return _SPACE_WITHIN_CHINESE.sub("", text)
