"""RTF as Outlook compresses it (MS-OXRTFCP: LZ77 with a dictionary that is filled before)."""

from __future__ import annotations

import struct

_PREFILLED = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS "
    b"Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i"
    b"\\u\\tab\\tx"
)
_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D
_HEAD = 16
_WINDOW = 4096
_MAX_SIZE = 20_000_000


def decompress(data: bytes) -> bytes:
    """Return the RTF source; empty where there is none or it is in an unknown form."""
    if len(data) < _HEAD:
        return b""
    size, form = struct.unpack_from("<4xII", data)
    if form == _PLAIN:
        return data[_HEAD : _HEAD + size]
    return _inflate(data[_HEAD:], min(size, _MAX_SIZE)) if form == _COMPRESSED else b""


def _inflate(data: bytes, size: int) -> bytes:
    window = bytearray(_PREFILLED) + bytearray(_WINDOW - len(_PREFILLED))
    out, write, place = bytearray(), len(_PREFILLED), 0
    while place < len(data) and len(out) < size:
        control, place = data[place], place + 1
        for bit in range(8):
            width = 1 + (control >> bit & 1)
            token, place = data[place : place + width], place + width
            read, length = int.from_bytes(token, "big") >> 4, (token[-1] & 0xF) + 2 if len(token) > 1 else 1
            if len(token) < width or (width > 1 and read == write):
                return bytes(out)
            for step in range(length):
                byte = window[(read + step) % _WINDOW] if width > 1 else token[0]
                window[write], write = byte, (write + 1) % _WINDOW
                out.append(byte)
    return bytes(out)
