"""What the description of an image tells a reader who does not see it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_FILE = re.compile(r"\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)\b|^\s*(?:img|dsc|image)[_-]?\d+", re.I)
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_LEAST_WORDS = 4
_LEAST_IDEOGRAPHS = 6
_DEPTH = 4


def text_of_image(node: LexborNode) -> str:
    """Return the description of an image if it says something of its own, else an empty string.

    That of an image that is a link's only content is the link's text. Others count where they are whole phrases,
    and no caption says what is to be seen.
    """
    text = " ".join((node.attributes.get("alt") or "").split())
    if not text or _FILE.search(text):
        return ""
    above = node.parent
    if above is not None and above.tag == "a" and not above.text().strip():
        return text
    return text if _is_phrase(text) and not _has_caption(node) else ""


def _is_phrase(text: str) -> bool:
    return len(text.split()) >= _LEAST_WORDS or len(_IDEOGRAPHS.findall(text)) >= _LEAST_IDEOGRAPHS


def _has_caption(node: LexborNode) -> bool:
    above, depth = node.parent, 0
    while above is not None and depth < _DEPTH:
        if above.tag == "figure":
            return above.css_first("figcaption") is not None
        if above.tag == "body":
            return False
        above, depth = above.parent, depth + 1
    return False
