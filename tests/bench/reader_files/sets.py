"""The file sets: which files are made, and how many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial

from tests.bench.reader_files import doc, markup, office, office_reports, page_reports, pdf, plain
from tests.bench.reader_files.made import Made


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files of one kind, made from the seeds 1 to `count`."""

    name: str
    make: Callable[[int], Made]
    count: int

    def files(self) -> Iterator[Made]:
        """Make the files."""
        return (self.make(seed) for seed in range(1, self.count + 1))


ALL = (
    FileSet("pdf report", page_reports.pdf_report, 6),
    FileSet("docx report", office_reports.docx_report, 6),
    FileSet("odt report", office_reports.odt_report, 6),
    FileSet("pptx report", page_reports.pptx_report, 6),
    FileSet("xlsx report", page_reports.xlsx_report, 3),
    FileSet("html report", page_reports.html_report, 8),
    FileSet("pdf plain", pdf.plain, 8),
    FileSet("pdf two columns", pdf.two_columns, 8),
    FileSet("pdf two columns by rows", partial(pdf.two_columns, by_rows=True), 8),
    FileSet("pdf chinese", pdf.chinese, 8),
    FileSet("pdf tables", pdf.tabular, 8),
    FileSet("pdf 300 pages", pdf.long, 1),
    FileSet("docx plain", office.docx_plain, 6),
    FileSet("docx tables", office.docx_tables, 6),
    FileSet("docx chinese", office.docx_chinese, 6),
    FileSet("doc plain", doc.doc_plain, 6),
    FileSet("doc chinese", doc.doc_chinese, 6),
    FileSet("rtf", markup.rtf, 6),
    FileSet("odt", office.odt, 6),
    FileSet("pptx", office.pptx_slides, 6),
    FileSet("xlsx", office.xlsx, 3),
    FileSet("csv", plain.comma_separated, 6),
    FileSet("html", markup.html_page, 8),
    FileSet("markdown", markup.markdown, 8),
    FileSet("txt utf-8", plain.text_utf8, 8),
    FileSet("txt encodings", plain.text, len(plain.ENCODINGS)),
    FileSet("epub", markup.epub_book, 4),
    FileSet("eml", markup.mail, 12),
    FileSet("json", plain.records, 6),
    FileSet("code", plain.code, 6),
)


def matching(pattern: str) -> tuple[FileSet, ...]:
    """Return the sets whose name matches a pattern of the shell."""
    return tuple(found for found in ALL if fnmatch(found.name, pattern))
