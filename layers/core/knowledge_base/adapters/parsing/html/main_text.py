"""Finds the main text of a page: where its paragraphs stand, and what beside them only leads elsewhere.

The main text is the smallest element that has most of the running text, from the heading above it on. Left out are
what calls itself noise (`boilerplate`), lists that are links for the most part, and rows of teasers. A part that holds
a good share of all running text is never noise, whatever it calls itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.html.boilerplate import REPLIES
from knowledge_base.adapters.parsing.html.page_parts import BLOCKS, Part, survey, weigh
from knowledge_base.adapters.parsing.html.vocabulary import words

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_CONTAINERS = words("div section article main center td form span")
_CONTENT = words("p pre table ol ul dl blockquote h2 h3 h4 h5 h6")
_TABLES = words("table tbody tr")
_LISTINGS = words("ul ol div section dl aside form article figure nav")
_CARDS = words("div li article section a figure")
_LINES = words("div section header figure address")
_TITLES_OF_CARDS = words("h2 h3 h4 h5 h6 a strong")
_TEXT_OF_ARTICLE = re.compile(
    r"(?:^|[\s_-])(?:article|entry|post|story|news|blog|beitrag|artikel)[\s_-]*"
    r"(?:body|contents?|text|inhalt|copy|main|txt)(?:$|[\s_-])"
    r"|field--?name-body|rich-?text|body-?(?:text|copy|content)|storytext",
    re.I,
)
_ENOUGH = 150
_NEVER_NOISE = 0.4
_ARTICLE = 300
_MOST = 0.8
_HALF = 0.5
_ALL = 0.9
_LEAST_KEPT = 0.4
_LEAST_OF_PAGE = 0.35
_MOST_ABOVE = 1_500
_SHORT = 40
_SOME = 20
_SEVERAL = 3
_LONGEST_CARD = 700
_LINKED_OF_CARD = 0.15
_TITLE_OF_CARD = 10


class MainText:
    """The main text of a page: `root` is the element that holds it, `is_unseen` tells what in it is not shown."""

    def __init__(self, body: LexborNode) -> None:
        self.root = body
        self._parts = survey(body)
        weigh(self._parts)
        _drop_noise(self._parts)
        page = self._parts[0]
        if page.weight >= _ENOUGH:
            self._narrow(page)
        self._kept = {part.node.mem_id for part in self._parts if not part.is_dropped}

    def is_unseen(self, node: LexborNode) -> bool:
        """Whether an element is not part of the main text."""
        return node.mem_id not in self._kept

    def _narrow(self, page: Part) -> None:
        """Leave out what is around the main text, unless that loses most of what there is to read."""
        before, length = _remember(self._parts), _plain_length(self._parts)
        root = _find_root(page)
        title = _find_title(self._parts, root)
        whole = root if title is None else _common(title, root)
        _drop_around(self._parts, whole, title, root)
        _drop_links(self._parts[root.first : root.last + 1])
        if _plain_length(self._parts[whole.first : whole.last + 1]) < _LEAST_OF_PAGE * length:
            _restore(before)
        else:
            self.root = whole.node


def _drop_noise(parts: list[Part]) -> None:
    """Drop noise; what readers have written below an article may be longer than the article, but is not the page's."""
    names = _words_for_noise(parts)
    _drop_named(parts, names | REPLIES)
    if parts[0].weight < _ARTICLE:
        _drop_named(parts, names)


def _drop_named(parts: list[Part], names: frozenset[str]) -> None:
    for part in parts:
        part.is_dropped = False
    weigh(parts)
    most = max(1, _MOST * parts[0].weight)
    for part in parts[1:]:
        is_inside = part.parent is not None and part.parent.is_dropped
        part.is_dropped = is_inside or (part.weight < most and not names.isdisjoint(part.noise))
    weigh(parts)


def _words_for_noise(parts: list[Part]) -> frozenset[str]:
    """Return the words that do mean noise on this page: not those that name a good share of the running text."""
    page = parts[0]
    totals: dict[str, float] = {}
    ends: dict[str, int] = {}
    for part in parts[1:]:
        if part.weight < _MOST * page.weight:
            for word in part.noise:
                if part.first > ends.get(word, 0):
                    totals[word] = totals.get(word, 0) + part.weight
                    ends[word] = part.last
    return frozenset(word for word in totals if totals[word] <= _NEVER_NOISE * page.weight)


def _find_root(page: Part) -> Part:
    """Return the smallest part that has most of the running text, or the one that says that it is the article."""
    for part in _within(page):
        if _is_heavy(part, page) and _is_text_of_article(part):
            return part
    articles = [part for part in _within(page) if part.tag in ("article", "main") and _is_heavy(part, page)]
    root = articles[-1] if articles else page
    while (inner := _heaviest(root)) is not None and inner.weight >= _MOST * root.weight and _is_container(inner):
        if any(_is_content(part) or _is_alike(part, inner) for part in root.inner if part is not inner):
            break
        root = inner
    return root


def _heaviest(part: Part) -> Part | None:
    return max((inner for inner in part.inner if not inner.is_dropped), key=lambda inner: inner.weight, default=None)


def _is_container(part: Part) -> bool:
    """Whether a part has other parts rather than text; of tables those that place columns on the page."""
    while part.tag in _TABLES and (inner := _heaviest(part)) is not None:
        part = inner
    return part.tag in _CONTAINERS and (part.tag != "td" or sum(inner.tag in BLOCKS for inner in part.inner) > 1)


