"""The document parser made of this package's formats."""

from __future__ import annotations

import re
import sys
from importlib import import_module

from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, without_text
from knowledge_base.adapters.parsing.formats import FORMATS
from knowledge_base.adapters.parsing.ocr import images
from knowledge_base.adapters.parsing.ocr.tesseract import TesseractRecognizer
from knowledge_base.adapters.parsing.pdf import reader as pdf
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument
from knowledge_base.settings import MAX_DOCUMENT_BYTES, MEGABYTE

_UNSEEN = (
    r"\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufffc"
)
_SEEN = re.compile(f"[^{_UNSEEN}]")
"""A character that shows: neither white space, nor one that Unicode says to ignore where it is not understood
(Default_Ignorable_Code_Point)."""


class LibraryDocumentParser:
    """Reads files in the calling process; `SandboxedDocumentParser` guards against what they may do to it."""

    def __init__(self, formats: tuple[Format, ...] = FORMATS, *, max_size: int = MAX_DOCUMENT_BYTES) -> None:
        self._formats = formats
        self._max_size = max_size

    def parse(self, content: bytes, *, name: str, declared_type: str = "") -> ParsedDocument:
        """Return the text of a file; its kind is told by its content first, then by name and declared type.

        Raises:
            IngestionFailed: it cannot be read; the code says why.
        """
        self._check_size(content)
        parsed = self._read(content, Hints(name, declared_type))
        if not _SEEN.search(parsed.text):
            raise without_text("the file holds no text")
        return parsed

    def _check_size(self, content: bytes) -> None:
        if len(content) > self._max_size:
            limit = f"the file is larger than {self._max_size // MEGABYTE} MB"
            raise IngestionFailed(FailureCode.TOO_LARGE, limit)
        if not content or content.isspace():
            raise IngestionFailed(FailureCode.EMPTY, "the file is empty")

    def _read(self, content: bytes, hints: Hints) -> ParsedDocument:
        name = "any known format"
        try:
            chosen = next(format_ for format_ in self._formats if format_.claims(content, hints))
            name = chosen.name
            return chosen.read(content, hints)
        except IngestionFailed:
            raise
        except (MemoryError, RecursionError) as error:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file is too complex to be read") from error
        except Exception as error:
            # readers fail on damaged files in every way there is
            raise corrupt(f"it cannot be read as {name}") from error


def make_warm_parser(ocr_languages: str = "") -> LibraryDocumentParser:
    """Return a parser whose libraries are loaded already, so that the first file is as quick as the next.

    With `ocr_languages`, such as `eng+chi_sim`, it also reads pictures: scanned pages and image files.
    """
    formats = (*_formats_with_ocr(ocr_languages), *FORMATS) if ocr_languages else FORMATS
    for format_ in formats:
        for library in format_.libraries:
            import_module(library)
    return LibraryDocumentParser(formats)


def _formats_with_ocr(languages: str) -> tuple[Format, ...]:
    """Where text cannot be recognised, whoever starts this is told, and the files that need it say why they fail."""
    recognizer = TesseractRecognizer(languages)
    if recognizer.problem:
        print(recognizer.problem, file=sys.stderr, flush=True)  # noqa: T201
    return pdf.make_format(recognizer), images.make_format(recognizer)
