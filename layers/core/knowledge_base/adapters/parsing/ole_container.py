"""The compound files of Microsoft's older formats: a small file system in one file ([MS-CFB])."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import Any

from knowledge_base.adapters.parsing.format import corrupt

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
LIBRARY = "olefile"
_UTF_8 = (65001, -535)


class OleContainer:
    """The streams of a compound file, each by its path."""

    def __init__(self, content: bytes) -> None:
        """Open a container.

        Raises:
            IngestionFailed: it is damaged.
        """
        import olefile  # type: ignore[import-untyped]

        try:
            self._container: Any = olefile.OleFileIO(BytesIO(content))
        except (OSError, ValueError, IndexError, TypeError, AttributeError) as error:
            raise corrupt("its container cannot be opened") from error

    def names(self) -> list[str]:
        """Return the names of the streams and storages in the root."""
        return [entry.name for entry in self._container.root.kids]

    def stream(self, *path: str) -> bytes:
        """Return a stream's bytes, none where it is missing or cannot be read at all."""
        try:
            return bytes(self._container.openstream(list(path)).read())
        except (OSError, ValueError, IndexError, TypeError, AttributeError):
            return b""

    def title(self) -> str:
        """Return the title from the document's properties, or an empty string."""
        try:
            properties = self._container.get_metadata()
        except Exception:  # noqa: BLE001 - a damaged property set costs the title only
            return ""
        title, codepage = properties.title, properties.codepage or 1252
        if not isinstance(title, bytes):
            return str(title or "")
        try:
            return title.decode("utf-8" if codepage in _UTF_8 else f"cp{codepage % 65_536}").rstrip("\x00")
        except (LookupError, UnicodeDecodeError):
            return ""


@lru_cache(maxsize=1)
def open_container(content: bytes) -> OleContainer:
    """Return an open container; every format asks for the same one in turn.

    Raises:
        IngestionFailed: it is damaged.
    """
    return OleContainer(content)


def root_names(content: bytes) -> frozenset[str]:
    """Return the names in the root of a compound file, none where it is damaged."""
    try:
        return frozenset(open_container(content).names())
    except Exception:  # noqa: BLE001 - the reader that comes will say what is wrong
        return frozenset()
