"""What holds where in an RTF file: the state of a group, the look of a paragraph, and the styles."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.docx.styles import MAX_LEVEL, heading_level_of

_TITLE = "title"


@dataclass(slots=True)
class State:
    """What a group inherits and may change; `closing` is what is written when it ends."""

    destination: bytes = b""
    font: int = -1
    fallback_length: int = 1
    is_unseen: bool = False
    is_deleted: bool = False
    is_bold: bool = False
    in_alternative: bool = False
    closing: str = ""

    def copy(self) -> State:
        """Return the state that a group begins with."""
        return State(self.destination, self.font, self.fallback_length, self.is_unseen, self.is_deleted, self.is_bold)


@dataclass(slots=True)
class Look:
    """What a paragraph is: which style, outline level, and whether it stands in a table or list."""

    style: int = -1
    outline: int = -1
    in_table: bool = False
    is_item: bool = False
    list_level: int = 0


@dataclass(slots=True)
class StyleSheet:
    """Heading levels by style."""

    _levels: dict[int, int] = field(default_factory=dict)
    _titles: set[int] = field(default_factory=set)

    def add(self, number: int, name: str, outline: int) -> None:
        """Note a style; its name counts where it has no outline level of its own."""
        plain = name.strip().rstrip(";").strip()
        level = outline + 1 if 0 <= outline < MAX_LEVEL else heading_level_of(plain)
        if level:
            self._levels[number] = level
        if plain.lower() == _TITLE:
            self._titles.add(number)

    def level_of(self, look: Look) -> int:
        """Return the level of a paragraph as a heading, 0 for body text."""
        if 0 <= look.outline < MAX_LEVEL:
            return look.outline + 1
        return self._levels.get(look.style, int(look.style in self._titles))
