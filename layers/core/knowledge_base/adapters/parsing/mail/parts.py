"""The parts of a mail, and their characters in whatever encoding they come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message
from itertools import islice

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.encodings.decoding import decode

MAX_PARTS = 300
MAX_HEADER = 20_000
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "iso-8859-1": "cp1252"}
"""Encodings that mail programs name when they mean a wider one."""
_FLOWED = re.compile(r"(?<!^--) \n(?![>\s])", re.M)
_TEXTS = ("text/plain", "text/html")


def header_text(message: Message, name: str) -> str:
    """Return a header on one line, decoded."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(clean(_decode_words(str(raw)[:MAX_HEADER])).split())


def bodies_of(part: Message) -> list[Message]:
    """Return the parts that are the text of a mail; of alternatives the plain one if there are words in it."""
    if part.get_content_maintype() != "multipart":
        return [part] if part.get_content_type() in _TEXTS and not is_attached(part) else []
    found = [bodies_of(inner) for inner in _children(part)]
    if part.get_content_subtype() != "alternative":
        return [body for bodies in found for body in bodies]
    plain = (bodies for bodies in found if bodies and all(_is_plain_with_words(body) for body in bodies))
    rich = (bodies for bodies in reversed(found) if bodies)
    return next(plain, None) or next(rich, [])


def attachments_of(message: Message) -> list[Message]:
    """Return the attached files and mails."""
    return [part for part in islice(_leaves(message), MAX_PARTS) if is_attached(part)]


def is_attached(part: Message) -> bool:
    """Whether a part is a file of its own, not a picture that the text shows."""
    if part.get_content_maintype() == "image" and part.get("Content-ID") and not _is_declared(part):
        return False
    return _is_declared(part) or part.get_content_type() == "message/rfc822" or bool(part.get_filename())


def name_of(part: Message) -> str:
    """Return the name of an attached file, or an empty string."""
    return " ".join(clean(_decode_words(part.get_filename() or "")).split())


def payload_of(part: Message) -> bytes:
    """Return the bytes of a part, its transfer encoding undone."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def text_of(part: Message) -> str:
    """Return the characters of a text part; a wrong or missing name of the encoding does no harm."""
    text = clean(_decode(payload_of(part), part.get_content_charset()))
    is_flowed = str(part.get_param("format", "")).lower() == "flowed"
    return _FLOWED.sub(" ", text) if is_flowed else text


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [inner for inner in payload if isinstance(inner, Message)] if isinstance(payload, list) else []


def _leaves(part: Message) -> Iterator[Message]:
    if part.get_content_maintype() != "multipart":
        yield part
        return
    for inner in _children(part):
        yield from _leaves(inner)


def _is_declared(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def _is_plain_with_words(part: Message) -> bool:
    return part.get_content_subtype() == "plain" and any(letter.isalnum() for letter in text_of(part))


def _decode_words(raw: str) -> str:
    """Decode a header: encoded words, and raw bytes that should not be there but often are."""
    if not raw.isascii():
        return _decode(raw.encode(errors="surrogateescape"), None)
    try:
        pieces = decode_header(raw)
    except ValueError:
        return raw
    return "".join(piece if isinstance(piece, str) else _decode(piece, charset) for piece, charset in pieces)


def _decode(content: bytes, charset: str | None) -> str:
    if charset:
        try:
            return content.decode(_WIDER.get(charset.lower(), charset))
        except (LookupError, ValueError):
            pass
    decoded = decode(content) if content else None
    return decoded.text if decoded else content.decode(errors="replace")
