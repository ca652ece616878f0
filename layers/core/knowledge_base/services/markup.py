"""Clean an answer's Markdown as it streams: markers, images and links, but nothing inside code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

LONGEST_CONSTRUCT = 2000
"""What is not closed after so many characters is plain text: nothing is held back for longer."""

_AT_ONCE = 500
"""How much of a long piece is looked at together: the work grows faster than the text."""

# Every repetition below is bounded, or cannot be entered twice at one place: a model may be made to
# write what takes longest to read.
_URL = r"(?:[a-z][a-z0-9+.-]*:|//|www\.)"
_BRACKETED = r"\([^()]*(?:\([^()]*\)[^()]*){0,3}\)"
_SPACES = r"(?:(?<![ ])[ ]+)?"
_INSIDE = r"[^<>]*(?:<[^<>]*){0,20}"
_ACTIVE = "a|audio|base|button|embed|form|frame|iframe|img|input|link|meta|object|picture|script|source|style|svg|video"
_NUMBERS = r"[\d\s,，、;–-]*\d\s*"
_TOKEN = re.compile(
    rf"""
    ^[ ]{{0,3}}(?P<fence>`{{3,}}|~{{3,}})[^\n]*(?:\n|\Z)
    |(?P<code>(?<!`)(?P<run>`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])+?(?<!`)(?P=run)(?!`))
    |^[ ]{{0,3}}\[[^\[\]\n]+\]:[ \t]*(?P<definition><?{_URL}\S*)[^\n]*(?:\n|\Z)
    |!\[(?P<image>[^\[\]]*)\](?:{_BRACKETED}|\[[^\[\]]*\])
    |\[(?P<text>[^\[\]]*)\](?P<target>{_BRACKETED})
    |\](?P<orphan>{_BRACKETED})
    |(?P<space>{_SPACES})(?P<markers>(?:(?:\[\^?{_NUMBERS}\]|［{_NUMBERS}］|【{_NUMBERS}】)(?!\())+)
    |(?P<tag></?(?:{_ACTIVE})\b{_INSIDE}>|<[a-z][a-z0-9-]*[ \t][^<>\n=]*=[^<>\n]*>)
    |(?P<url><?(?:https?://|www\.)[^\s<>()\[\]"'`，。；、）】》]+>?)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_TAIL = r"\([^()]*(?:\([^()]*(?:\)[^()]*)?){0,3}"
