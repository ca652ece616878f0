"""The streams that an old Word document consists of."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge_base.adapters.parsing.format import Hints, corrupt
from knowledge_base.adapters.parsing.ole_container import SIGNATURE, open_container, root_names

_RAW_SIGNATURES = (b"\xdc\xa5", b"\xec\xa5", b"\xdb\xa5\x2d\x00")
"""How a Word document begins that stands in a file without a container."""
_SHORTEST = 512
_MAIN = "WordDocument"
_OTHERS = frozenset(("Workbook", "Book", "PowerPoint Document", "EncryptedPackage", "VisioDocument"))
_OUTLOOK = "__properties_version"


@dataclass(frozen=True, slots=True)
class Streams:
    """The text, the two places where its tables may be, the data of its fields, and the title."""

    document: bytes
    tables: tuple[bytes, bytes] = (b"", b"")
    data: bytes = b""
    title: str = ""


def holds_word(content: bytes, hints: Hints) -> bool:
    """Whether a file is a Word document in OLE form, or says it is and nothing in it speaks against it."""
    if content.startswith(_RAW_SIGNATURES):
        return len(content) > _SHORTEST
    if not content.startswith(SIGNATURE):
        return False
    names = root_names(content)
    if not names:
        return _MAIN.encode("utf-16-le") in content or _says_word(hints)
    others = not _OTHERS.isdisjoint(names) or any(name.startswith(_OUTLOOK) for name in names)
    return (_MAIN in names and "EncryptedPackage" not in names) or (_says_word(hints) and not others)


def read_streams(content: bytes) -> Streams:
    """Return the streams of a document.

    Raises:
        IngestionFailed: the container is damaged or has no document.
    """
    if content.startswith(_RAW_SIGNATURES):
        return Streams(content)
    container = open_container(content)
    document = container.stream(_MAIN)
    if not document:
        raise corrupt("its main part is missing")
    tables = (container.stream("0Table"), container.stream("1Table"))
    return Streams(document, tables, container.stream("Data"), container.title())


def _says_word(hints: Hints) -> bool:
    return hints.say("doc", "dot", "application/msword")
