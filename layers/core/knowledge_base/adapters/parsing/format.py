"""What a format is: who claims a file, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.formats import extension_of
from knowledge_base.domain.parsed import ParsedDocument


@dataclass(frozen=True, slots=True)
class Hints:
    """What the sender says a file is; its content has the last word."""

    name: str = ""
    declared_type: str = ""

    @property
    def extension(self) -> str:
        """The ending of the name in lower case without its dot; empty where there is none."""
        return extension_of(self.name)

    @property
    def kind(self) -> str:
        """The declared type in lower case, without parameters and the leading dot of an extension."""
        return self.declared_type.partition(";")[0].strip().lower().lstrip(".")

    def say(self, *words: str) -> bool:
        """Whether the name's ending or the declared type is one of these words."""
        return self.extension in words or self.kind in words


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    `claims` looks at the content first and must be quick; `read` returns the text with its spans or
    raises `IngestionFailed`. Any other exception of `read` counts as a corrupt file. Heavy libraries are
    imported inside `read`; `libraries` names them, so that they can be loaded ahead of the first file.
    """

    name: str
    claims: Callable[[bytes, Hints], bool]
    read: Callable[[bytes, Hints], ParsedDocument]
    libraries: tuple[str, ...] = ()


def corrupt(what: str) -> IngestionFailed:
    """Return the failure of a file that is damaged."""
    return IngestionFailed(FailureCode.CORRUPT, f"the file is damaged: {what}")


def encrypted(what: str) -> IngestionFailed:
    """Return the failure of a file that cannot be opened without a password."""
    return IngestionFailed(FailureCode.ENCRYPTED, f"{what} is protected by a password")


def without_text(what: str) -> IngestionFailed:
    """Return the failure of a file in which there is nothing to read."""
    return IngestionFailed(FailureCode.NO_TEXT, what)
