"""Subtitles (SubRip, WebVTT): what is said, in paragraphs that begin with their time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.parsed import ParsedDocument

_TIMING = re.compile(
    r"[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[ \t]*-+>[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
)
_CUE_AHEAD = re.compile(
    rb"(?m)^[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]*-+>[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d"
)
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:WEBVTT\b|\d{1,6}[ \t]*\r?\n[ \t]*\d{1,4}:\d{2}:\d{2}[.,]\d)")
_VOICE = re.compile(r"<v(?:\.[\w.]+)?[ \t]+([^>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,100}>|<\d[\d:.]*>|\{\\[^{}]{0,100}\}")
_NOTES = ("NOTE", "STYLE", "REGION")
_PAUSE, _AT_ONCE = 4.0, 0.1
_PARAGRAPH = 400
_ENDS = (".", "!", "?", "…", "。", "！", "？", '"', "”")
_HEAD = 4_096


@dataclass(slots=True)
class _Cue:
    """What is shown from one time to another, in seconds."""

    start: float
    end: float
    lines: list[str]


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded, out = decode_text(content, hints), TextBuilder()
    for paragraph in _paragraphs(_cues(decoded.text.split("\n"))):
        hours, rest = divmod(int(paragraph[0].start), 3600)
        words = " ".join(line for cue in paragraph for line in cue.lines)
        out.add_block(f"[{hours:02}:{rest // 60:02}:{rest % 60:02}] {words}")
    if not out.length:
        raise without_text("the subtitles have no words")
    media_type = "text/vtt" if decoded.text.lstrip().startswith("WEBVTT") else "application/x-subrip"
    return ParsedDocument(out.text(), media_type, out.spans(), low_quality=not decoded.exact)


def _cues(lines: Iterable[str]) -> Iterator[_Cue]:
    """Yield the cues with words: the lines between a timing and the next blank line.

    Captions that roll show a line again in the cue that follows at once: it is taken once. Whoever says the same
    again after a while has said it twice.
    """
    cue: _Cue | None = None
    said, until = "", 0.0
    for line in (*lines, ""):
        timing = _TIMING.match(line)
        if (timing or not line.strip()) and cue is not None:
            if cue.lines:
                yield cue
            cue = None
        if timing:
            cue = _Cue(_seconds(*timing.groups()[:4]), _seconds(*timing.groups()[4:]), [])
        elif cue is not None and (words := _words(line)):
            if words != said or cue.start > until + _AT_ONCE:
                cue.lines.append(words)
            said, until = words, cue.end


def _paragraphs(cues: Iterable[_Cue]) -> Iterator[list[_Cue]]:
    """Divide cues at pauses, and at the ends of sentences once there is enough for a paragraph."""
    paragraph: list[_Cue] = []
    length = 0
    for cue in cues:
        if paragraph:
            last = paragraph[-1]
            is_pause = cue.start - last.end > _PAUSE
            if is_pause or (length > _PARAGRAPH and last.lines[-1].endswith(_ENDS)) or length > 4 * _PARAGRAPH:
                yield paragraph
                paragraph, length = [], 0
        paragraph.append(cue)
        length += sum(map(len, cue.lines))
    if paragraph:
        yield paragraph


def _words(line: str) -> str:
    return " ".join(unescape(_TAG.sub("", _VOICE.sub(r"\1: ", line))).split())


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str) -> float:
    return 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds) + float(f"0.{fraction}")


def _claims(content: bytes, hints: Hints) -> bool:
    head = content[:_HEAD].replace(b"\x00", b"").lstrip(b"\xff\xfe")
    if not _CUE_AHEAD.search(head):
        return False
    return bool(_START.match(head)) or hints.say("srt", "vtt", "text/vtt", "application/x-subrip")


FORMAT = Format("subtitles", _claims, _read)
