"""Letters that a PDF file, or PDFium, names by the wrong encoding, named by the right one where that is sure.

Each takes the place of one letter by another, so that places on the page stay as they are.
"""

from __future__ import annotations

import re

_FEWEST = 5
_WITHIN_WORD = re.compile("(?<=[a-z])[ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙ](?=[a-z])")
"""Capital letters with accents that nobody writes between small ones."""
_MAC_ROMAN = re.compile("(?<=[a-z])[ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙ·‚„‰](?![A-Z])")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CYRILLIC = re.compile("[\ud080-\ud0bf\ud180-\ud1bf]")


def name_rightly(text: str) -> str:
    """Return a page's text with letters by their right names."""
    if text.isascii():
        return text
    if _WITHIN_WORD.search(text):
        text = _MAC_ROMAN.sub(_from_mac_roman, text)
    hangul = len(_HANGUL.findall(text))
    if hangul >= _FEWEST and hangul == len(_CYRILLIC.findall(text)):
        text = _CYRILLIC.sub(_from_utf_8, text)
    return text


def _from_mac_roman(match: re.Match[str]) -> str:
    """PDFium takes the codes of some fonts for those of Mac Roman, where é is È."""
    letter = match[0].encode("mac_roman").decode("cp1252", "replace")
    return letter if letter.islower() else match[0]


def _from_utf_8(match: re.Match[str]) -> str:
    """Some programs write the two bytes that Cyrillic letters have in UTF-8 for one letter of UTF-16."""
    return match[0].encode("utf-16-be").decode("utf-8", "replace")
