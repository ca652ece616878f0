"""ZIP packages, read within bounds whatever their headers say."""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO

from knowledge_base.adapters.parsing.format import corrupt, encrypted
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.settings import MEGABYTE

SIGNATURE = b"PK\x03\x04"
MAX_MEMBERS = 10_000
MAX_INFLATED = 200 * MEGABYTE
_ENCRYPTED_FLAG = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, OSError, ValueError)
"""What `zipfile` raises on damaged files."""


class Package:
    """The members of a ZIP file by name, which is taken without regard to case and kind of slash.

    What is inflated altogether is bounded: a member is inflated no further than its directory entry says
    (reading with a size keeps `zipfile` to it), and the entries are counted before.
    """

    def __init__(self, content: bytes) -> None:
        """Open a package.

        Raises:
            IngestionFailed: it is damaged, or has too many members.
        """
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
        except _DAMAGE as error:
            raise corrupt("it is no complete package") from error
        if len(self._archive.filelist) > MAX_MEMBERS:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, f"the file has more than {MAX_MEMBERS} parts")
        self._members = {_plain(info.filename): info for info in self._archive.filelist}
        self._inflated = 0

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._members

    def names(self) -> list[str]:
        """The names of the members, in lower case."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises:
            IngestionFailed: it is missing, damaged or encrypted, or too much has been inflated.
        """
        info = self._members.get(_plain(name))
        if info is None:
            raise corrupt("a part of it is missing")
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise encrypted("the file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise corrupt("a part of it is packed in an unusual way")
        self._count(info.file_size)
        try:
            with self._archive.open(info) as member:
                return member.read(info.file_size + 1)
        except _DAMAGE as error:
            raise corrupt("a part of it cannot be unpacked") from error

    def read_optional(self, name: str) -> bytes | None:
        """Return a member's bytes, or None where it is missing or unreadable."""
        try:
            return self.read(name)
        except IngestionFailed as failure:
            if failure.code is FailureCode.TOO_COMPLEX:
                raise
            return None

    def _count(self, size: int) -> None:
        self._inflated += size
        if self._inflated > MAX_INFLATED:
            limit = f"the file unpacks to more than {MAX_INFLATED // MEGABYTE} MB"
            raise IngestionFailed(FailureCode.TOO_COMPLEX, limit)


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
