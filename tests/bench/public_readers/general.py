"""Readers of documents of nearly every kind."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.bench.public_readers.reader import PAGE_END, Read

CODE = "c cpp cs css go h java js kt php py rb rs sh sql swift ts"
_PAGE_BEGINS = re.compile(r"<!-- (?:PAGE|Slide number:) (\d+) -->")
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
    return _kreuzberg()


def kreuzberg_as_markdown() -> Read:
    from kreuzberg import PageConfig

    pages = PageConfig(insert_page_markers=True, marker_format="\n\n<!-- PAGE {page_num} -->\n\n")
    read = _kreuzberg(output_format="markdown", pages=pages)
    return lambda path, content: _with_page_ends(read(path, content))


def _kreuzberg(**options: Any) -> Callable[[Path, bytes], str]:
    from kreuzberg import ExtractionConfig, extract_bytes_sync

    config = ExtractionConfig(use_cache=False, disable_ocr=True, **options)
    return lambda path, content: str(extract_bytes_sync(content, _media_type(path), config).content)


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
