"""Reads a request's form: files and fields, as browsers and HTTP clients send them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from urllib.parse import parse_qsl

from knowledge_base.dialects.contract import Request
from knowledge_base.domain.errors import InvalidInput

MULTIPART = "multipart/form-data"
URL_ENCODED = "application/x-www-form-urlencoded"
MOST_PARTS = 100
_ENCODED_WORD = re.compile(r"=\?[\w-]+\?[bBqQ]\?[^? ]*\?=")


@dataclass(frozen=True, slots=True)
class Part:
    """One file or field; a field has no file name, and a file may have none."""

    data: bytes
    file_name: str = ""
    is_file: bool = False

    @property
    def is_left_out(self) -> bool:
        """Whether this is what a browser sends for a file that nobody chose."""
        return self.is_file and not self.data and not self.file_name


def media_type_of(request: Request) -> str:
    """Return the media type of a request's body in lower case, without parameters; empty without one."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def read_form(request: Request, known: Collection[str]) -> Mapping[str, Part]:
    """Return the parts of a form by name.

    Raises:
        InvalidInput: the body is no form, or not a whole one, or has a part twice or one that is not known.
    """
    reader = {MULTIPART: _multipart, URL_ENCODED: _url_encoded}.get(media_type_of(request))
    if reader is None:
        raise InvalidInput(f"send {MULTIPART} with the parts {', '.join(known)}")
    parts: dict[str, Part] = {}
    for name, part in reader(request):
        if name not in known:
            raise InvalidInput(f"unknown part: {name}", field=name)
        if name in parts:
            raise InvalidInput(f"the part {name} is there twice", field=name)
        parts[name] = part
    return parts


def _url_encoded(request: Request) -> list[tuple[str, Part]]:
    try:
        pairs = parse_qsl(request.body.decode(), keep_blank_values=True, max_num_fields=MOST_PARTS)
    except ValueError:
        raise InvalidInput("the form cannot be read") from None
    return [(name, Part(value.encode())) for name, value in pairs]


def _multipart(request: Request) -> list[tuple[str, Part]]:
    # Loaded here, since most requests carry no form.
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import File, FormParser, MultipartParser, MultipartState

    found: list[tuple[str, Part]] = []

    def take_file(file: File) -> None:
        file.file_object.seek(0)
        name = _file_name(_text(file.file_name or b""))
        found.append((_text(file.field_name or b""), Part(file.file_object.read(), name, is_file=True)))
        file.close()

    # A file stays in memory, where the body is already.
    config = {"MAX_MEMORY_FILE_SIZE": len(request.body) + 1, "MAX_FIELDS": MOST_PARTS}
    try:
        form = FormParser(
            MULTIPART,
            lambda field: found.append((_text(field.field_name or b""), Part(field.value or b""))),
            take_file,
            boundary=_boundary(request),
            config=config,
        )
        form.write(request.body)
        form.finalize()
    except (FormParserError, ValueError):
        raise InvalidInput("the form cannot be read: it is not multipart/form-data as RFC 7578 has it") from None
    if not isinstance(form.parser, MultipartParser) or form.parser.state != MultipartState.END:
        raise InvalidInput("the form is not whole: its last boundary is missing")
    return found


def _boundary(request: Request) -> str:
    header = Message()
    header["Content-Type"] = request.headers.get("content-type", "")
    boundary = header.get_boundary()
    if not boundary:
        raise InvalidInput("Content-Type says no boundary")
    return boundary


def _file_name(given: str) -> str:
    """Return a file's name; .NET sends one that is not ASCII as an encoded word (RFC 2047, section 2)."""
    if not _ENCODED_WORD.fullmatch(given):
        return given
    try:
        return str(make_header(decode_header(given)))
    except (LookupError, ValueError, HeaderParseError):
        return given


def _text(name: bytes) -> str:
    return name.decode(errors="replace")
