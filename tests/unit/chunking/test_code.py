"""Source code is cut by syntax: definitions stay whole, know what they are in, and nothing is dropped."""

from __future__ import annotations

import random
import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.formats import LANGUAGES
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

chunker = TextChunker()

BLOCKS = {
    # language: (a definition, the title it has)
    "python": (
        '# Explains §.\n@decorated(") {")\nasync def do_§(a, b="}}"):\n    """Text\n\n    def no_title():\n    """\n'
        "    return [\n        a,\n        b,\n    ]\n",
        "def do_§",
    ),
    "javascript": (
        "/** Explains §. */\nexport async function do_§(a) {\n  const b = `text\n} ${a}`;\n  return b; // }\n}\n",
        "function do_§",
    ),
    "typescript": (
        "@Injectable({ n: § })\nexport class Do§<T> {\n  constructor(private readonly a: string) {}\n\n"
        "  run(b: number): string {\n    return '}' + b;\n  }\n}\n",
        "class Do§",
    ),
    "java": (
        "/** Explains §. */\n@Override\npublic static List<String> do§(int a, String b)\n        throws IOException {\n"
        '    String c = "}{";\n    return of(c);\n}\n',
        "do§()",
    ),
    "go": (
        "// Do§ explains.\nfunc (s *Server) Do§(a int) error {\n\tb := `}`\n\treturn f(b)\n}\n",
        "func (s *Server) Do§",
    ),
    "rust": (
        "/// Explains §.\n#[inline]\npub fn do_§<'a>(x: &'a str) -> &'a str {\n    let c = '{';\n    x\n}\n",
        "fn do_§",
    ),
    "c": (
        "/* Explains §. */\nstatic int\ndo_§(int a, char *b)\n{\n#ifdef X\n    if (a == '}') {\n#endif\n"
        "        return 1;\n    }\n    return 0;\n}\n",
        "do_§()",
    ),
    "cpp": (
        "// Explains §.\ntemplate <typename T>\nT Box<T>::do_§(const T& a) const\n{\n    return a + T{1};\n}\n",
        "Box<T>::do_§()",
    ),
    "csharp": (
        "/// <summary>Explains §.</summary>\n[Obsolete]\npublic async Task<int> Do§(int a)\n{\n"
        '    var b = @"}";\n    return a;\n}\n',
        "Do§()",
    ),
    "ruby": (
        "# Explains §.\ndef self.do_§(a)\n  b = <<~TEXT\n    end\n  TEXT\n  a.each do |c|\n    c\n  end\nend\n",
        "def self.do_§",
    ),
    "php": (
        "/** Explains §. */\npublic function do§(array $a): int\n{\n    return count($a) + strlen('}');\n}\n",
        "function do§",
    ),
    "kotlin": ("// Explains §.\nsuspend fun String.do§(a: Int): Int {\n    return a + '}'.code\n}\n", "fun String.do§"),
    "swift": (
        "/// Explains §.\npublic func do§(_ a: Int) -> Int {\n    guard a > 0 else {\n        return 0\n    }\n"
        "    return a\n}\n",
        "func do§",
    ),
    "scala": (
        "// Explains §.\ndef do§(a: Int): Int = {\n  a match {\n    case 1 => 2\n    case _ => 3\n  }\n}\n",
        "def do§",
    ),
    "bash": ("# Explains §.\ndo_§() {\n  cat <<EOF\n}\nEOF\n  if true; then\n    echo 'a'\n  fi\n}\n", "do_§()"),
    "sql": (
        "-- Explains §.\nCREATE OR REPLACE FUNCTION do_§() RETURNS int AS $$\nBEGIN\n  RETURN 1;\nEND;\n"
        "$$ LANGUAGE plpgsql;\n",
        "CREATE OR REPLACE FUNCTION do_§",
    ),
    "css": ("/* Explains §. */\n.box-§ > a:hover,\n.box-§ > b {\n  color: red;\n  width: 1px;\n}\n", None),
    "lua": ("-- Explains §.\nlocal function do_§(a)\n  if a then\n    return [[end]]\n  end\nend\n", "function do_§"),
    "r": ("# Explains §.\ndo_§ <- function(a, b) {\n  c <- paste('}', b)\n  c\n}\n", "do_§"),
    "perl": ("# Explains §.\nsub do_§ {\n    my ($a) = @_;\n    return $a;\n}\n", "sub do_§"),
    "elixir": ('@doc "Explains §."\ndef do_§(a) do\n  case a do\n    1 -> 2\n  end\nend\n', "def do_§"),
    "haskell": ("-- Explains §.\ndo§ :: Int -> Int\ndo§ a = b\n  where\n    b = a\n", None),
    "dart": ("/// Explains §.\n@override\nint do§(int a) {\n  return a;\n}\n", "do§()"),
    "powershell": ("# Explains §.\nfunction Do-§ {\n    param($a)\n    return $a\n}\n", "function Do-§"),
    "terraform": (
        '# Explains §.\nresource "aws_thing" "do_§" {\n  name = "a"\n  tags = {\n    b = "}"\n  }\n}\n',
        'resource "aws_thing" "do_§"',
    ),
    "protobuf": ("// Explains §.\nmessage Do§ {\n  string a = 1;\n  int32 b = 2;\n}\n", "message Do§"),
    "graphql": ('"""Explains §."""\ntype Do§ {\n  a: String!\n  b: Int\n}\n', None),
    "clojure": (";; Explains §.\n(defn do-§ [a]\n  (let [b 1]\n    (+ a b)))\n", "defn do-§"),
    "yaml": ("# Explains §.\nservice_§:\n  image: a\n  ports:\n    - 80\n", "service_§"),
    "json": ('  "key_§": {\n    "a": [1, 2],\n    "b": "}"\n  },\n', "key_§"),
    "html": (
        '<section id="s§">\n  <p>It\'s text.</p>\n  <ul>\n    <li>one</li>\n  </ul>\n</section>\n',
        '<section id="s§">',
    ),
    "unheard-of": ('# Explains §.\nfn do_§(a) {\n  b = "}"\n}\n', "fn do_§"),
}


