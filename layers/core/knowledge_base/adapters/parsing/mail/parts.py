"""What the parts of a mail are: its text, attached files, headers, in whatever encoding they come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.encodings.declared import encodings_of_page
from knowledge_base.adapters.parsing.encodings.decoding import EncodedText, decode, find_encoding
from knowledge_base.adapters.parsing.mail.mime import Part

MAX_HEADER = 20_000
MAIL = "message/rfc822"
_MAILS = (MAIL, "message/global", "message/news")
_TEXTS = ("text/plain", "text/html")
_ENCRYPTED = ("multipart/encrypted", "application/pgp-encrypted")
_OPAQUE = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ENCODED_WORDS = re.compile(r"(\?=)[ \t\r\n]+(=\?)")


def header_text(head: Message, name: str) -> str:
    """Return a header on one line, decoded."""
    raw = next((value for key, value in head.raw_items() if key.lower() == name.lower()), "")
    return " ".join(clean(_decode_words(str(raw)[:MAX_HEADER])).split())


def bodies_of(part: Part) -> list[Part]:
    """Return the parts that are the text of a mail; of alternatives the plain one if there are words in it."""
    if not part.is_multipart:
        is_text = part.head.get_content_maintype() == "text" or part.kind.startswith("multipart/")
        return [part] if is_text and not is_attached(part) else []
    found = [bodies_of(inner) for inner in part.parts()]
    if part.kind != "multipart/alternative":
        return [body for bodies in found for body in bodies]
    plain = (bodies for bodies in found if bodies and all(_is_plain_with_words(body) for body in bodies))
    rich = (bodies for bodies in reversed(found) if any(body.kind in _TEXTS for body in bodies))
    return next(plain, None) or next(rich, None) or next(filter(None, found), [])


def alternative_of(mail: Part, plain: Part) -> Part | None:
    """Return the HTML part that says the same as a plain one."""
    if not mail.is_multipart:
        return None
    inner = mail.parts()
    if mail.kind == "multipart/alternative" and any(part.start == plain.start for part in inner):
        return next((body for part in inner for body in bodies_of(part) if body.kind == "text/html"), None)
    return next((found for part in inner if (found := alternative_of(part, plain))), None)


def attachments_of(mail: Part) -> Iterator[Part]:
    """Yield the attached files and mails."""
    if not mail.is_multipart:
        if is_attached(mail):
            yield mail
        return
    for part in mail.parts():
        yield from attachments_of(part)


def is_attached(part: Part) -> bool:
    """Whether a part is a file of its own, not a picture that the text shows."""
    is_declared = part.head.get_content_disposition() == "attachment"
    if part.head.get_content_maintype() == "image" and part.head.get("Content-ID") and not is_declared:
        return False
    return is_declared or is_mail(part) or bool(part.head.get_filename())


def is_mail(part: Part) -> bool:
    """Whether a part is a mail."""
    return part.kind in _MAILS


def is_encrypted(part: Part) -> bool:
    """Whether a part can only be read with a key."""
    if part.kind in _OPAQUE:
        return str(part.head.get_param("smime-type", "")).lower() in ("", "enveloped-data", "authenveloped-data")
    return part.kind in _ENCRYPTED or (part.is_multipart and any(map(is_encrypted, part.parts())))


def name_of(part: Part) -> str:
    """Return the name of an attached file, or an empty string."""
    return " ".join(clean(_decode_words(part.head.get_filename() or "")).split())


def text_of(part: Part) -> EncodedText | None:
    """Return the characters of a text part; a wrong or missing name of the encoding does no harm."""
    content = part.content()
    charset = part.head.get_content_charset()
    claims = [charset] if charset else []
    if part.kind == "text/html":
        claims += encodings_of_page(content)
    return find_encoding(content, claims) if content.strip() else None


def is_flowed(part: Part) -> bool:
    """Whether lines that end with a space go on in the next one (RFC 3676)."""
    return str(part.head.get_param("format", "")).lower() == "flowed"


def _is_plain_with_words(part: Part) -> bool:
    found = text_of(part) if part.kind == "text/plain" else None
    return found is not None and any(letter.isalnum() for letter in next(found.pieces(), ""))


def _decode_words(raw: str) -> str:
    """Decode a header: encoded words, and raw bytes that should not be there but often are."""
    if not raw.isascii():
        return _decode(raw.encode(errors="surrogateescape"), None)
    try:
        pieces = decode_header(_ENCODED_WORDS.sub(r"\1\2", raw))
    except ValueError:
        return raw
    return "".join(piece if isinstance(piece, str) else _decode(piece, charset) for piece, charset in pieces)


def _decode(content: bytes, charset: str | None) -> str:
    decoded = decode(content, [charset] if charset else []) if content else None
    return decoded.text if decoded else content.decode(errors="replace")
