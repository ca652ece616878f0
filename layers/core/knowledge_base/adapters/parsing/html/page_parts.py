"""The elements of a page with how much text is in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.html.boilerplate import UNSEEN, is_hidden, noise_of
from knowledge_base.adapters.parsing.html.images import text_of_image
from knowledge_base.adapters.parsing.html.vocabulary import words

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BLOCKS = words(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr legend nav li main menu ol p pre section summary table tbody "
    "td textarea tfoot th thead tr ul xmp listing plaintext"
)
_SMALL_TEXTS = words("pre td th dd li")
_PARAGRAPH = 60
_MOST_OF_PARAGRAPH = 2_000
_SMALL_TEXT = 20
_FRAGMENT = 8
_FRAGMENT_WEIGHT = 0.3
_LINKED = 0.5
_FEW_LINKS = 0.3


@dataclass(slots=True, eq=False)
class Part:
    """An element of a page; `own` counts its characters outside of inner blocks, `text` all, both without spaces.

    `weight` is how much running text there is: characters of paragraphs that are not links. `first` and `last` are
    the places of the element, and of the last one inside it, in the order of the page.
    """

    node: LexborNode
    tag: str
    parent: Part | None
    first: int
    in_link: bool
    noise: frozenset[str]
    last: int = 0
    own: int = 0
    own_linked: int = 0
    text: int = 0
    linked: int = 0
    weight: float = 0
    is_dropped: bool = False
    inner: list[Part] = field(default_factory=list)

    def holds(self, other: Part) -> bool:
        """Whether another part is this one or inside it."""
        return self.first <= other.first <= self.last

    def own_weight(self) -> float:
        """Return how much running text stands in the element itself."""
        plain = self.own - self.own_linked
        if plain >= _PARAGRAPH and self.own_linked < _LINKED * self.own:
            return min(plain, _MOST_OF_PARAGRAPH)
        if plain < _FRAGMENT or self.own_linked > _FEW_LINKS * self.own:
            return 0
        return plain if self.tag in _SMALL_TEXTS and plain >= _SMALL_TEXT else _FRAGMENT_WEIGHT * plain


def survey(body: LexborNode) -> list[Part]:
    """Return the parts of a page that may be seen, in their order, the body first."""
    parts: list[Part] = []
    known: dict[int, Part] = {}
    for node in body.traverse(include_text=True):
        above = known.get(node.parent.mem_id) if parts and node.parent is not None else None
        if parts and above is None:
            continue
        if node.tag == "-text":
            if above is not None:
                _count(above, node.text_content or "")
        elif (part := _part(node, above, len(parts))) is not None:
            known[node.mem_id] = part
            parts.append(part)
            if part.tag == "img":
                _count(part, text_of_image(node))
    for part in reversed(parts):
        _close(part)
    return parts


def weigh(parts: list[Part]) -> None:
    """Sum up what is in the parts that are not dropped, from the inside to the outside."""
    for part in parts:
        part.text, part.linked, part.weight = part.own, part.own_linked, part.own_weight()
    for part in reversed(parts):
        if part.parent is not None and not part.is_dropped:
            part.parent.text += part.text
            part.parent.linked += part.linked
            part.parent.weight += part.weight


def _part(node: LexborNode, above: Part | None, place: int) -> Part | None:
    """Return an element as a part; None for one that is never seen, unless it is the first."""
    tag = node.tag or ""
    if place and tag in UNSEEN:
        return None
    attributes = node.attributes
    if place and is_hidden(node, tag, attributes):
        return None
    in_link = tag == "a" or (above is not None and above.in_link)
    part = Part(node, tag, above, place, in_link, noise_of(node, tag, attributes), last=place)
    if above is not None:
        above.inner.append(part)
    return part


def _count(part: Part, text: str) -> None:
    length = len(text) - text.count(" ") if text.isprintable() else len("".join(text.split()))
    part.own += length
    if part.in_link:
        part.own_linked += length


def _close(part: Part) -> None:
    """Hand the text of an inline element, and the place of the last element, to the element above."""
    above = part.parent
    if above is None:
        return
    above.last = max(above.last, part.last)
    if part.tag not in BLOCKS:
        above.own, above.own_linked = above.own + part.own, above.own_linked + part.own_linked
        part.own = part.own_linked = 0