def code(text: str, language: str, size: int) -> list[Chunk]:
    parsed = ParsedDocument(text, f"text/x-{language}", (Span(SpanKind.CODE, 0, len(text)),))
    return list(chunker.split(parsed, ChunkingConfig(ChunkingStrategy.CODE, size), document_id="d", ordinal=1))


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)


def blocks(language: str, count: int = 24) -> list[str]:
    return [BLOCKS[language][0].replace("§", str(100 + number)) for number in range(count)]


class TestDefinitions:
    @pytest.mark.parametrize("language", BLOCKS)
    def test_each_stays_whole_with_its_comment_and_decorator(self, language: str) -> None:
        parts = blocks(language)
        largest = max(chunker.count_tokens(part) for part in parts)
        chunks = code("\n".join(parts), language, largest + 12)
        assert len(chunks) > 12
        for part in parts:
            assert any(part.strip() in chunk.text for chunk in chunks), part

    @pytest.mark.parametrize("language", [name for name, (_, title) in BLOCKS.items() if title])
    def test_each_tells_what_it_is(self, language: str) -> None:
        parts = blocks(language)
        largest = max(chunker.count_tokens(part) for part in parts)
        title = BLOCKS[language][1] or ""
        found = {chunk.headings for chunk in code("\n".join(parts), language, largest + 4)}
        assert found == {(title.replace("§", str(100 + number)),) for number in range(len(parts))}

    def test_small_neighbours_share_a_chunk(self) -> None:
        parts = blocks("python")
        size = 4 * max(chunker.count_tokens(part) for part in parts) + 12
        assert len(code("\n".join(parts), "python", size)) <= len(parts) / 3

    def test_class_that_is_too_big_is_cut_between_its_methods(self) -> None:
        method = "    def m§(self):\n        for a in range(9):\n            print(a)\n\n"
        text = 'import a\n\n\nclass Big(Base):\n    """About."""\n\n' + "".join(
            method.replace("§", str(n)) for n in range(30)
        )
        chunks = code(text, "python", 80)
        assert chunks[0].text.startswith("import a\n\n\nclass Big(Base):")
        for before, chunk in pairwise(chunks):
            name = re.match(r"    def (m\d+)", chunk.text)
            assert name
            assert chunk.headings == ("class Big", f"def {name[1]}")
            assert before.end < chunk.start

    def test_function_that_is_too_big_is_cut_between_its_statements(self) -> None:
        loop = "    for a in range(§):\n        if a:\n            print(a)\n        else:\n            print(-a)\n"
        text = "def long():\n" + "".join(loop.replace("§", str(n)) for n in range(40)) + "\n\ndef short():\n    pass\n"
        chunks = code(text, "python", 90)
        assert all(chunk.text.startswith(("def long", "    for a")) for chunk in chunks[:-1])
        assert all(chunk.headings == ("def long",) for chunk in chunks[:-1])
        assert chunks[-1].headings[:1] in {("def long",), ("def short",)}
        assert chunks[-1].text.endswith("def short():\n    pass")

    def test_signature_is_not_parted_from_its_body(self) -> None:
        body = "".join(f"    total += weight_of({n})\n" for n in range(25))
        text = "\n".join(f"def f{n}():\n{body}" for n in range(12))
        for chunk in code(text, "python", chunker.count_tokens(body) - 20):
            assert not chunk.text.rstrip().endswith("():")

    def test_long_comment_leaves_its_function_whole(self) -> None:
        comment = "".join(f"// Line {n} of an explanation that goes on and on.\n" for n in range(20))
        function = "int f(int a) {\n" + "".join(f"    a += g({n});\n" for n in range(30)) + "    return a;\n}"
        size = chunker.count_tokens(function) + 30
        assert any(function in chunk.text for chunk in code(f"{comment}{function}\n" * 3, "c", size))

    def test_every_language_of_the_parser_has_a_syntax(self) -> None:
        for language in LANGUAGES:
            assert code("one\n\ntwo\n", language, 100)[0].text == "one\n\ntwo"


