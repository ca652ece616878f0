"""Texts without marks: prose in many encodings, rows, records and source code."""

from __future__ import annotations

import csv
import io
import json
import random
from typing import Any

from tests.bench.reader_files import languages
from tests.bench.reader_files.languages import CHINESE, ENGLISH, Language
from tests.bench.reader_files.made import Made, named_values, tables

ENCODINGS: tuple[tuple[str, Language], ...] = (
    ("utf-8", ENGLISH),
    ("utf-8", CHINESE),
    ("utf-8-sig", languages.GERMAN),
    ("utf-16", CHINESE),
    ("utf-16-le", ENGLISH),
    ("gb18030", CHINESE),
    ("big5", languages.TRADITIONAL),
    ("shift_jis", languages.JAPANESE),
    ("euc_jp", languages.JAPANESE),
    ("euc_kr", languages.KOREAN),
    ("cp1251", languages.RUSSIAN),
    ("koi8_r", languages.RUSSIAN),
    ("iso8859_5", languages.RUSSIAN),
    ("cp1250", languages.POLISH),
    ("iso8859_2", languages.POLISH),
    ("cp1252", languages.FRENCH),
    ("iso8859_1", languages.GERMAN),
    ("cp1253", languages.GREEK),
    ("cp1254", languages.TURKISH),
)
_FUNCTION = '''
def {verb}_{noun}_{n}({noun}: int, {other}: str = "{word}") -> int:
    """{sentence}"""
    # {comment}
    total_{n} = {noun} * {m} + len({other})
    if total_{n} > {m}:
        raise ValueError(f"{noun} is too large: {{total_{n}}}")
    return total_{n}
'''


def text(seed: int) -> Made:
    """Prose in the encoding whose turn it is."""
    encoding, language = ENCODINGS[(seed - 1) % len(ENCODINGS)]
    chance = random.Random(seed)
    known = "\n\n".join(language.paragraph(chance) for _ in range(60))
    return Made(f"{encoding}-{seed}.txt", known.encode(encoding), known)


def text_utf8(seed: int) -> Made:
    """Two hundred kilobytes of UTF-8, English and Chinese by turns."""
    chance, language = random.Random(seed), (ENGLISH, CHINESE)[seed % 2]
    known = "\n\n".join(language.paragraph(chance) for _ in range(500))
    return Made(f"long-{seed}.txt", known.encode(), known)


def comma_separated(seed: int) -> Made:
    """Rows below the names of their columns."""
    rows = tables(seed, 1, rows=4_000)[0].rows
    target = io.StringIO()
    csv.writer(target).writerows(rows)
    known = "\n".join(" ".join(row) for row in rows)
    return Made(f"rows-{seed}.csv", target.getvalue().encode(), known, facets=tuple(named_values(rows)))


def records(seed: int) -> Made:
    """A list of nested records."""
    chance = random.Random(seed)
    found: list[dict[str, Any]] = [
        {
            "id": number,
            "title": ENGLISH.title(chance),
            "place": {"building": chance.randrange(99), "room": ENGLISH.cell(chance)},
            "tags": [ENGLISH.cell(chance) for _ in range(3)],
            "text": ENGLISH.paragraph(chance, sentences=2),
        }
        for number in range(800)
    ]
    known = "\n".join(
        f"id {r['id']} title {r['title']} building {r['place']['building']} room {r['place']['room']} "
        f"tags {' '.join(r['tags'])} text {r['text']}"
        for r in found
    )
    return Made(f"records-{seed}.json", json.dumps(found, indent=1).encode(), known)


def code(seed: int) -> Made:
    """A module of functions."""
    chance = random.Random(seed)
    written = "".join(
        _FUNCTION.format(
            verb=ENGLISH.word("verb", chance),
            noun=ENGLISH.word("noun", chance),
            other=ENGLISH.word("adjective", chance),
            word=ENGLISH.cell(chance),
            sentence=ENGLISH.sentence(chance),
            comment=ENGLISH.sentence(chance),
            n=number,
            m=chance.randrange(10**6),
        )
        for number in range(500)
    )
    return Made(f"module_{seed}.py", written.encode(), written)
