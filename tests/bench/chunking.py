"""How fast text is cut into chunks, beside the public libraries that are installed, and what an edit leaves as it was.

The peers are no dependency: `pip install semantic-text-splitter chonkie langchain-text-splitters
tree-sitter-python tree-sitter-javascript` adds their rows. All count tokens of `cl100k_base`; where a peer takes a
function for it, it is given the one that the product counts with. Each tells the tokens and the place of each chunk.
"""

from __future__ import annotations

import importlib
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.adapters.chunking.tokens import count_each
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

MEGABYTES, RUNS, EDITS = 1, 3, 20
OVERLAPPING = ChunkingConfig(ChunkingStrategy.OVERLAPPING, 1000, 200)
FIXED = ChunkingConfig(ChunkingStrategy.FIXED, 512, 64)
SEMANTIC = ChunkingConfig(ChunkingStrategy.SEMANTIC, 512)
MARKDOWN = ChunkingConfig(ChunkingStrategy.MARKDOWN, 512)
CODE = ChunkingConfig(ChunkingStrategy.CODE, 512)
MODEL = "gpt-4"
"""A model that counts in `cl100k_base`."""

chunker = TextChunker()


class Texts:
    """Texts of words with a natural distribution, as a list of paragraphs, sections or definitions."""

    def __init__(self) -> None:
        self._numbers = random.Random(7)
        self._words = ["".join(self._numbers.choices("aeiourstlnmpdk", k=2 + n % 9)) for n in range(20_000)]
        self._weights = list(accumulate(1 / rank for rank in range(1, 20_001)))
        self._signs = [chr(0x4E00 + n * 7) for n in range(2_500)]
        self._sign_weights = list(accumulate(1 / (rank + 20) for rank in range(2_500)))

    def of(self, make: Callable[[], str], size: float) -> list[str]:
        parts, length = [], 0
        while length < size:
            parts.append(make())
            length += len(parts[-1].encode())
        return parts

    def english(self) -> str:
        return " ".join(f"{self._some_words(5, 25).capitalize()}." for _ in range(self._numbers.randint(2, 7)))

    def chinese(self) -> str:
        return "".join(f"{self._some_signs(6, 30)}{self._numbers.choice('，。。！？')}" for _ in range(6)) + "。"

    def section(self) -> str:
        heading = "#" * self._numbers.choice((1, 2, 2, 3, 3, 3))
        table = "| a | b |\n|---|---|\n" + "".join(f"| {self._some_words(1, 3)} | {n} |\n" for n in range(6))
        code = f"```python\ndef f(x):\n    # {self._some_words(2, 5)}\n    return x\n```"
        more = self._numbers.choice((table, code, self.english(), self.english()))
        return "\n\n".join((f"{heading} {self._some_words(2, 6)}", self.english(), more, self.english()))

    def python(self) -> str:
        names = iter(self._numbers.choices(self._words, k=200))
        body = "".join(f"    {next(names)} = {next(names)}({next(names)}, {n})  # {next(names)}\n" for n in range(9))
        loop = (
            f"    for {next(names)} in {next(names)}:\n        if {next(names)}:\n            print('{next(names)}')\n"
        )
        function = f'def {next(names)}({next(names)}):\n    """{self.english()}"""\n{body}{loop}'
        return f"# {self._some_words(4, 9)}\n@{next(names)}\n{function}"

    def javascript(self) -> str:
        names = self._numbers.choices(self._words, k=6)
        return (
            "function {0}(a,b){{var {1}=a+b*2;if({1}>3){{return {2}}}else{{for(var i=0;i<b;i++){3}(i,'{4}')}}}}".format(
                *names
            )
        )

    def _some_words(self, least: int, most: int) -> str:
        return " ".join(
            self._numbers.choices(self._words, cum_weights=self._weights, k=self._numbers.randint(least, most))
        )

    def _some_signs(self, least: int, most: int) -> str:
        count = self._numbers.randint(least, most)
        return "".join(self._numbers.choices(self._signs, cum_weights=self._sign_weights, k=count))


def report() -> None:
    """Print the tables."""
    texts = Texts()
    size = MEGABYTES * 1e6
    kinds = {
        "English": "\n\n".join(texts.of(texts.english, size)),
        "Chinese": "\n\n".join(texts.of(texts.chinese, size)),
        "Markdown": "\n\n".join(texts.of(texts.section, size)),
        "Python": "\n\n".join(texts.of(texts.python, size)),
        "minified JavaScript": "".join(texts.of(texts.javascript, size / 4)),
    }
    chunker.count_tokens("warm")
    print(f"\n## Chunking, MB of UTF-8 a second of processor time (best of {RUNS}), and number of chunks\n")
    print(f"| cutter | {' | '.join(kinds)} |")
    print(f"|---|{'---|' * len(kinds)}")
    for name, cutter in _cutters():
        print(f"| {name} | {' | '.join(_cell(cutter, kind, text) for kind, text in kinds.items())} |", flush=True)
    _report_edits(texts)


def _cell(cutter: Callable[[str, str], int | None], kind: str, text: str) -> str:
    best, chunks = 0.0, None
    for _ in range(RUNS):
        begin = time.process_time()
        try:
            chunks = cutter(kind, text)
        except (NotImplementedError, RecursionError):
            return "fails"
        if chunks is None:
            return "–"
        best = max(best, len(text.encode()) / 1e6 / (time.process_time() - begin))
    return f"{best:.1f} ({chunks:,})"


def _parsed(kind: str, text: str) -> ParsedDocument:
    if kind in _LANGUAGES:
        return ParsedDocument(text, f"text/x-{_LANGUAGES[kind]}", (Span(SpanKind.CODE, 0, len(text)),))
    return ParsedDocument(text, "text/markdown", find_spans(text) if kind == "Markdown" else ())


