"""Cleaning Markdown as it streams."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_base.services.markup import LONGEST_CONSTRUCT, MarkupFilter

OURS = "https://docs.example/a"


def cleaned(*pieces: str) -> str:
    """Clean text that has two sources, and one address of theirs."""
    markup = MarkupFilter(keep_marker=lambda number: number in (1, 2), keep_url=lambda url: url == OURS)
    return "".join([*map(markup.feed, pieces), markup.finish()])


CASES = {
    "a marker of a source": ("It starts [1].", "It starts [1]."),
    "a marker of no source": ("It starts [7].", "It starts."),
    "zero": ("It starts [0].", "It starts."),
    "a huge number": ("It starts [99999999999999999999].", "It starts."),
    "a list of markers": ("It starts [1, 2, 9].", "It starts [1][2]."),
    "a range": ("It starts [1-3].", "It starts [1][2]."),
    "an attached marker": ("It starts[2]. It stops[9].", "It starts[2]. It stops."),
    "markers in a row": ("It starts [9][1][8].", "It starts [1]."),
    "a footnote": ("It starts [^2].", "It starts [2]."),
    "wide brackets": ("启动【1】停止［2］。【9】", "启动[1]停止[2]。【9】"),
    "a marker before a word": ("a [9] b", "a b"),
    "words in brackets": ("see [note] and [a1]", "see [note] and [a1]"),
    "a list of sources": ("[1]: guide.pdf\n[9]: other.pdf", "[1]: guide.pdf\n: other.pdf"),
    "code span": ("use `arr[9]` and ``a`[8]`` [7]", "use `arr[9]` and ``a`[8]``"),
    "code fence": ("```py\narr[9]\n![x](//e)\n```\nand [9]", "```py\narr[9]\n![x](//e)\n```\nand"),
    "tilde fence": ("~~~\narr[9]\n```\n~~~\n[9]x", "~~~\narr[9]\n```\n~~~\n x"),
    "longer fence": ("````\n```\narr[9]\n````\n[9]", "````\n```\narr[9]\n````\n"),
    "open fence": ("```\narr[9]", "```\narr[9]"),
    "bare code": ("arr[9] = 5; x[8].y; m[i][j]", "arr[9] = 5; x[8].y; m[i][j]"),
    "index zero": ("take arr[0] first", "take arr[0] first"),
    "a lone backtick": ("5` wide [9] and [1]", "5` wide and [1]"),
    "a backtick of another paragraph": ("a ` b\n\nc ` [9]", "a ` b\n\nc `"),
    "an image": ("see ![plan](https://evil.example/p.png?q=1) here", "see plan here"),
    "our own image": (f"see ![plan]({OURS})", "see plan"),
    "an image by reference": ("![plan][p]\n\n[p]: https://evil.example/p.png\n", "plan\n\n"),
    "an image with brackets": ("![a [b] c](//evil.example/p.png)", "![a [b] c]"),
    "an image with code": ("![`a`](//evil.example/p.png)", "`a`"),
    "a link elsewhere": ('see [here](https://evil.example "title") now', "see here now"),
    "a link with brackets in it": ("see [here](https://evil.example/a_(b)) now", "see here now"),
    "a link to a source": (f"see [here]({OURS}) now", f"see [here]({OURS}) now"),
    "a script link": ("[x](javascript:alert(1))", "x"),
    "a marker as a link": ("It starts [1](https://evil.example).", "It starts [1]."),
    "a bare address": ("go to https://evil.example/?q=secret, now", "go to  , now"),
    "an address of a source": (f"go to {OURS}.", f"go to {OURS}."),
    "an address in angles": ("go to <https://evil.example/>.", "go to  ."),
    "an address in Chinese": ("参见https://evil.example。谢谢", "参见 。谢谢"),
    "an image tag": ('a <img src="//evil.example/x"> b', "a   b"),
    "a styled tag": ("a <p style='background:url(//e)'>b</p>", "a  b</p>"),
    "an image tag with a tag in it": ("a <img src=//evil.example/x <b> c", "a   c"),
    "an image tag over lines": ("a <img\nsrc=//evil.example/x\n> c", "a   c"),
    "less than": ("1 < 2 and 3 > 2, a<b", "1 < 2 and 3 > 2, a<b"),
    "exclamation": ("Stop! [1] Now!", "Stop! [1] Now!"),
    "unfinished": ("see [the", "see [the"),
    "spaces at the end": ("end  ", "end  "),
    "two things that would become a third": ("<im[9]g src=//evil.example>", "<im g src=//evil.example>"),
    "a tag between": ("![x]<a>(//evil.example/x.png)", "![x] (//evil.example/x.png)"),
}


@pytest.mark.parametrize("case", CASES)
def test_markup_is_cleaned(case: str) -> None:
    text, expected = CASES[case]

    assert cleaned(text) == expected


@pytest.mark.parametrize("case", CASES)
def test_markup_is_cleaned_the_same_when_it_comes_letter_by_letter(case: str) -> None:
    text, expected = CASES[case]

    assert cleaned(*text) == expected


_FRAGMENTS = (
    "[ ] ( ) ! ` ``` ~~~ a 1 9 2 https://evil.example/ <img > [1] [9] ]( ： 【 】 = . www. https [a]: ^ - , 水 <b> //e"
)
FRAGMENTS = st.sampled_from([*_FRAGMENTS.split(), "\n", " ", OURS])


@given(st.lists(FRAGMENTS, max_size=14), st.lists(st.integers(0, 60), max_size=6))
def test_where_the_pieces_are_cut_changes_nothing(fragments: list[str], cuts: list[int]) -> None:
    text = "".join(fragments)
    ends = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]

    assert cleaned(*[text[a:b] for a, b in pairwise(ends)]) == cleaned(text)


@given(st.lists(FRAGMENTS.filter(lambda fragment: fragment not in ("`", "```", "~~~")), max_size=20))
def test_nothing_that_loads_by_itself_comes_out(fragments: list[str]) -> None:
    out = cleaned("".join(fragments))

    assert not re.search(r"!\[[^\]]*\]\([^)]|<img\b[^>]*>|https://evil", out.replace(OURS, "ours"))


def test_text_is_not_held_back_without_need() -> None:
    markup = MarkupFilter(keep_marker=lambda _: True, keep_url=lambda _: False)

    assert [markup.feed(piece) for piece in ("The pump", " starts", " at 40", " degrees.")] == [
        "The pump",
        " starts",
        " at 40",
        " degrees.",
    ]


def test_what_is_never_closed_is_let_go() -> None:
    markup = MarkupFilter(keep_marker=lambda _: True, keep_url=lambda _: False)

    out = "".join(markup.feed(piece) for piece in ["a [", *["word "] * LONGEST_CONSTRUCT])

    assert len(out) > LONGEST_CONSTRUCT


HARD_TO_READ = ["<img", "<b ", "[", "![", "[1 1 1 ", "` a `` b ", "[a](b(c", "http://a", " ", "```\n", "[a]: x\n"]


@pytest.mark.parametrize("hard", HARD_TO_READ)
def test_text_that_is_hard_to_read_is_read_in_time(hard: str) -> None:
    text = hard * (12_000 // len(hard))

    before = time.process_time()
    cleaned(text)
    cleaned(*[text[start : start + 4] for start in range(0, len(text), 4)])

    assert time.process_time() - before < 5
