"""Plain text of any encoding, and whatever else turns out to be text."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.encodings.declared import encodings_of_type
from knowledge_base.adapters.parsing.encodings.decoding import Decoded, EncodedText, find_encoding
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

BINARY_KINDS = ("pdf", "application/pdf", "docx", "doc", "application/msword")
_ARMOR = b"-----BEGIN PGP MESSAGE-----"


def find_text(content: bytes, hints: Hints, claims: Sequence[str] = ()) -> EncodedText:
    """Return a text file with its encoding; what the sender declares counts before the claims of the text itself.

    Raises:
        IngestionFailed: the bytes are no text.
    """
    found = find_encoding(content, [*encodings_of_type(hints.declared_type), *claims])
    if found:
        return found
    if hints.say(*BINARY_KINDS) or hints.kind.startswith("application/vnd.openxmlformats"):
        raise corrupt("its content is not what its name says, and not text either")
    raise IngestionFailed(FailureCode.UNSUPPORTED, "files of this kind are not supported")


def decode_text(content: bytes, hints: Hints, claims: Sequence[str] = ()) -> Decoded:
    """Return the clean characters of a text file (see `find_text`)."""
    found = find_text(content, hints, claims)
    return Decoded("".join(map(clean, found.pieces())), found.encoding, found.exact)


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    if content.lstrip().startswith(_ARMOR):
        raise encrypted("the text")
    decoded = decode_text(content, hints)
    return ParsedDocument(decoded.text, "text/plain", low_quality=not decoded.exact)


FORMAT = Format("text", lambda _content, _hints: True, _read, ("knowledge_base.adapters.parsing.encodings.legacy",))