_LANGUAGES = {"Python": "python", "minified JavaScript": "javascript"}


def _cutters() -> Iterator[tuple[str, Callable[[str, str], int | None]]]:
    for config in (OVERLAPPING, FIXED, SEMANTIC, MARKDOWN, CODE):
        yield f"**{config.strategy.value}** {config.size}/{config.overlap}", _ours(config)
    for peers in (_semantic_text_splitter, _chonkie, _langchain):
        try:
            yield from peers()
        except ImportError as missing:
            print(f"| ({missing.name} is not installed) |")


def _ours(config: ChunkingConfig) -> Callable[[str, str], int | None]:
    def cut(kind: str, text: str) -> int | None:
        if (config is CODE and kind not in _LANGUAGES) or (config is MARKDOWN and kind != "Markdown"):
            return None
        return sum(1 for _ in chunker.split(_parsed(kind, text), config, document_id="d", ordinal=1))

    return cut


def _semantic_text_splitter() -> Iterator[tuple[str, Callable[[str, str], int | None]]]:
    peer: Any = importlib.import_module("semantic_text_splitter")
    characters = peer.TextSplitter(1000, overlap=200)
    tokens = peer.TextSplitter.from_tiktoken_model(MODEL, 512)
    windows = peer.TextSplitter.from_tiktoken_model(MODEL, 512, overlap=64)
    markdown = peer.MarkdownSplitter.from_tiktoken_model(MODEL, 512)
    yield (
        "semantic-text-splitter, characters 1000/200",
        lambda _kind, text: _counted(piece for _, piece in characters.chunk_indices(text)),
    )
    yield "semantic-text-splitter, tokens 512/64", lambda _kind, text: len(windows.chunk_indices(text))
    yield "semantic-text-splitter, tokens 512", lambda _kind, text: len(tokens.chunk_indices(text))
    yield "its Markdown splitter", lambda kind, text: len(markdown.chunk_indices(text)) if kind == "Markdown" else None
    grammars = {kind: importlib.import_module(f"tree_sitter_{language}") for kind, language in _LANGUAGES.items()}
    code = {kind: peer.CodeSplitter.from_tiktoken_model(g.language(), MODEL, 512) for kind, g in grammars.items()}
    yield "its code splitter", lambda kind, text: len(code[kind].chunk_indices(text)) if kind in code else None


def _chonkie() -> Iterator[tuple[str, Callable[[str, str], int | None]]]:
    peer: Any = importlib.import_module("chonkie")
    characters = peer.TokenChunker(tokenizer="character", chunk_size=1000, chunk_overlap=200)
    yield "chonkie, characters 1000/200", lambda _kind, text: _counted(chunk.text for chunk in characters.chunk(text))
    yield "chonkie, sentences, tokens 512", lambda _kind, text: len(_new(peer.SentenceChunker).chunk(text))
    yield "chonkie, recursive, tokens 512", lambda _kind, text: len(_new(peer.RecursiveChunker).chunk(text))


def _new(cutter: Any) -> Any:
    """Return a cutter that does not remember counts of an earlier run, as the tokenizers inside do."""
    return cutter(tokenizer=lambda text: chunker.count_tokens(text), chunk_size=512)


def _langchain() -> Iterator[tuple[str, Callable[[str, str], int | None]]]:
    peer: Any = importlib.import_module("langchain_text_splitters")
    splitter = peer.RecursiveCharacterTextSplitter
    characters = splitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    tokens = splitter(chunk_size=512, chunk_overlap=0, length_function=chunker.count_tokens, add_start_index=True)
    yield (
        "langchain, characters 1000/200",
        lambda _kind, text: _counted(document.page_content for document in characters.create_documents([text])),
    )
    yield "langchain, recursive, tokens 512", lambda _kind, text: len(tokens.create_documents([text]))


def _counted(texts: Iterator[str]) -> int:
    return len(count_each(list(texts)))


def _report_edits(texts: Texts) -> None:
    print(f"\n## Chunks whose text outlives one inserted paragraph in the middle (mean of {EDITS} edits)\n")
    print("| strategy | chunks | changed | outlive |\n|---|---|---|---|")
    sources = {
        "English": (texts.english, (OVERLAPPING, FIXED, SEMANTIC)),
        "Chinese": (texts.chinese, (OVERLAPPING, FIXED, SEMANTIC)),
        "Markdown": (texts.section, (OVERLAPPING, FIXED, SEMANTIC, MARKDOWN)),
        "Python": (texts.python, (OVERLAPPING, FIXED, CODE)),
    }
    for kind, (make, configs) in sources.items():
        parts = texts.of(make, 200_000)
        for config in configs:
            print(f"| {config.strategy.value}, {kind} | {_edits(kind, parts, make, config)} |", flush=True)


def _edits(kind: str, parts: Sequence[str], make: Callable[[], str], config: ChunkingConfig) -> str:
    before = _texts_of(kind, "\n\n".join(parts), config)
    known = set(before)
    changed = []
    for number in range(EDITS):
        place = len(parts) // 4 + number * len(parts) // (2 * EDITS)
        after = _texts_of(kind, "\n\n".join((*parts[:place], make(), *parts[place:])), config)
        changed.append(sum(text not in known for text in after))
    mean = statistics.mean(changed)
    return f"{len(before)} | {mean:.1f} | {100 - 100 * mean / len(before):.1f} %"


def _texts_of(kind: str, text: str, config: ChunkingConfig) -> list[str]:
    return [chunk.text for chunk in chunker.split(_parsed(kind, text), config, document_id="d", ordinal=1)]
