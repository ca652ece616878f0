"""Code pages of older word processors: bytes are in that of their font, or in that of the document."""

from __future__ import annotations

import codecs

from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font

_BY_CHARSET = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_BY_NUMBER = {65001: "utf-8", 936: "gb18030", 54936: "gb18030", 10000: "mac_roman", 1361: "johab"}
WIDE = ("cp932", "cp949", "cp950", "gb18030", "johab")
SYMBOL = "symbol"


def codec_of_charset(charset: int) -> str:
    """Return the codec of a font's character set, empty where the document's own holds."""
    return SYMBOL if charset == 2 else _BY_CHARSET.get(charset, "")


def codec_of_number(number: int) -> str:
    """Return the codec of a Windows code page, empty where there is none."""
    name = _BY_NUMBER.get(number, f"cp{number}")
    try:
        codecs.lookup(name)
    except LookupError:
        return ""
    return name


def decode_bytes(data: bytes, *candidates: str) -> str:
    """Return the characters by the first codec that fits every byte, else what the first one makes of them."""
    usable = [codec for codec in dict.fromkeys(candidates) if codec and codec != SYMBOL] or ["cp1252"]
    for codec in (*usable, "cp1252"):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            continue
    return data.decode(usable[0], "replace")


def decode_symbols(data: bytes) -> str:
    """Return what bytes show in a symbol font; plain letters are taken for text that is only said to be in it."""
    return "".join(chr(byte) if byte < 0x80 else from_symbol_font(f"F0{byte:02X}", "Symbol") or "\x00" for byte in data)