class TestOtherDocuments:
    def test_code_file_is_cut_by_syntax_under_the_default_strategy(self) -> None:
        text = "\n".join(blocks("go"))
        parsed = ParsedDocument(text, "text/x-go", (Span(SpanKind.CODE, 0, len(text)),))
        config = ChunkingConfig(ChunkingStrategy.SEMANTIC, 120)
        assert list(chunker.split(parsed, config, document_id="d", ordinal=1)) == code(text, "go", 120)

    @pytest.mark.parametrize("strategy", [ChunkingStrategy.OVERLAPPING, ChunkingStrategy.FIXED])
    def test_windows_on_code_tell_the_definition_that_they_begin_in(self, strategy: ChunkingStrategy) -> None:
        text = "class A:\n" + "".join(f"    def m{n}(self):\n        return {n} * 1000\n\n" for n in range(60))
        parsed = ParsedDocument(text, "text/x-python", (Span(SpanKind.CODE, 0, len(text)),))
        chunks = list(chunker.split(parsed, ChunkingConfig(strategy, 100, 10), document_id="d", ordinal=1))
        for chunk in chunks[1:]:
            name = text[: chunk.start + 8].rpartition("def ")[2].partition("(")[0]
            assert chunk.headings[0] == "class A"
            assert chunk.headings[1] in {f"def {name}", f"def m{int(name[1:] or 0) - 1}"} or chunk.start < 20

    def test_fenced_code_stays_whole_where_it_fits(self) -> None:
        fence = "```python\n" + "".join(f"def f{n}():\n    # no heading\n    return {n}\n" for n in range(8)) + "```"
        text = "# Title\n\n" + "\n\n".join(f"Some words before number {n}.\n\n{fence}" for n in range(10))
        parsed = ParsedDocument(text, "text/markdown", find_spans(text))
        config = ChunkingConfig(ChunkingStrategy.SEMANTIC, chunker.count_tokens(fence) + 40)
        chunks = list(chunker.split(parsed, config, document_id="d", ordinal=1))
        assert sum(chunk.text.count(fence) for chunk in chunks) == 10
        assert all(chunk.headings == ("Title",) for chunk in chunks)

    def test_fenced_code_that_is_too_long_is_cut_between_definitions(self) -> None:
        text = (
            "# Title\n\n```python\n"
            + "".join(f"def f{n}():\n    return {n}\n\n" for n in range(60))
            + "```\n\nAfter.\n"
        )
        parsed = ParsedDocument(text, "text/markdown", find_spans(text))
        config = ChunkingConfig(ChunkingStrategy.MARKDOWN, 60)
        chunks = list(chunker.split(parsed, config, document_id="d", ordinal=1))
        assert all(chunk.text.startswith("def f") for chunk in chunks[1:-1])

    def test_prose_under_the_code_strategy_is_cut_by_sentences(self) -> None:
        text = "# Title\n\n" + "A sentence of some words is here. " * 60
        parsed = ParsedDocument(text, "text/markdown", find_spans(text))
        chunks = list(chunker.split(parsed, ChunkingConfig(ChunkingStrategy.CODE, 50), document_id="d", ordinal=1))
        assert all(chunk.text.endswith("here.") for chunk in chunks)


