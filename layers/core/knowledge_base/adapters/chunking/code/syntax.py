"""What must be known of a programming language to tell its lines and brackets from its strings and comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NOTHING = r"(?!)"
_CONFLICT = r"<{7}|={7}$|>{7}|\|{7}"
_STRING = r"{0}(?:[^{0}\\\n]|\\.)*+{0}?"
_STRING_ON_ONE_LINE = r"{0}(?:[^{0}\\\n]|\\.){{0,400}}+{0}"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n']{1,10})'"


@dataclass(frozen=True, slots=True)
class Syntax:
    """How the lines of a language belong together.

    `tokens` finds, as named groups: `line` (a line's beginning with its indentation), `open` and
    `close` brackets, `many` and `quote` (what opens a string or comment over several lines; `ends` has
    what closes it, a heredoc is closed by its own word). `pieces` finds where a long line may be cut.
    `marks` tells by the name of its group what other lines a line belongs to: to the next one
    (`comment`, `attribute`), or to the one before (`follow` goes on with a statement, `closing` ends
    it). After a line that does not end in one of `stops` its statement goes on; empty where the
    indentation tells.
    """

    tokens: re.Pattern[str]
    pieces: re.Pattern[str]
    ends: Mapping[str, str]
    marks: re.Pattern[str]
    title: re.Pattern[str]
    stops: str = ""


def make_syntax(
    title: str,
    *,
    comment: str = _NOTHING,
    ends: Mapping[str, str] | None = None,
    quotes: str = "\"'",
    long_quotes: str = "",
    heredoc: str = _NOTHING,
    special: str = _NOTHING,
    attribute: str = _NOTHING,
    follow: str = _NOTHING,
    closing: str = _NOTHING,
    stops: str = "",
    pieces: str = r"[;,]",
    ignore_case: bool = False,
) -> Syntax:
    """Return the syntax with these comments, strings (`long_quotes` go over lines) and beginnings of lines.

    `heredoc` matches what opens a text up to a `word`; `special` are other literals that hold brackets or quotes.
    """
    ends = dict(ends or {})
    openers = "|".join(map(re.escape, sorted(ends, key=len, reverse=True))) or _NOTHING
    literals = [special, comment, *(_string(quote) for quote in quotes)]
    literals += [_STRING_ON_ONE_LINE.format(quote) for quote in long_quotes]
    literal = "|".join(literals)
    quote = f"[{long_quotes}]" if long_quotes else _NOTHING
    call = r"\([^()\[\]{}\"'`/#\n-]*\)"
    before = rf"(?P<many>(?:{heredoc})(?=[^\n]*\n)|{openers})|(?:{literal}|{call})|(?P<quote>{quote})"
    return Syntax(
        tokens=re.compile(rf"(?P<line>\n[ \t]*)|{before}|(?P<open>[(\[{{])|(?P<close>[)\]}}])"),
        pieces=re.compile(rf"(?:{literal})|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<end>\n|{pieces})"),
        ends=ends | {quote: quote for quote in long_quotes},
        marks=re.compile(
            rf"(?P<closing>[)\]}}]|{_CONFLICT}|{closing})|(?P<attribute>{attribute})"
            rf"|(?P<comment>{'|'.join([comment, *map(re.escape, _comments(ends))])})|(?P<follow>\{{\s*$|{follow})",
            re.MULTILINE,
        ),
        title=re.compile(title, re.IGNORECASE if ignore_case else 0),
        stops=stops,
    )


def _string(quote: str) -> str:
    return _CHARACTER if quote == "c" else _STRING.format(quote)


def _comments(ends: Mapping[str, str]) -> list[str]:
    """Return the openers of comments: the others close themselves, or are letters and quotes."""
    return [opener for opener in ends if opener[0] in "/<({-="]
