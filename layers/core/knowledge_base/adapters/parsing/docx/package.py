"""The parts of a DOCX package, found by their relationships rather than by their usual names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.archives import Package
from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.adapters.parsing.xml_parts import parse_xml
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

_USUAL_MAIN_PART = "word/document.xml"
_MAIN_CONTENT_TYPES = (
    "wordprocessingml.document.main+xml",
    "wordprocessingml.template.main+xml",
    "ms-word.document.macroenabled.main+xml",
    "ms-word.template.macroenabledtemplate.main+xml",
)


class DocxPackage:
    """A DOCX file's parts: the main one must be readable, all others may be missing or damaged."""

    def __init__(self, content: bytes) -> None:
        self._package = Package(content)
        self._main = self._find_main_part()
        self._relations = list(self._relations_of(self._main))

    def main_part(self) -> Element:
        """Return the document itself.

        Raises:
            IngestionFailed: it is missing or damaged.
        """
        return parse_xml(self._package.read(self._main))

    def related(self, kind: str) -> list[Element]:
        """Return the readable parts that stand in a relation to the main part, such as `footnotes`."""
        parts = [self._read(target) for relation, target, _id in self._relations if relation == kind]
        return [part for part in parts if part is not None]

    def core_title(self) -> str:
        """Return the title from the document's properties, or an empty string."""
        part = self._read("docProps/core.xml")
        return "" if part is None else (part.findtext("title") or "").strip()

    def _read(self, name: str) -> Element | None:
        data = self._package.read_optional(name)
        try:
            return None if data is None else parse_xml(data)
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            return None

    def _find_main_part(self) -> str:
        for kind, target, _id in self._relations_of(""):
            if kind == "officeDocument" and target in self._package:
                return target
        for name in (*self._parts_by_content_type(), _USUAL_MAIN_PART):
            if name in self._package:
                return name
        raise corrupt("its main part is missing")

    def _parts_by_content_type(self) -> Iterator[str]:
        types = self._read("[Content_Types].xml")
        for override in types.iter("Override") if types is not None else ():
            if override.get("ContentType", "").lower().endswith(_MAIN_CONTENT_TYPES):
                yield override.get("PartName", "").lstrip("/")

    def _relations_of(self, part: str) -> Iterator[tuple[str, str, str]]:
        """Yield kind, target part and id of a part's internal relationships."""
        folder, _, name = part.rpartition("/")
        relations = self._read(f"{folder}/_rels/{name}.rels")
        for relation in relations.iter("Relationship") if relations is not None else ():
            if relation.get("TargetMode") != "External":
                kind = relation.get("Type", "").rpartition("/")[2]
                yield kind, _resolve(folder, relation.get("Target", "")), relation.get("Id", "")


def is_docx(content: bytes) -> bool:
    """Whether a ZIP file holds a word-processing document."""
    try:
        package = Package(content)
        types = package.read_optional("[Content_Types].xml") or b""
    except IngestionFailed:
        return b"word/" in content
    return _USUAL_MAIN_PART in package or any(kind.encode() in types.lower() for kind in _MAIN_CONTENT_TYPES)


def _resolve(folder: str, target: str) -> str:
    path = unquote(target.replace("\\", "/"))
    return posixpath.normpath(path if path.startswith("/") else posixpath.join(folder, path)).lstrip("/")
