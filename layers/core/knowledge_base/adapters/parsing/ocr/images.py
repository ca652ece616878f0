"""Image files: their text where a recogniser is set up, else a refusal in plain words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from typing import Any

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, without_text
from knowledge_base.adapters.parsing.ocr.picture import (
    MAX_PIXELS,
    BoundedRecognizer,
    NoRecognizer,
    Picture,
    RecognizedText,
    Recognizer,
    too_many_pictures,
)
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MAX_FILE_PIXELS = 100_000_000
"""More than a camera or a scanner of pages gives."""
SMALL, ENLARGED = 1500, 2
"""A picture of fewer pixels each way is enlarged: Tesseract wants letters of 20 pixels and more."""

_KINDS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
    b"\x00\x00\x01\x00": "image/x-icon",
}
_WEBP = (b"RIFF", b"WEBP")


def make_format(recognizer: Recognizer) -> Format:
    """Return the format of image files whose text is read by a recogniser."""
    libraries = () if recognizer.problem else ("PIL.Image", "tesserocr")
    return Format("an image", _claims, partial(_read, recognizer=recognizer), libraries)


def _claims(content: bytes, _hints: Hints) -> bool:
    return bool(_kind(content))


def _kind(content: bytes) -> str:
    """Return the media type of an image, empty for anything else; short signatures may begin a text too."""
    if (content[:4], content[8:12]) == _WEBP:
        return "image/webp"
    found = (kind for signature, kind in _KINDS.items() if content.startswith(signature))
    return next(found, "") if b"\0" in content[:256] or content.startswith(b"\x89PNG") else ""


def _read(content: bytes, _hints: Hints, *, recognizer: Recognizer) -> ParsedDocument:
    if recognizer.problem:
        raise without_text(f"the file is a picture, and {recognizer.problem}")
    bounded = BoundedRecognizer(recognizer)
    out = TextBuilder()
    are_sure = True
    for number, picture in enumerate(_pictures(content), start=1):
        found = bounded.recognize(picture)
        if found is None:
            raise too_many_pictures()
        are_sure = are_sure and found.is_sure
        _write(found, out, number)
    if not out.length:
        raise without_text("no text can be made out in the picture")
    return ParsedDocument(out.text(), _kind(content), out.spans(), low_quality=not are_sure)


def _write(found: RecognizedText, out: TextBuilder, number: int) -> None:
    if out.length and found.text:
        out.add("\n\n")
    start = out.length
    out.add(clean(found.text))
    out.mark(SpanKind.PAGE, start, number)


def _pictures(content: bytes) -> Iterator[Picture]:
    """Yield the pages of a file; of a moving picture the first one only."""
    from PIL import Image, ImageSequence

    warnings.simplefilter("ignore", Image.DecompressionBombWarning)
    try:
        with Image.open(BytesIO(content)) as image:
            if image.width * image.height > MAX_FILE_PIXELS:
                most = f"{MAX_FILE_PIXELS // 1_000_000} million pixels"
                raise IngestionFailed(FailureCode.TOO_LARGE, f"the picture has more than {most}")
            if image.format != "TIFF":
                yield _picture(image)
                return
            for page in ImageSequence.Iterator(image):
                yield _picture(page)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise corrupt("it cannot be opened as a picture") from error


def _picture(image: Any) -> Picture:
    """Return an image upright, in grey on white, and of a size that letters can be told in."""
    from PIL import Image, ImageOps

    image.draft("L", (SMALL * 2, SMALL * 2))
    image = ImageOps.exif_transpose(image)
    if image.has_transparency_data:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    image = image.convert("L")
    most = ENLARGED if max(image.size) < SMALL else 1
    scale = min(most, (MAX_PIXELS / (image.width * image.height)) ** 0.5)
    if scale != 1:
        image = image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))))
    return Picture(image.tobytes(), image.width, image.height, image.width)


FORMAT = make_format(NoRecognizer())
