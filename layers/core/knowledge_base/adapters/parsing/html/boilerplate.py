"""What of a page is not its text by what it calls itself: navigation, footers, adverts, comments, machinery."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.html.vocabulary import words

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

UNSEEN = words(
    "script style noscript template svg head title meta link base object embed applet audio video canvas map "
    "iframe frame datalist rp rt rtc dialog -comment"
)
"""Elements that show no text of the page."""

_NOISE = words(
    # ways through the site
    "nav navi navbar navigation mainnav subnav topnav hauptmenue menu submenu dropdown flyout breadcrumb "
    "pagination pager pagenav skip toc jumplink toolbar masthead footer colophon sidebar complementary contentinfo "
    "linklist catlink editsection printfooter noprint "
    # ways to other pages
    "related relatedpost relatedarticle relatedcontent yarpp rp4wp recommended recommend recommendation teaser "
    "trending popular mostread recent morelink moreon taglist tagcloud tagged trackback pingback backlink "
    # what other people say, and who wrote it
    "comment commentlist commentform respond disqu kommentare nocomment rating feedback bio vcard authorbox "
    "aboutauthor share sharing shareblock sharebar sharedaddy social jetpack "
    # what the site wants
    "cookie consent gdpr subscribe subscription newsletter signup login promo promotion advert advertisement "
    "ad adsense adbox sponsor sponsored outbrain taboola affiliate popup modal copyright disclaimer widget "
    "textwidget widgettitle"
)
"""Words in ids and classes, without the s of the plural."""
REPLIES = words("comment commentlist commentform respond disqu kommentare nocomment")
"""Those of what readers have written."""
_NOTES = re.compile(r"note|tip|hint|warn|caution|danger|important|admonition|callout|info|footnote|definition", re.I)
_ROLES = words("navigation banner contentinfo search menu menubar complementary dialog alertdialog")
_UNNAMED = words("body html main article p a h1 h2 h3 td tr pre")
"""Elements whose classes say how they look rather than what they are."""
_TELLING = words("nav footer aside")
_QUOTING = words("blockquote figure td")
_POST = re.compile(r"\b(?:hentry|type-post|status-publish)\b")
_HEADINGS = words("h1 h2 h3 h4 h5 h6 summary")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I)
_HUMP = re.compile(r"([a-z])([A-Z])")
_DIVIDER = re.compile(r"[^a-zA-Z0-9]+")
_TEXT: frozenset[str] = frozenset()


def is_never_seen(node: LexborNode) -> bool:
    """Whether a reader of the page does not see an element, or would not call it text of the page."""
    tag = node.tag or ""
    return tag in UNSEEN or is_hidden(node, tag, node.attributes)


def is_hidden(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
    """Whether a reader of the page does not see an element of a kind that usually is seen."""
    if attributes and ("hidden" in attributes or _HIDING.search(attributes.get("style") or "")):
        return True
    if tag == "option":
        return "selected" not in attributes
    return tag == "button" and (node.parent is None or node.parent.tag not in _HEADINGS)


def noise_of(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> frozenset[str]:
    """Return the words by which an element says that it is not the text of the page; empty where it does not."""
    if not attributes and tag not in _TELLING:
        return _TEXT
    if tag == "nav":
        return frozenset((tag,))
    if tag == "footer":
        return _TEXT if node.parent is not None and node.parent.tag in _QUOTING else frozenset((tag,))
    role = attributes.get("role") or ""
    if role in _ROLES:
        return frozenset((role,))
    name = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
    if tag == "aside":
        return _TEXT if _NOTES.search(name) or attributes.get("epub:type") else frozenset((tag,))
    return _TEXT if tag in _UNNAMED or len(name) == 1 or _POST.search(name) else _noise_words(name)


@lru_cache(maxsize=4096)
def _noise_words(name: str) -> frozenset[str]:
    return _NOISE.intersection(word.rstrip("s") for word in _DIVIDER.split(_HUMP.sub(r"\1 \2", name).lower()))
