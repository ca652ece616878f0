"""The streams of an OLE container that holds an old Word document."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from knowledge_base.adapters.parsing.format import Hints, corrupt

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
RAW_SIGNATURES = (b"\xdc\xa5", b"\xec\xa5")
"""How a Word document begins that stands in a file without a container."""
_MAIN = "WordDocument".encode("utf-16-le")
_OTHERS = tuple(
    name.encode("utf-16-le")
    for name in ("Workbook", "PowerPoint Document", "EncryptedPackage", "__properties_version", "VisioDocument")
)
_BOOK = "Book\x00".encode("utf-16-le")


def holds_word(content: bytes, hints: Hints) -> bool:
    """Whether a file is a Word document in OLE form, or says it is and nothing in it speaks against it."""
    if content.startswith(RAW_SIGNATURES):
        return len(content) > 512
    if not content.startswith(SIGNATURE) or _OTHERS[2] in content:
        return False
    return _MAIN in content or (
        hints.say("doc", "dot", "application/msword") and not any(name in content for name in (*_OTHERS, _BOOK))
    )


def read_streams(content: bytes) -> dict[str, bytes]:
    """Return the streams of the root folder that a Word document consists of, by name.

    Raises:
        IngestionFailed: the container is damaged or has no document.
    """
    if content.startswith(RAW_SIGNATURES):
        return {"WordDocument": content}
    import olefile  # type: ignore[import-untyped]

    try:
        with olefile.OleFileIO(BytesIO(content)) as container:
            streams = {name: _stream(container, name) for name in ("WordDocument", "0Table", "1Table")}
    except (OSError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise corrupt("its container cannot be opened") from error
    if not streams["WordDocument"]:
        raise corrupt("its main part is missing")
    return streams


def read_title(content: bytes) -> str:
    """Return the title from the document's properties, or an empty string."""
    import olefile

    try:
        with olefile.OleFileIO(BytesIO(content)) as container:
            properties = container.get_metadata()
    except Exception:  # noqa: BLE001 - a damaged property set costs the title only
        return ""
    title, codepage = properties.title, properties.codepage or 1252
    if not isinstance(title, bytes):
        return str(title or "")
    try:
        return title.decode("utf-8" if codepage in (65001, -535) else f"cp{codepage % 65_536}").rstrip("\x00")
    except (LookupError, UnicodeDecodeError):
        return ""


def _stream(container: Any, name: str) -> bytes:
    return bytes(container.openstream(name).read()) if container.exists(name) else b""
