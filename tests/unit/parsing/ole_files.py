"""Compound files, made for the tests of the parsers of older office files."""

from __future__ import annotations

import struct

SECTOR = 512


def an_ole_file(streams: dict[str, bytes]) -> bytes:
    """A container with streams in its root; each is padded so that it needs no mini sectors."""
    padded = {name: data.ljust(max(4096, -(-len(data) // SECTOR) * SECTOR), b"\0") for name, data in streams.items()}
    sectors, starts = b"", {}
    for name, data in padded.items():
        starts[name] = len(sectors) // SECTOR
        sectors += data
    entries = [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)]
    entries += [
        _entry(name, 2, starts[name], len(data), right=place + 2 if place + 1 < len(padded) else -1)
        for place, (name, data) in enumerate(padded.items())
    ]
    directory = b"".join(entries).ljust(SECTOR, b"\0")
    chain = []
    for name, data in padded.items():
        first, count = starts[name], len(data) // SECTOR
        chain += [*range(first + 1, first + count), 0xFFFFFFFE]
    where = len(chain)
    fats = -(-(where + 2) // 128) + 1
    chain += [0xFFFFFFFE, *[0xFFFFFFFD] * fats]
    fat = struct.pack(f"<{len(chain)}I", *chain).ljust(fats * SECTOR, b"\xff")
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack(
            "<HHHHH6xIIIIIIIIII",
            0x3E,
            3,
            0xFFFE,
            9,
            6,
            0,
            fats,
            where,
            0,
            4096,
            0xFFFFFFFE,
            0,
            0xFFFFFFFE,
            0,
            where + 1,
        )
    )
    places = struct.pack(f"<{fats - 1}I", *range(where + 2, where + 1 + fats))
    return (header + places).ljust(SECTOR, b"\xff") + sectors + directory + fat


def _entry(name: str, kind: int, start: int, size: int, *, child: int = -1, right: int = -1) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    return (
        encoded.ljust(64, b"\0")
        + struct.pack("<HBBiii", len(encoded), kind, 1, -1, right, child)
        + bytes(36)
        + struct.pack("<IQ", start, size)
    )
