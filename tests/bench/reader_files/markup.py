"""Pages, books, mails and texts with marks in them."""

from __future__ import annotations

import html
import random
from email.message import EmailMessage
from io import BytesIO

from ebooklib import epub

from tests.bench.reader_files.languages import CHINESE, ENGLISH, GERMAN
from tests.bench.reader_files.made import Made, Section, facets_of, sections, tables, text_of

_NAVIGATION = ("Imprint", "Newsletter", "Bookmarks", "Sitemap", "Logout", "Cookies", "Webshop", "Careers")
DECORATION = " ".join(_NAVIGATION * 2)
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ margin: 0 }} .menu a {{ color: red }}</style>
<script>window.data = {{"state": [1, 2, 3], "markup": "<p>not text</p>"}};</script></head>
<body><nav class="menu"><ul>{navigation}</ul></nav>
<main id="content"><article>
{body}
</article></main>
<footer><ul>{navigation}</ul></footer><script>track();</script></body></html>
"""


def html_page(seed: int) -> Made:
    """A page with navigation above and below its text, which has links, emphases, lists and tables."""
    parts = _parts(seed, 40)
    written = page(parts[0].title, "\n".join(map(html_section, parts)))
    return Made(f"page-{seed}.html", written.encode(), text_of(parts), unwanted=DECORATION, facets=facets_of(parts))


def page(title: str, body: str) -> str:
    """Return a page with navigation around its body."""
    navigation = "".join(f'<li><a href="/{word.lower()}">{word}</a></li>' for word in _NAVIGATION)
    return _PAGE.format(title=title, navigation=navigation, body=body)


def markdown(seed: int) -> Made:
    """Headings, emphases, lists, tables and code."""
    parts = _parts(seed, 60)
    written = "\n\n".join(map(_markdown_section, parts))
    return Made(f"text-{seed}.md", written.encode(), text_of(parts), facets=facets_of(parts))


def epub_book(seed: int) -> Made:
    """A book of twelve chapters."""
    book = epub.EpubBook()
    book.set_identifier(f"book-{seed}")
    book.set_title(f"Book {seed}")
    book.set_language("en")
    parts = [_parts(seed * 100 + chapter, 8) for chapter in range(12)]
    chapters = []
    for place, part in enumerate(parts):
        chapter = epub.EpubHtml(title=part[0].title, file_name=f"chapter_{place:02}.xhtml")
        chapter.content = f"<html><body>{''.join(map(html_section, part))}</body></html>"
        book.add_item(chapter)
        chapters.append(chapter)
    book.toc, book.spine = chapters, chapters
    book.add_item(epub.EpubNcx())
    target = BytesIO()
    epub.write_epub(target, book)
    return Made(
        f"book-{seed}.epub", target.getvalue(), "\n\n".join(map(text_of, parts)), facets=facets_of(sum(parts, ()))
    )


def mail(seed: int) -> Made:
    """A mail with a plain body and the same in HTML, in one of three languages."""
    parts = sections(seed, 10, language=(ENGLISH, GERMAN, CHINESE)[seed % 3])
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = parts[0].title, "Änne <a@example.org>", "b@example.org"
    message["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
    message.set_content(text_of(parts), charset="utf-8", cte="quoted-printable" if seed % 2 else "base64")
    message.add_alternative("".join(map(html_section, parts)), subtype="html")
    return Made(f"mail-{seed}.eml", message.as_bytes(), text_of(parts))


def rtf(seed: int) -> Made:
    """Paragraphs of several groups, and Chinese by the numbers of its characters."""
    parts = sections(seed, 40)
    parts += sections(seed, 20, language=CHINESE)
    body = "\n".join(_rtf_section(part) for part in parts)
    head = (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\froman\fcharset0 Times New Roman;}{\f1\fnil\fcharset134 SimSun;}}"
        r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}\viewkind4\uc1"
    )
    return Made(f"text-{seed}.rtf", f"{head}\n{body}\n}}".encode("ascii"), text_of(parts), facets=facets_of(parts))


def _parts(seed: int, count: int) -> tuple[Section, ...]:
    texts, grids = sections(seed, count), tables(seed, count, rows=6)
    return tuple(
        Section(text.title, text.paragraphs, grid.rows if place % 4 == 3 else ())
        for place, (text, grid) in enumerate(zip(texts, grids, strict=True))
    )


def html_section(part: Section, before_table: str = "") -> str:
    """Return a section's heading, paragraphs and table."""
    paragraphs = "".join(f"<p>{_html_words(text)}</p>\n" for text in part.paragraphs)
    head = "".join(f"<th>{cell}</th>" for cell in part.rows[0]) if part.rows else ""
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in part.rows[1:])
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if part.rows else ""
    return f"<h2>{html.escape(part.title)}</h2>\n{paragraphs}{before_table}{table}\n"


def _html_words(text: str) -> str:
    """Mark every tenth word as important, and every seventeenth as a link."""
    words = html.escape(text).split(" ")
    for place in range(9, len(words), 10):
        words[place] = f"<b>{words[place]}</b>"
    for place in range(16, len(words), 17):
        words[place] = f'<a href="/about/{place}">{words[place]}</a>'
    return " ".join(words)


def _markdown_section(part: Section) -> str:
    rows = [f"| {' | '.join(row)} |" for row in part.rows]
    table = "\n".join((rows[0], "|---" * len(part.rows[0]) + "|", *rows[1:])) if rows else ""
    return "\n\n".join(filter(None, (f"## {part.title}", *map(_markdown_words, part.paragraphs), table)))


def _markdown_words(text: str) -> str:
    words = text.split(" ")
    for place in range(9, len(words), 10):
        words[place] = f"**{words[place]}**"
    return " ".join(words)


def _rtf_section(part: Section) -> str:
    chance = random.Random(part.title)
    lines = [rf"\pard\s1\b\fs32 {_rtf_words(part.title)}\b0\par"]
    for text in part.paragraphs:
        runs = [text[start : start + 60] for start in range(0, len(text), 60)]
        marked = (
            rf"{{\rtlch\fcs1 \af0 \ltrch\fcs0 \insrsid{chance.randrange(10**7)} {_rtf_words(run)}}}" for run in runs
        )
        lines.append(rf"\pard\plain\s0\fs22 {''.join(marked)}\par")
    return "\n".join(lines)


def _rtf_words(text: str) -> str:
    return "".join(sign if sign.isascii() else rf"\u{(ord(sign) + 0x8000) % 0x10000 - 0x8000}?" for sign in text)