_UNFINISHED = re.compile(
    rf"""(?:
    ^[ ]{{0,3}}(?:`+|~+)[^\n]*
    |^[ ]{{0,3}}\[[^\[\]\n]+\]:[^\n]*
    |(?<!`)`+(?:(?!\n[ \t]*\n)[\s\S])*
    |{_SPACES}!?\[[^\[\]]*(?:\](?:[ ]*|{_TAIL}|\[[^\[\]]*))?
    |{_SPACES}[［【][^\[\]］】]*[］】]?
    |\](?:{_TAIL})?
    |<(?:/?(?:{_ACTIVE})\b{_INSIDE}|/?[a-z][^<>\n]*|/)?
    |<?(?:https?://|www\.)[^\s<>]*
    |<?(?:h|ht|htt|https?:?/?|w|ww|www)
    |(?<![ ])[ ]+
    |!
    )\Z""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_CODE_FOLLOWS = re.compile(r"[ ]*(?:=|;|\+\+|--)|\.[A-Za-z_]|\[[^\d\]]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,9})\s*[-–]\s*(\d{1,9})|(\d+)")
_LONGEST_RANGE = 50


class MarkupFilter:
    """Passes text through, without markers of no source, images, and links to elsewhere.

    `keep_marker` tells whether a number names a source; `keep_url` whether an address may stand in
    the text. Images never may: a reader's program loads them without being asked. What is taken out
    from between two things leaves a space, so that they do not become a third.
    """

    def __init__(self, *, keep_marker: Callable[[int], bool], keep_url: Callable[[str], bool]) -> None:
        self._keep_marker = keep_marker
        self._keep_url = keep_url
        self._before = "\n"
        self._waiting = ""
        self._fence = ""

    def feed(self, piece: str) -> str:
        """Return what can be said for sure after another piece."""
        return "".join(self._take(piece[start : start + _AT_ONCE]) for start in range(0, len(piece), _AT_ONCE))

    def finish(self) -> str:
        """Return the rest: what was not closed is plain text."""
        return self._advance(is_last=True)

    def _take(self, piece: str) -> str:
        self._waiting += piece
        return self._advance(is_last=False)

    def _advance(self, *, is_last: bool) -> str:
        said = []
        while self._waiting:
            waited = len(self._waiting)
            said.append(self._take_code(is_last) if self._fence else self._take_text(is_last))
            if len(self._waiting) == waited:
                break
        return "".join(said)

    def _consume(self, count: int) -> str:
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        self._before = taken[-1:] or self._before
        return taken

    def _take_code(self, is_last: bool) -> str:
        """Take what is inside a fence, line by line, up to the line that closes it."""
        line, newline, _ = self._waiting.partition("\n")
        is_start = self._before == "\n"
        content = line.strip()
        if not newline and not is_last and is_start and not content.strip(self._fence[0]):
            return ""
        if is_start and content.startswith(self._fence) and not content.strip(self._fence[0]):
            self._fence = ""
        return self._consume(len(line) + len(newline))

    def _take_text(self, is_last: bool) -> str:
        """Take the text up to the next construct, and the construct if it is complete."""
        text = self._before + self._waiting
        token = _TOKEN.search(text, 1)
        unfinished = None if is_last else _UNFINISHED.search(text, 1)
        if token and (is_last or _is_settled(token, unfinished)):
            plain = self._consume(token.start() - 1)
            rendered = self._render(token)
            self._consume(token.end() - token.start())
            return plain + rendered
        held = min(match.start() for match in (token, unfinished) if match) if token or unfinished else len(text)
        if len(text) - held > LONGEST_CONSTRUCT:
            held += 1
        return self._consume(held - 1)

    def _render(self, token: re.Match[str]) -> str:
        if token["fence"]:
            self._fence = token["fence"]
        if token["code"] or token["fence"]:
            return token[0]
        if token["markers"]:
            return self._marker(token)
        if token["text"] is not None:
            return self._link(token["text"], token)
        return self._address(token)

    def _marker(self, token: re.Match[str]) -> str:
        before, after = token.string[token.start() - 1], token.string[token.end() :]
        numbers = list(_numbers(token["markers"]))
        is_attached = not token["space"] and (before.isascii() and (before.isalpha() or before == "_"))
        if is_attached and (numbers == [0] or _CODE_FOLLOWS.match(after)):
            return token[0]
        kept = [f"[{number}]" for number in numbers if self._keep_marker(number)]
        if not kept and token["markers"][0] != "[":
            return token[0]
        if kept:
            return token["space"] + "".join(kept)
        return " " if after[:1].isalnum() else ""

    def _link(self, text: str, token: re.Match[str]) -> str:
        if text.isdigit():
            return f"[{text}]" if self._keep_marker(int(text)) else ""
        return token[0] if self._keep_url(_destination(token["target"])) else text

    def _address(self, token: re.Match[str]) -> str:
        if token["image"] is not None:
            return token["image"]
        if token["orphan"]:
            return token[0] if self._keep_url(_destination(token["orphan"])) else "]"
        if token["tag"]:
            return " "
        address = token["definition"] or token["url"]
        url = address.strip("<>").rstrip(".,;:!?*_~")
        if self._keep_url(url):
            return token[0]
        return "" if token["definition"] else " " + address.strip("<>")[len(url) :]


def _is_settled(token: re.Match[str], unfinished: re.Match[str] | None) -> bool:
    """Whether more text cannot change what a token is."""
    following = token.string[token.end() :]
    if unfinished and unfinished.start() <= (token.end() if token["markers"] else token.start()):
        is_closed_code = (token["code"] or token["fence"]) and unfinished.start() == token.start()
        return bool(is_closed_code and following)
    # Whether a marker is the index of an array shows in the two characters behind the spaces that follow.
    return len(following.lstrip(" ")) > 1 if token["markers"] else bool(following)


def _destination(bracketed: str) -> str:
    """The address in the round brackets of a link, without its title."""
    return next(iter(bracketed[1:-1].split()), "").strip("<>")


def _numbers(listed: str) -> Iterable[int]:
    for first, last, single in _NUMBER_OR_RANGE.findall(listed):
        if single:
            yield int(single[:9])
        elif int(last) - int(first) <= _LONGEST_RANGE:
            yield from range(int(first), int(last) + 1)
