"""Readers of documents of nearly every kind."""

from __future__ import annotations

import mimetypes
import re
from io import BytesIO
from pathlib import Path

from tests.bench.public_readers.reader import PAGE_END, Paged, Read

CODE = "c cpp cs css go h java js kt php py rb rs sh sql swift ts"
_PAGE_BEGINS = re.compile(r"<!-- Slide number: (\d+) -->")
_MORE_TYPES = {
    ".md": "text/markdown",
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".epub": "application/epub+zip",
    ".eml": "message/rfc822",
    ".rtf": "application/rtf",
    **{f".{ending}": "text/plain" for ending in CODE.split()},
}


def ours() -> Read:
    from knowledge_base.adapters.parsing.library import make_warm_parser

    parser = make_warm_parser()
    return lambda path, content: parser.parse(content, name=path.name)


def ours_in_sandbox() -> Read:
    from knowledge_base.adapters.parsing.sandbox.parser import SandboxedDocumentParser

    parser = SandboxedDocumentParser()
    parser.start()
    return lambda path, content: parser.parse(content, name=path.name)


def kreuzberg() -> Read:
    from kreuzberg import ExtractionConfig, extract_bytes_sync

    config = ExtractionConfig(use_cache=False, disable_ocr=True)
    return lambda path, content: str(extract_bytes_sync(content, _media_type(path), config).content)


def kreuzberg_as_markdown() -> Read:
    from kreuzberg import ExtractionConfig, PageConfig, extract_bytes_sync

    pages = PageConfig(extract_pages=True)
    config = ExtractionConfig(use_cache=False, disable_ocr=True, output_format="markdown", pages=pages)

    def read(path: Path, content: bytes) -> Paged:
        found = extract_bytes_sync(content, _media_type(path), config)
        return Paged(str(found.content), [str(page["content"]) for page in found.pages or ()])

    return read


def markitdown() -> Read:
    from markitdown import MarkItDown, StreamInfo

    convert = MarkItDown(enable_plugins=False).convert_stream
    return lambda path, content: _with_page_ends(
        convert(BytesIO(content), stream_info=StreamInfo(extension=path.suffix, filename=path.name)).text_content
    )


def _with_page_ends(text: str) -> str:
    """Put `PAGE_END` in place of what says that another page than the first one begins."""
    return _PAGE_BEGINS.sub(lambda found: "\n" if found[1] == "1" else f"{PAGE_END}\n", text)


def _media_type(path: Path) -> str:
    return _MORE_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "text/plain"