class TestBrokenCode:
    @pytest.mark.parametrize("missing", ["}", "{", ")", "(", '"', "*/", "'"])
    @pytest.mark.parametrize("language", ["c", "javascript", "java", "rust", "python", "unheard-of"])
    def test_one_missing_sign_changes_only_the_chunks_around_it(self, language: str, missing: str) -> None:
        text = "\n".join(
            f"/* About {n}. */\nint do{n}(int a) {{\n    if (a) {{\n        say(\"a\", 'b');\n    }}\n"
            f"    return {n};\n}}\n"
            for n in range(60)
        )
        place = text.index(missing, len(text) // 2)
        whole = {chunk.text for chunk in code(text, language, 120)}
        broken = code(text[:place] + text[place + len(missing) :], language, 120)
        assert sum(chunk.text in whole for chunk in broken) > 0.8 * len(broken)

    def test_merge_conflict_stays_with_the_code_that_it_is_in(self) -> None:
        conflict = "<<<<<<< HEAD\n    b = 1\n=======\n    b = 2\n>>>>>>> other\n"
        text = "".join(f"def f{n}(a):\n    a += 1\n{conflict}    return a\n\n\n" for n in range(20))
        chunks = code(text, "python", 70)
        assert all(chunk.text.startswith("def f") for chunk in chunks)

    def test_mixed_tabs_and_spaces_are_read_alike(self) -> None:
        method = "{0}def m§(self):\n{0}{0}return 1\n\n"
        text = "class A:\n" + "".join(method.format(("\t", "    ")[n % 2]).replace("§", str(n)) for n in range(40))
        assert all(chunk.headings[0] == "class A" for chunk in code(text, "python", 60))

    @settings(max_examples=150, deadline=None)
    @given(
        st.sampled_from(sorted(BLOCKS)),
        st.lists(
            st.one_of(
                st.sampled_from(["{", "}", "(", ")", "[", '"', "'", "`", "/*", "#", "\n", "    ", "\t", "<<EOF\n"]),
                st.text(max_size=3),
            ),
            max_size=12,
        ),
        st.randoms(use_true_random=False),
        st.integers(4, 90),
    )
    def test_not_a_character_is_dropped_whatever_the_code(
        self, language: str, noise: list[str], numbers: random.Random, size: int
    ) -> None:
        text = "\n".join(blocks(language, 6))
        for sign in noise:
            place = numbers.randrange(len(text))
            text = text[:place] + sign + text[place + numbers.randrange(4) :]
        chunks = code(text, language, size)
        assert without_space("".join(chunk.text for chunk in chunks)) == without_space(text)
        assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
        assert all(chunk.token_count <= size for chunk in chunks)


MINIFIED = "".join(
    f"function f{n}(a,b){{var c=a+b*{n};if(c>3){{return c}}else{{for(var i=0;i<c;i++)g(i,'x{n}')}}}};"
    for n in range(12_000)
)
GENERATED = "".join(f"def f{n}(a, b):\n    c = a + {n}\n    return c * b\n\n\n" for n in range(10_000))


class TestLargeCode:
    @pytest.mark.timeout(60)
    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("javascript", MINIFIED),
            ("javascript", MINIFIED.replace("}}}", "}}", 1).replace("'", "", 51)),
            ("python", GENERATED),
            ("python", GENERATED.replace(")", "", 1)),
            ("javascript", "x = [" + ",".join(map(str, range(150_000))) + "]"),
            ("json", "[" * 300_000 + "]" * 300_000),
            ("json", '"' + '\\"' * 300_000),
            ("bash", "".join(f"cat <<E{n}\n" for n in range(40_000))),
            ("c", "/* " * 200_000),
            ("javascript", "`a " * 200_001),
            ("python", "".join(" " * n + f"if x{n}:\n" for n in range(900))),
            ("java", ("public " * 70 + "x(\n") * 1_000),
        ],
        ids=lambda value: "" if len(value) > 20 else value,
    )
    def test_is_cut_in_linear_time(self, language: str, text: str) -> None:
        half = text[: len(text) // 2]
        short, long = (min(self._seconds(part, language) for _ in range(2)) for part in (half, text))
        assert long < 3.5 * short + 0.5

    def _seconds(self, text: str, language: str) -> float:
        began = time.process_time()
        assert code(text, language, 512)
        return time.process_time() - began

    def test_minified_code_is_cut_between_statements(self) -> None:
        chunks = code(MINIFIED[:200_000], "javascript", 512)
        assert all(chunk.text.startswith("function f") for chunk in chunks)
        assert all(chunk.token_count > 300 for chunk in chunks[:-1])

    def test_generated_code_is_cut_between_definitions(self) -> None:
        assert all(chunk.text.startswith("def f") for chunk in code(GENERATED, "python", 512))
