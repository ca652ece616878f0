"""Files that are attached to mails, read with the other formats."""

from __future__ import annotations

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.format import Format
from knowledge_base.adapters.parsing.joined_documents import append_document
from knowledge_base.domain.errors import IngestionFailed


def write_file(out: TextBuilder, content: bytes, name: str, *, besides: Format) -> None:
    """Append what a format besides the given one reads in a file; one that cannot be read leaves nothing.

    Raises:
        IngestionFailed: all together the text has become too long.
    """
    from knowledge_base.adapters.parsing.formats import FORMATS
    from knowledge_base.adapters.parsing.library import LibraryDocumentParser

    others = tuple(other for other in FORMATS if other is not besides)
    try:
        parsed = LibraryDocumentParser(others).parse(content, name=name)
    except IngestionFailed:
        return
    append_document(out, parsed.text, parsed.spans)
    check_length(out)
