"""Which parts of a page are its main text, and which are navigation, footers and machinery."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

UNSEEN = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "head",
        "title",
        "meta",
        "link",
        "base",
        "object",
        "embed",
        "applet",
        "audio",
        "video",
        "canvas",
        "map",
        "iframe",
        "frame",
        "select",
        "datalist",
        "option",
        "rp",
        "rt",
        "rtc",
        "dialog",
        "-comment",
    )
)
_NAVIGATION_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "menu", "menubar", "alertdialog"))
_NAVIGATION_WORDS = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navbox|navigation|menu|topbar|sidebar|breadcrumbs?|skip-?links?|pagination|pager"
    r"|jump-?to-?nav|mw-editsection|share|social|toc)(?:$|[\s_-])",
    re.I,
)
_FOOTER_WORDS = re.compile(
    r"(?:^|\s)(?:footer|site-?footer|page-?footer|global-?footer|cookie-?(?:banner|notice|consent)|mw-editsection"
    r"|noprint|printfooter|catlinks|mw-jump-link)(?:$|\s)",
    re.I,
)
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I)
_OWN_FOOTERS = frozenset(("article", "blockquote", "main", "section", "td", "figure"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "summary"))
_MAX_MEASURED = 300
_MAX_DEPTH = 100
_LINKS_ONLY = 0.6
_LEAST_SHARE = 0.2
_ENOUGH = 200


class Boilerplate:
    """Tells what is not main text; how many parts are measured is bounded, since each is read whole."""

    def __init__(self) -> None:
        self._measured = 0

    def is_unseen(self, node: LexborNode) -> bool:
        """Whether a reader of the page does not see an element, or would not call it text of the page."""
        tag = node.tag or ""
        if tag in UNSEEN or tag == "nav":
            return True
        if tag == "button":
            return node.parent is None or node.parent.tag not in _HEADINGS
        if tag in ("header", "footer"):
            return self._is_of_page(node)
        attributes = node.attributes
        return bool(attributes) and self._says_so(node, attributes)

    def _says_so(self, node: LexborNode, attributes: dict[str, str | None]) -> bool:
        if "hidden" in attributes or _HIDING.search(attributes.get("style") or ""):
            return True
        if attributes.get("role") in _NAVIGATION_ROLES:
            return True
        if node.tag in ("body", "main", "article", "a", "p"):
            return False
        words = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
        if _FOOTER_WORDS.search(words):
            return True
        return bool(_NAVIGATION_WORDS.search(words)) and self._is_links(node)

    def _is_of_page(self, node: LexborNode) -> bool:
        """Whether a header or footer belongs to the page, not to an article; headers with headings are text."""
        if node.tag == "header" and node.css_first("h1, h2, p") is not None:
            return False
        above, depth = node.parent, 0
        while above is not None and depth < _MAX_DEPTH:
            if above.tag in _OWN_FOOTERS:
                return False
            above, depth = above.parent, depth + 1
        return True

    def _is_links(self, node: LexborNode) -> bool:
        self._measured += 1
        if self._measured > _MAX_MEASURED:
            return False
        total = _length(node)
        return sum(_length(link) for link in node.css("a")) > _LINKS_ONLY * total


def main_part(page: LexborHTMLParser) -> LexborNode | None:
    """Return the element with the main text: the one that says so, if it holds a good part of the text, else the body.

    Where there is only a frame set or nothing at all, there is no body.
    """
    body = page.body
    if body is None:
        return page.root
    matches = page.css("main, [role=main]") or page.css("article")
    found = list({node.mem_id: node for node in matches}.values())
    if len(found) != 1:
        return body
    size, whole = _length(found[0]), _visible_length(body)
    return found[0] if size >= _ENOUGH and size >= _LEAST_SHARE * whole else body


def _visible_length(body: LexborNode) -> int:
    return _length(body) - sum(_length(node) for node in body.css("script, style, noscript"))


def _length(node: LexborNode) -> int:
    return len("".join(node.text().split()))