def _is_content(part: Part) -> bool:
    """Whether a part is text that stands beside others on the same level."""
    return not part.is_dropped and part.tag in _CONTENT and part.text - part.linked >= _SOME


def _is_alike(part: Part, other: Part) -> bool:
    """Whether a part looks like another one, so that both are sections of the same text."""
    look, other_look = part.node.attributes.get("class"), other.node.attributes.get("class")
    is_named = look is not None or part.tag in ("section", "article")
    return is_named and not part.is_dropped and (part.tag, look) == (other.tag, other_look) and part.weight >= _SOME


def _is_heavy(part: Part, page: Part) -> bool:
    return part.tag in _CONTAINERS and part.weight >= _HALF * page.weight


def _is_text_of_article(part: Part) -> bool:
    attributes = part.node.attributes
    if "articlebody" in (attributes.get("itemprop") or "").lower():
        return True
    return bool(_TEXT_OF_ARTICLE.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"))


def _find_title(parts: list[Part], root: Part) -> Part | None:
    """Return the heading above the main text, if it is not inside, and no more than an introduction is between."""
    seen = [part for part in parts if not part.is_dropped and part.text]
    for tag in ("h1", "h2"):
        headings = [part for part in seen if part.tag == tag]
        if any(root.holds(part) for part in headings):
            return None
        above = [part for part in headings if part.first < root.first]
        if above:
            between = sum(part.own for part in seen if above[-1].first <= part.first < root.first)
            return above[-1] if between <= max(_MOST_ABOVE, _HALF * root.text) else None
    return None


def _drop_around(parts: list[Part], whole: Part, title: Part | None, root: Part) -> None:
    """Leave what stands between a heading and the text below it, without short lines; drop what is around."""
    if title is None:
        return
    for part in parts[whole.first : whole.last + 1]:
        if part.holds(title) or part.holds(root) or title.holds(part) or root.holds(part):
            continue
        is_between = title.last < part.first < root.first
        is_line = part.tag in _LINES and part.text < _SHORT
        if not is_between or is_line or _leads_elsewhere(part):
            part.is_dropped = True
    _spread(parts)


def _drop_links(parts: list[Part]) -> None:
    """Drop lists of links and rows of teasers, unless they are what the text consists of."""
    before, length, root = _remember(parts), _length(parts), parts[0]
    for part in parts[1:]:
        if part.weight < root.weight / 10 and _leads_elsewhere(part):
            part.is_dropped = True
    for row in (row for part in parts for row in _teasers(part)):
        if sum(card.weight for card in row) < _HALF * root.weight:
            for card in row:
                card.is_dropped = True
    _spread(parts)
    if _length(parts) < _LEAST_KEPT * length:
        _restore(before)


def _leads_elsewhere(part: Part) -> bool:
    """Whether links are most of a list, or all of a paragraph."""
    if part.tag == "p":
        return part.linked > _ALL * part.text
    return part.tag in _LISTINGS and part.linked > _HALF * part.text


def _teasers(part: Part) -> Iterator[list[Part]]:
    """Yield the rows of like elements in a part in which nearly all are teasers: a linked title, a few words."""
    if part.is_dropped or len(part.inner) < _SEVERAL:
        return
    rows: dict[str, list[Part]] = {}
    for inner in part.inner:
        if inner.tag in _CARDS and inner.text and not inner.is_dropped:
            style = (inner.node.attributes.get("class") or "").partition(" ")[0] if inner.tag != "li" else ""
            rows.setdefault(f"{inner.tag} {style}", []).append(inner)
    for row in rows.values():
        if len(row) >= _SEVERAL and sum(map(_is_teaser, row)) >= _MOST * len(row):
            yield row


def _is_teaser(part: Part) -> bool:
    if not part.text <= _LONGEST_CARD or part.linked < max(_TITLE_OF_CARD, _LINKED_OF_CARD * part.text):
        return False
    return part.tag == "a" or any(
        inner.tag in _TITLES_OF_CARDS and inner.text >= _TITLE_OF_CARD and inner.linked >= _ALL * inner.text
        for inner in _within(part)
        if inner.tag != "a" or inner.text >= 2 * _TITLE_OF_CARD
    )


def _within(part: Part) -> Iterator[Part]:
    """Yield the parts that are not dropped in a part, itself first, in the order of the page."""
    waiting = [part]
    while waiting:
        current = waiting.pop()
        if not current.is_dropped:
            yield current
            waiting.extend(reversed(current.inner))


def _common(one: Part, other: Part) -> Part:
    while not one.holds(other) and one.parent is not None:
        one = one.parent
    return one


def _spread(parts: list[Part]) -> None:
    """Drop what is inside of dropped parts."""
    for part in parts:
        if part.parent is not None and part.parent.is_dropped:
            part.is_dropped = True


def _remember(parts: list[Part]) -> list[tuple[Part, bool]]:
    return [(part, part.is_dropped) for part in parts]


def _restore(states: list[tuple[Part, bool]]) -> None:
    for part, was_dropped in states:
        part.is_dropped = was_dropped


def _length(parts: list[Part]) -> int:
    return sum(part.own for part in parts if not part.is_dropped)


def _plain_length(parts: list[Part]) -> int:
    return sum(part.own - part.own_linked for part in parts if not part.is_dropped)
