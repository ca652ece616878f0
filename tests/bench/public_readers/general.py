"""Readers of documents of nearly every kind."""

from __future__ import annotations

import mimetypes
from io import BytesIO
from pathlib import Path

from tests.bench.public_readers.reader import Read

CODE = "c cpp cs css go h java js kt php py rb rs sh sql swift ts"
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
    return lambda path, content: parser.parse(content, name=path.name).text


def ours_in_sandbox() -> Read:
    from knowledge_base.adapters.parsing.sandbox.parser import SandboxedDocumentParser

    parser = SandboxedDocumentParser()
    parser.start()
    return lambda path, content: parser.parse(content, name=path.name).text


def kreuzberg() -> Read:
    from kreuzberg import ExtractionConfig, extract_bytes_sync

    config = ExtractionConfig(use_cache=False, disable_ocr=True)
    return lambda path, content: str(extract_bytes_sync(content, _media_type(path), config).content)


def markitdown() -> Read:
    from markitdown import MarkItDown, StreamInfo

    convert = MarkItDown(enable_plugins=False).convert_stream
    return lambda path, content: str(
        convert(BytesIO(content), stream_info=StreamInfo(extension=path.suffix, filename=path.name)).text_content
    )


def _media_type(path: Path) -> str:
    return _MORE_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "text/plain"
