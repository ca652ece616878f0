"""What the check boxes and lists of a form in an old Word document are set to ([MS-DOC] 2.9.79)."""

from __future__ import annotations

import struct
from contextlib import suppress

from knowledge_base.adapters.parsing.field_codes import CHECKED, UNCHECKED

_CHECK_BOX, _LIST = 1, 2
_UNSET = 25
_VERSION = 0xFFFF_FFFF
_TEXTS_BEHIND_DEFAULT = 5
"""Format, help, status, and the macros on entry and exit."""


def read_form_value(data: bytes, place: int) -> str:
    """Return what a form field shows that keeps its value here; empty for any other, and for damaged ones."""
    with suppress(struct.error, IndexError):
        return _read(data, place)
    return ""


def _read(data: bytes, place: int) -> str:
    header = struct.unpack_from("<iH", data, place)[1]
    version, bits = struct.unpack_from("<IH", data, place + header)
    if version != _VERSION:
        return ""
    kind, result = bits & 3, bits >> 2 & 0x1F
    place = _behind_text(data, place + header + 10)
    default = struct.unpack_from("<H", data, place)[0]
    chosen = default if result == _UNSET else result
    if kind == _CHECK_BOX:
        return CHECKED if chosen else UNCHECKED
    return _entry(data, place + 2, chosen) if kind == _LIST else ""


def _entry(data: bytes, place: int, chosen: int) -> str:
    for _text in range(_TEXTS_BEHIND_DEFAULT):
        place = _behind_text(data, place)
    _extended, count, extra = struct.unpack_from("<3H", data, place)
    place += 6
    for index in range(count):
        length = struct.unpack_from("<H", data, place)[0]
        if index == chosen:
            return data[place + 2 : place + 2 + 2 * length].decode("utf-16-le", "replace")
        place += 2 + 2 * length + extra
    return ""


def _behind_text(data: bytes, place: int) -> int:
    """Texts have their length before them, and a NUL behind."""
    length: int = struct.unpack_from("<H", data, place)[0]
    return place + 2 + 2 * length + 2
