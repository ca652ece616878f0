"""The parts of an Office file (documents, workbooks, presentations), found by their relationships."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.archives import SIGNATURE, Package
from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.adapters.parsing.xml_parts import parse_pieces
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

Reduce = Callable[[Iterable[bytes]], Iterator[bytes]]
"""What leaves out of a part's bytes what its reader does not look at."""
_ATTRIBUTE = re.compile(r'(\w++)="([^"<>&]*+)"')
_RELATION = re.compile(r"<Relationship ([^<>]*+)>")
_PLAIN_RELATIONS = re.compile(
    rb'(?:<\?xml[^<>&?]*+\?>\s*+)?+<Relationships xmlns="[\w:/.-]*+">'
    rb'(?:\s*+<Relationship (?:\w++="[^"<>&\x00-\x1f\x7f-\xff]*+"\s*+)++(?:/>|></Relationship>))*+'
    rb"\s*+</Relationships>\s*+"
)
_CONTENT_TYPES = "[Content_Types].xml"


@lru_cache(maxsize=1)
def _listing(content: bytes) -> tuple[frozenset[str], bytes]:
    """Names and content types of a package's parts, none where it is damaged; every kind asks for them in turn."""
    try:
        package = Package(content)
        return frozenset(package.names()), (package.read_optional(_CONTENT_TYPES) or b"").lower()
    except IngestionFailed:
        return frozenset(), b""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of Office file: what its main part is usually called, and the content types that it may have."""

    main_part: str
    content_types: tuple[str, ...]

    def holds(self, content: bytes) -> bool:
        """Whether a file is of this kind."""
        if not content.startswith(SIGNATURE):
            return False
        names, types = _listing(content)
        if not names:
            return self.main_part.encode() in content
        return self.main_part in names or any(kind.encode() in types for kind in self.content_types)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part has to do with another: the last word of the relation's type, and the other part's name."""

    kind: str
    target: str


class OfficePackage:
    """An Office file's parts: the main one must be readable, all others may be missing or damaged."""

    def __init__(self, content: bytes, kind: Kind) -> None:
        """Open a package.

        Raises:
            IngestionFailed: it is damaged, or has no main part.
        """
        self._package = Package(content)
        self._relations: dict[str, dict[str, Relation]] = {}
        self.main = self._find_main_part(kind)

    def __contains__(self, name: str) -> bool:
        return name in self._package

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield a part's bytes piece by piece.

        Raises:
            IngestionFailed: it is missing or damaged.
        """
        return self._package.pieces(name)

    def main_part(self) -> Element:
        """Return the root of the main part.

        Raises:
            IngestionFailed: it is damaged.
        """
        return parse_pieces(self.pieces(self.main))

    def data(self, name: str) -> bytes | None:
        """Return a part's bytes, or None where it is missing or unreadable."""
        return self._package.read_optional(name)

    def part(self, name: str, reduce: Reduce = iter) -> Element | None:
        """Return the root of what is left of a part when it is reduced, or None where it is missing or damaged."""
        try:
            return parse_pieces(reduce(self.pieces(name))) if name in self else None
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """Return a part's internal relationships by their ids."""
        if part not in self._relations:
            self._relations[part] = dict(self._read_relations(part))
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """Return the names of the parts that stand in a relation to a part."""
        return [relation.target for relation in self.relations(part).values() if relation.kind == kind]

    def related_parts(self, part: str, kind: str, reduce: Reduce = iter) -> list[Element]:
        """Return the roots of the readable parts that stand in a relation to a part."""
        return self._parts(self.related(part, kind), reduce)

    def parts_named_by(self, elements: Iterable[Element], attribute: str, part: str) -> list[Element]:
        """Return the roots of the readable parts whose ids a part's elements give in an attribute."""
        relations = [self.relations(part).get(element.get(attribute, "")) for element in elements]
        return self._parts([relation.target for relation in relations if relation])

    def core_title(self) -> str:
        """Return the title from the document's properties, or an empty string."""
        properties = self.part("docProps/core.xml")
        return "" if properties is None else (properties.findtext("title") or "").strip()

    def _parts(self, names: Iterable[str], reduce: Reduce = iter) -> list[Element]:
        return [part for name in names if (part := self.part(name, reduce)) is not None]

    def _read_relations(self, part: str) -> Iterator[tuple[str, Relation]]:
        folder, _, name = part.rpartition("/")
        for relation in self._listed_relations(f"{folder}/_rels/{name}.rels"):
            if relation.get("TargetMode") != "External":
                kind = relation.get("Type", "").rpartition("/")[2]
                yield relation.get("Id", ""), Relation(kind, _resolve(folder, relation.get("Target", "")))

    def _listed_relations(self, name: str) -> Iterable[Mapping[str, str]]:
        """Nearly all are written so plainly that no tree is needed; presentations have a list for each slide."""
        data = self.data(name) or b""
        if _PLAIN_RELATIONS.fullmatch(data):
            text = data.decode("ascii")
            return (dict(_ATTRIBUTE.findall(relation)) for relation in _RELATION.findall(text))
        listed = self.part(name)
        return (relation.attrib for relation in listed.iter("Relationship")) if listed is not None else ()

    def _find_main_part(self, kind: Kind) -> str:
        for name in (*self.related("", "officeDocument"), *self._parts_typed(kind.content_types), kind.main_part):
            if name in self._package:
                return name
        raise corrupt("its main part is missing")

    def _parts_typed(self, content_types: tuple[str, ...]) -> Iterator[str]:
        types = self.part(_CONTENT_TYPES)
        for override in types.iter("Override") if types is not None else ():
            if override.get("ContentType", "").lower().endswith(content_types):
                yield override.get("PartName", "").lstrip("/")


def _resolve(folder: str, target: str) -> str:
    path = unquote(target.replace("\\", "/"))
    return posixpath.normpath(path if path.startswith("/") else posixpath.join(folder, path)).lstrip("/")
