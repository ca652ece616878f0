"""The parts of a spreadsheet or presentation package, found by their relationships."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.archives import Package
from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.adapters.parsing.xml_parts import parse_xml
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part has to do with another: the last word of the relation's type, and the other part's name."""

    kind: str
    target: str


class OfficePackage:
    """An Office file's parts: the main one must be readable, all others may be missing or damaged."""

    def __init__(self, content: bytes, usual_main_part: str) -> None:
        """Open a package.

        Raises:
            IngestionFailed: it is damaged, or has no main part.
        """
        self._package = Package(content)
        self.main = self._find_main_part(usual_main_part)

    def main_part(self) -> Element:
        """Return the root of the main part.

        Raises:
            IngestionFailed: it is damaged.
        """
        return parse_xml(self._package.read(self.main))

    def data(self, name: str) -> bytes | None:
        """Return a part's bytes, or None where it is missing or unreadable."""
        return self._package.read_optional(name)

    def part(self, name: str) -> Element | None:
        """Return a part's root, or None where it is missing or damaged."""
        data = self.data(name)
        try:
            return None if data is None else parse_xml(data)
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """Return a part's internal relationships by their ids."""
        folder, _, name = part.rpartition("/")
        listed = self.part(f"{folder}/_rels/{name}.rels")
        return {
            relation.get("Id", ""): Relation(
                relation.get("Type", "").rpartition("/")[2], _resolve(folder, relation.get("Target", ""))
            )
            for relation in (listed.iter("Relationship") if listed is not None else ())
            if relation.get("TargetMode") != "External"
        }

    def related(self, part: str, kind: str) -> list[str]:
        """Return the names of the parts that stand in a relation to a part."""
        return [relation.target for relation in self.relations(part).values() if relation.kind == kind]

    def core_title(self) -> str:
        """Return the title from the document's properties, or an empty string."""
        properties = self.part("docProps/core.xml")
        return "" if properties is None else (properties.findtext("title") or "").strip()

    def _find_main_part(self, usual: str) -> str:
        for name in (*self.related("", "officeDocument"), usual):
            if name in self._package:
                return name
        raise corrupt("its main part is missing")


def is_package_of(content: bytes, main_part: str, content_types: tuple[bytes, ...]) -> bool:
    """Whether a ZIP file has this main part, or one of these content types (in lower case)."""
    try:
        package = Package(content)
        types = (package.read_optional("[Content_Types].xml") or b"").lower()
    except IngestionFailed:
        return main_part.encode() in content
    return main_part in package or any(kind in types for kind in content_types)


def _resolve(folder: str, target: str) -> str:
    path = unquote(target.replace("\\", "/"))
    return posixpath.normpath(path if path.startswith("/") else posixpath.join(folder, path)).lstrip("/")
