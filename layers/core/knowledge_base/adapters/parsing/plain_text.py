"""Plain text of any encoding, and whatever else turns out to be text."""

from __future__ import annotations

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.encodings.decoding import Decoded, decode
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

BINARY_KINDS = ("pdf", "application/pdf", "docx", "doc", "application/msword")


def decode_text(content: bytes, hints: Hints) -> Decoded:
    """Return the clean characters of a text file.

    Raises:
        IngestionFailed: the bytes are no text.
    """
    decoded = decode(content)
    if decoded:
        return Decoded(clean(decoded.text), decoded.encoding, decoded.exact)
    if hints.say(*BINARY_KINDS) or hints.kind.startswith("application/vnd.openxmlformats"):
        raise corrupt("its content is not what its name says, and not text either")
    raise IngestionFailed(FailureCode.UNSUPPORTED, "files of this kind are not supported")


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_text(content, hints)
    return ParsedDocument(decoded.text, "text/plain", low_quality=not decoded.exact)


FORMAT = Format("text", lambda _content, _hints: True, _read, ("knowledge_base.adapters.parsing.encodings.legacy",))
