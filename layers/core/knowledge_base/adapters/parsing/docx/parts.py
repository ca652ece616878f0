"""The parts of a word-processing document, however it is packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.office_package import OfficePackage
from knowledge_base.adapters.parsing.xml_parts import Around, read_children

IsContainer = Callable[[Element], bool]


class Parts(Protocol):
    """What a document's reader asks for; what is missing or damaged is not there, but for the document itself."""

    def main(self, is_container: IsContainer) -> Iterator[tuple[Around, Element]]:
        """Yield what stands in the document, as `read_children` does.

        Raises:
            IngestionFailed: it is missing or damaged.
        """

    def related(self, kind: str) -> list[Element]:
        """Return the parts of a kind, such as `footnotes`."""

    def named_by(self, element: Element, attribute: str) -> list[Element]:
        """Return the part that an element points to."""

    def file_of(self, element: Element) -> tuple[str, bytes] | None:
        """Return name and bytes of the part that an element stands for."""

    def title(self) -> str:
        """Return the title from the properties, or an empty string."""


class PackageParts:
    """The parts of a packed document."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package

    def main(self, is_container: IsContainer) -> Iterator[tuple[Around, Element]]:
        """Yield what stands in the document."""
        return read_children(self._package.pieces(self._package.main), is_container)

    def related(self, kind: str) -> list[Element]:
        """Return the parts of a kind."""
        return self._package.related_parts(self._package.main, kind)

    def named_by(self, element: Element, attribute: str) -> list[Element]:
        """Return the part that an element points to."""
        return self._package.parts_named_by([element], attribute, self._package.main)

    def file_of(self, element: Element) -> tuple[str, bytes] | None:
        """Return name and bytes of the part that an element stands for."""
        relation = self._package.relations(self._package.main).get(element.get("r:id", ""))
        data = self._package.data(relation.target) if relation else None
        return (relation.target, data) if relation and data else None

    def title(self) -> str:
        """Return the title from the properties, or an empty string."""
        return self._package.core_title()
