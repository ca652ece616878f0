"""EPUB: the chapters of a book in the order of its spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.archives import Package
from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.encodings.declared import encodings_of_page
from knowledge_base.adapters.parsing.encodings.decoding import find_encoding
from knowledge_base.adapters.parsing.entities import without_declarations
from knowledge_base.adapters.parsing.epub.xhtml import write_xhtml
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted, without_text
from knowledge_base.adapters.parsing.joined_documents import append_document
from knowledge_base.adapters.parsing.xml_parts import parse_xml
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/epub+zip"
_CONTAINER = "META-INF/container.xml"
_SIGNED = b"mimetype" + MEDIA_TYPE.encode()
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_OBFUSCATED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


class _Book:
    """The parts of a book."""

    def __init__(self, content: bytes) -> None:
        self._package = Package(content)
        path = self._package_path()
        self._folder = posixpath.dirname(path)
        self._contents = parse_xml(self._package.read(path))
        self._items = {item.get("id", ""): item for item in self._contents.iter("item")}
        self._secret = self._encrypted_parts()

    def title(self) -> str:
        title = next(self._contents.iter("title"), None)
        return "" if title is None else " ".join(clean(title.text or "").split())

    def chapters(self) -> list[str]:
        """The pages in the order of the spine, each once, without the table of contents."""
        items = [self._items.get(reference.get("idref", "")) for reference in self._contents.iter("itemref")]
        pages = [item for item in items or self._items.values() if item is not None and _is_chapter(item)]
        return list(dict.fromkeys(self._resolve(item.get("href", ""), self._folder) for item in pages))

    def page(self, name: str) -> Iterator[str]:
        """Return the source of a page in pieces; nothing where it is missing or damaged."""
        if name.lower() in self._secret:
            raise encrypted("the book")
        data = self._package.read_optional(name)
        data = without_declarations(data) if data else None
        found = find_encoding(data, encodings_of_page(data)) if data else None
        return found.pieces() if found else iter(())

    def labels(self) -> dict[str, str]:
        """Return the names that the table of contents gives to pages."""
        found: dict[str, str] = {}
        for item in self._items.values():
            is_navigation = "nav" in item.get("properties", "").split()
            if is_navigation or item.get("media-type") == "application/x-dtbncx+xml":
                path = self._resolve(item.get("href", ""), self._folder)
                contents = self._optional(path)
                for target, label in _entries(contents) if contents is not None else ():
                    found.setdefault(self._resolve(target.partition("#")[0], posixpath.dirname(path)), label)
        return found

    def _package_path(self) -> str:
        container = self._optional(_CONTAINER)
        for root in container.iter("rootfile") if container is not None else ():
            path = unquote(root.get("full-path", ""))
            if path in self._package:
                return path
        found = next((name for name in self._package.names() if name.endswith(".opf")), None)
        if found is None:
            raise corrupt("its list of chapters is missing")
        return found

    def _encrypted_parts(self) -> set[str]:
        listed = self._optional("META-INF/encryption.xml")
        parts = set()
        for entry in listed.iter("EncryptedData") if listed is not None else ():
            method, reference = entry.find("EncryptionMethod"), next(entry.iter("CipherReference"), None)
            is_font = method is not None and method.get("Algorithm") in _OBFUSCATED_FONTS
            if reference is not None and not is_font:
                parts.add(self._resolve(reference.get("URI", ""), "").lower())
        return parts

    def _optional(self, name: str) -> Element | None:
        data = self._package.read_optional(name)
        try:
            return None if data is None else parse_xml(data)
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            return None

    def _resolve(self, target: str, folder: str) -> str:
        return posixpath.normpath(posixpath.join(folder, unquote(target))).lstrip("/")


def _is_chapter(item: Element) -> bool:
    return item.get("media-type", _PAGES[0]).lower() in _PAGES and "nav" not in item.get("properties", "").split()


def _entries(contents: Element) -> list[tuple[str, str]]:
    """Targets and labels of a table of contents: of the older form, or a page with links."""
    points = [(point.find("content"), point.find("navLabel")) for point in contents.iter("navPoint")]
    entries = [(target.get("src", ""), label) for target, label in points if target is not None and label is not None]
    entries += [(link.get("href", ""), link) for link in contents.iter("a")]
    return [(target, " ".join(clean("".join(label.itertext())).split())) for target, label in entries if target]


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    book, out = _Book(content), TextBuilder()
    labels = book.labels()
    for name in book.chapters():
        chapter = TextBuilder()
        write_xhtml(chapter, book.page(name))
        _append(out, chapter, labels.get(name, ""))
        check_length(out)
    if not out.length:
        raise without_text("the book has no text, only pictures or empty pages")
    return ParsedDocument(out.text(), MEDIA_TYPE, out.spans(), book.title())


def _append(out: TextBuilder, chapter: TextBuilder, label: str) -> None:
    """Append a chapter; one without a heading takes that of the table of contents."""
    text, spans = chapter.text(), chapter.spans()
    if not text:
        return
    if label and not any(span.kind is SpanKind.HEADING for span in spans):
        first, _, rest = text.partition("\n")
        out.add_block(label, SpanKind.HEADING, 1)
        text, spans = (rest.lstrip("\n"), ()) if first == label and not spans else (text, spans)
    append_document(out, text, spans)


def _claims(content: bytes, _hints: Hints) -> bool:
    if not content.startswith(archives.SIGNATURE):
        return False
    return _SIGNED in content[:200] or (b"META-INF/container.xml" in content and b".opf" in content)


FORMAT = Format("an EPUB book", _claims, _read, ("zipfile", "xml.etree.ElementTree", "selectolax.lexbor"))
