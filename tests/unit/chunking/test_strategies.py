"""Where each strategy cuts."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

chunker = TextChunker()
SENTENCES = [f"Sentence number {number} says that the pump runs at {number} degrees." for number in range(60)]
CHINESE = [f"第{number}条规定，值班人员应当检查水压、油位和温度，并且在记录本上写明时间。" for number in range(60)]


def split(
    text: str, strategy: ChunkingStrategy, size: int, overlap: int = 0, spans: tuple[Span, ...] = ()
) -> list[Chunk]:
    parsed = ParsedDocument(text, "text/plain", spans)
    return list(chunker.split(parsed, ChunkingConfig(strategy, size, overlap), document_id="doc-1", ordinal=3))


def semantic(text: str, size: int, spans: tuple[Span, ...] = ()) -> list[Chunk]:
    return split(text, ChunkingStrategy.SEMANTIC, size, spans=spans)


def markdown(text: str, size: int) -> list[Chunk]:
    return split(text, ChunkingStrategy.MARKDOWN, size, spans=find_spans(text))


class TestSemantic:
    @pytest.mark.parametrize(("sentences", "joint"), [(SENTENCES, " "), (CHINESE, "")])
    def test_chunks_end_with_sentences_and_are_well_filled(self, sentences: list[str], joint: str) -> None:
        chunks = semantic(joint.join(sentences), 200)
        assert all(chunk.text[-1] in ".。" for chunk in chunks)
        assert all(chunk.token_count > 120 for chunk in chunks[:-1])

    def test_paragraph_end_is_preferred_to_a_fuller_chunk(self) -> None:
        paragraphs = [" ".join(SENTENCES[start : start + 4]) for start in range(0, 40, 4)]
        chunks = semantic("\n\n".join(paragraphs), 100)
        assert all(chunk.text in "\n\n".join(paragraphs) for chunk in chunks)
        assert all(chunk.text.split("\n\n")[-1] in paragraphs for chunk in chunks)

    def test_quotation_mark_stays_with_its_sentence(self) -> None:
        text = "他说：“请检查阀门！”" * 30
        assert all(chunk.text.endswith("！”") for chunk in semantic(text, 60))

    def test_abbreviation_ends_no_sentence(self) -> None:
        text = "See Fig. 7 and ask Dr. Weber about it, e.g. tomorrow. " * 20
        assert all(chunk.text.endswith("tomorrow.") for chunk in semantic(text, 60))

    def test_heading_moves_to_its_section(self) -> None:
        text = f"# One\n\n{' '.join(SENTENCES[:7])}\n\n# Two\n\n{' '.join(SENTENCES[7:14])}\n"
        chunks = semantic(text, 110, find_spans(text))
        assert [chunk.text.split("\n")[0] for chunk in chunks if chunk.text.startswith("#")] == ["# One", "# Two"]

    def test_small_sections_share_a_chunk(self) -> None:
        text = "# A\n\nshort\n\n# B\n\nshort too\n"
        assert len(semantic(text, 100, find_spans(text))) == 1

    def test_table_is_cut_between_rows_and_code_between_definitions(self) -> None:
        rows = "\n".join(f"Code: E{number} | Meaning: fault of part {number}. Call service." for number in range(40))
        for chunk in semantic(rows, 80, (Span(SpanKind.TABLE, 0, len(rows)),)):
            assert chunk.text.startswith("Code:")
            assert chunk.text.endswith("service.")

    def test_code_file_is_cut_as_code(self) -> None:
        code = "\n\n".join(f"def f{number}(x):\n    y = x + 1\n\n    return y * {number}" for number in range(30))
        parsed = LibraryDocumentParser().parse(code.encode(), name="a.py")
        config = ChunkingConfig(ChunkingStrategy.SEMANTIC, 60)
        chunks = list(chunker.split(parsed, config, document_id="d", ordinal=1))
        assert len(chunks) > 5
        assert all(chunk.text.startswith("def f") for chunk in chunks)

    def test_at_least_two_megabytes_are_cut_in_a_second(self) -> None:
        text = "\n\n".join(" ".join(SENTENCES) + "".join(CHINESE) for _ in range(80))
        chunker.count_tokens("warm")
        began = time.process_time()
        semantic(text, 512)
        assert len(text.encode()) / 1e6 / (time.process_time() - began) > 2


class TestTables:
    HEADER = "| Code | Meaning |\n|------|---------|\n"
    ROWS = "".join(f"| E{number} | fault of part {number} |\n" for number in range(60))

    @pytest.mark.parametrize("strategy", [ChunkingStrategy.SEMANTIC, ChunkingStrategy.MARKDOWN])
    def test_table_over_the_size_is_cut_between_rows_and_each_piece_names_the_columns(
        self, strategy: ChunkingStrategy
    ) -> None:
        text = f"# Faults\n\n{self.HEADER}{self.ROWS}\nAfter it.\n"
        chunks = split(text, strategy, 100, spans=find_spans(text))
        assert "| Code | Meaning |" in chunks[0].text
        assert all(chunk.text.startswith("| E") for chunk in chunks[1:])
        assert chunks[0].headings == ("Faults",)
        assert {chunk.headings for chunk in chunks[1:]} == {("Faults", "Code | Meaning")}

    @pytest.mark.parametrize("strategy", list(ChunkingStrategy))
    def test_window_inside_a_table_names_the_columns(self, strategy: ChunkingStrategy) -> None:
        text = f"# Faults\n\n{self.HEADER}{self.ROWS}"
        chunks = split(text, strategy, 100, 10, spans=find_spans(text))
        assert all(chunk.headings == ("Faults", "Code | Meaning") for chunk in chunks[2:])

    def test_table_that_fits_stays_whole(self) -> None:
        table = self.HEADER + "".join(self.ROWS.splitlines(keepends=True)[:6])
        text = "\n".join(f"{SENTENCES[number]}\n\n{table}" for number in range(12))
        chunks = semantic(text, 120, find_spans(text))
        assert sum(chunk.text.count(table.strip()) for chunk in chunks) == 12

    def test_header_is_not_parted_from_the_first_row(self) -> None:
        text = f"{' '.join(SENTENCES[:5])}\n\n{self.HEADER}{self.ROWS}"
        for size in range(40, 140, 9):
            chunks = semantic(text, size, find_spans(text))
            assert not any(chunk.text.endswith("|------|---------|") for chunk in chunks)


class TestPlainText:
    def test_line_that_was_only_wrapped_is_no_place_to_cut(self) -> None:
        words = " ".join(SENTENCES[:30]).split()
        text = "\n".join(" ".join(words[start : start + 12]) for start in range(0, len(words), 12))
        chunks = semantic(text, 100)
        assert all(chunk.text.endswith("degrees.") for chunk in chunks)

    def test_list_is_cut_between_items(self) -> None:
        text = "\n".join(f"- Item {number} is about the pump. It has two sentences" for number in range(40))
        assert all(chunk.text.startswith("- Item") for chunk in semantic(text, 80))

    def test_lines_end_with_carriage_returns_as_well(self) -> None:
        text = "\r\n\r\n".join(" ".join(SENTENCES[start : start + 4]) for start in range(0, 40, 4))
        chunks = semantic(text, 90)
        assert len(chunks) == 10
        assert all(chunk.text.endswith("degrees.") for chunk in chunks)


class TestOverlapping:
    def test_windows_have_the_size_and_overlap_that_were_asked_for(self) -> None:
        text = "".join(chr(0x4E00 + number % 500) for number in range(2500))
        chunks = split(text, ChunkingStrategy.OVERLAPPING, 1000, 200)
        assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 1000), (800, 1800), (1600, 2500)]

    @pytest.mark.parametrize("length", [1000, 1001, 1799, 1800, 1801])
    def test_last_window_ends_with_the_text_and_lies_in_no_other(self, length: int) -> None:
        chunks = split("x" * length, ChunkingStrategy.OVERLAPPING, 1000, 200)
        assert chunks[-1].end == length
        assert all(before.end < after.end for before, after in pairwise(chunks))

    @pytest.mark.parametrize("overlap", [80, 99, 100, 5000])
    def test_large_overlap_neither_outgrows_the_size_nor_runs_for_ever(self, overlap: int) -> None:
        chunks = split("word " * 2000, ChunkingStrategy.OVERLAPPING, 100, overlap)
        assert all(len(chunk.text) <= 100 for chunk in chunks)
        assert len(chunks) < 1000

    def test_overlap_below_the_size_is_not_ignored(self) -> None:
        chunks = split("word " * 200, ChunkingStrategy.OVERLAPPING, 100, 80)
        assert chunks[0].end - chunks[1].start == 80


class TestFixed:
    @pytest.mark.parametrize("text", [" ".join(SENTENCES * 5), "".join(CHINESE * 3)])
    def test_windows_are_full_and_overlap_by_the_tokens_asked_for(self, text: str) -> None:
        chunks = split(text, ChunkingStrategy.FIXED, 128, 32)
        assert all(110 <= chunk.token_count <= 128 for chunk in chunks[:-1])
        for before, after in pairwise(chunks):
            shared = chunker.count_tokens(text[after.start : before.end])
            assert 28 <= shared <= 32

    def test_words_are_not_cut_in_two(self) -> None:
        text = "extraordinary incomprehensibility notwithstanding " * 60
        chunks = split(text, ChunkingStrategy.FIXED, 50)
        assert all(chunk.text.strip().split()[-1] in text.split() for chunk in chunks)


class TestMarkdown:
    def test_each_first_level_section_is_a_chunk(self) -> None:
        text = "before\n\n# One\n\n## Inside\n\ntext\n\n# Two\n\n```\n# no heading\n```\n"
        assert [chunk.text for chunk in markdown(text, 500)] == [
            "before",
            "# One\n\n## Inside\n\ntext",
            "# Two\n\n```\n# no heading\n```",
        ]

    def test_section_over_the_limit_is_cut_further(self) -> None:
        text = f"# One\n\n{' '.join(SENTENCES)}\n\n# Two\n\nshort\n"
        chunks = markdown(text, 100)
        assert len(chunks) > 5
        assert chunks[-1].text == "# Two\n\nshort"

    def test_text_whose_headings_all_are_of_lower_level_is_cut_at_the_highest(self) -> None:
        assert len(markdown("## A\n\nx\n\n### B\n\ny\n\n## C\n\nz\n", 500)) == 2

    def test_headings_are_found_in_text_that_nobody_parsed_as_markdown(self) -> None:
        assert len(split("# A\n\nx\n\n# B\n\ny", ChunkingStrategy.MARKDOWN, 500)) == 2


def test_code_is_cut_before_definitions_and_keeps_indentation() -> None:
    code = "class A:\n" + "".join(f"    def m{n}(self):\n        return {n}\n\n" for n in range(30))
    chunks = split(code, ChunkingStrategy.CODE, 60)
    assert all(chunk.text.startswith(("class A", "    def m")) for chunk in chunks)


def test_chunk_knows_its_document_pages_and_headings() -> None:
    pages = ["Handbook\nIntroduction words.", "Starting\nTurn the switch.", "More of starting."]
    text = "\n\n".join(pages)
    spans = (
        Span(SpanKind.PAGE, 0, 28, 1),
        Span(SpanKind.HEADING, 0, 8, 1),
        Span(SpanKind.PAGE, 30, 55, 2),
        Span(SpanKind.HEADING, 30, 38, 2),
        Span(SpanKind.PAGE, 57, 57, 3),
        Span(SpanKind.PAGE, 57, 74, 4),
    )
    whole = semantic(text, 200, spans)
    assert [(chunk.page, chunk.last_page, chunk.headings) for chunk in whole] == [(1, 4, ("Handbook",))]
    parts = semantic(text, 9, spans)
    assert [(chunk.page, chunk.headings) for chunk in parts] == [
        (1, ("Handbook",)),
        (2, ("Handbook", "Starting")),
        (4, ("Handbook", "Starting")),
    ]
    assert {(chunk.document_id, chunk.ordinal) for chunk in parts} == {("doc-1", 3)}


def test_document_without_pages_has_page_zero() -> None:
    (chunk,) = semantic("words", 10)
    assert (chunk.page, chunk.last_page, chunk.headings) == (0, 0, ())


def test_sibling_heading_replaces_the_one_before_and_ends_its_children() -> None:
    text = "# A\n\n### deep\n\none\n\n## B\n\ntwo\n\n# C\n\nthree\n"
    chunks = semantic(text, 8, find_spans(text))
    assert [chunk.headings for chunk in chunks][-2:] == [("A", "B"), ("C",)]
