"""What every object store promises."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from knowledge_base.domain.errors import ObjectNotFound
from knowledge_base.ports.object_store import ObjectStore

PutElsewhere = Callable[[str, bytes], str]
"""Stores bytes under a key of another bucket and returns that bucket's name."""

KEYS = ["uploads/acme/doc-1/1", "a b/价格+%2B%20&=?#.pdf", "x" * 900]


class Stream(io.RawIOBase):
    """Gives its pieces once, as a socket does."""

    def __init__(self, *pieces: bytes) -> None:
        self._left = list(pieces)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._left.pop(0) if self._left else b""
        buffer[: len(piece)] = piece
        return len(piece)


class ObjectStoreContract:
    """Subclasses give the fixtures `store`, an empty one, and `put_elsewhere`."""

    @pytest.mark.parametrize("key", KEYS)
    def test_bytes_come_back(self, store: ObjectStore, key: str) -> None:
        data = bytes(range(256)) * 10
        store.put(key, data)
        assert store.get(key) == data
        assert store.size(key) == len(data)
        with store.open(key) as pieces:
            assert b"".join(pieces) == data

    def test_empty_object_is_an_object(self, store: ObjectStore) -> None:
        store.put("k", b"")
        assert (store.get("k"), store.size("k")) == (b"", 0)
        with store.open("k") as pieces:
            assert b"".join(pieces) == b""

    def test_writing_again_replaces(self, store: ObjectStore) -> None:
        store.put("k", b"a longer one")
        store.put("k", b"short")
        assert store.get("k") == b"short"

    def test_file_is_stored_from_where_it_stands(self, store: ObjectStore) -> None:
        file = io.BytesIO(b"skipped, kept")
        file.seek(9)
        store.put("k", file)
        assert store.get("k") == b"kept"

    def test_stream_that_cannot_be_rewound_is_stored(self, store: ObjectStore) -> None:
        store.put("k", Stream(b"one, ", b"two"))
        assert store.get("k") == b"one, two"

    def test_large_object_comes_in_bounded_pieces(self, store: ObjectStore) -> None:
        data = b"0123456789abcdef" * 100_000
        store.put("k", data)
        with store.open("k") as pieces:
            found = list(pieces)
        assert b"".join(found) == data
        assert max(map(len, found)) <= 1024 * 1024
        assert len(found) > 1

    def test_reader_may_stop_early(self, store: ObjectStore) -> None:
        store.put("k", b"x" * 1_000_000)
        with store.open("k") as pieces:
            assert next(pieces)

    @pytest.mark.parametrize("read", ["get", "size"])
    def test_what_is_not_there_is_not_found(self, store: ObjectStore, read: str) -> None:
        with pytest.raises(ObjectNotFound):
            getattr(store, read)("k")

    def test_what_is_not_there_cannot_be_opened(self, store: ObjectStore) -> None:
        with pytest.raises(ObjectNotFound), store.open("k"):
            pass

    @pytest.mark.parametrize("key", KEYS)
    def test_copy_is_independent(self, store: ObjectStore, key: str) -> None:
        store.put(key, b"first")
        store.copy(key, "copy/" + key[:50])
        store.put(key, b"second")
        assert store.get("copy/" + key[:50]) == b"first"

    @pytest.mark.parametrize("key", KEYS)
    def test_object_of_another_bucket_is_copied_in(
        self, store: ObjectStore, put_elsewhere: PutElsewhere, key: str
    ) -> None:
        bucket = put_elsewhere(key, b"dropped")
        store.copy_in(bucket, key, "uploads/acme/doc-1/1")
        assert store.get("uploads/acme/doc-1/1") == b"dropped"

    def test_beginning_of_an_object_of_another_bucket_is_read(
        self, store: ObjectStore, put_elsewhere: PutElsewhere
    ) -> None:
        bucket = put_elsewhere("a 文件.metadata.json", b"0123456789")
        assert store.read_in(bucket, "a 文件.metadata.json", limit=4) == b"0123"
        assert store.read_in(bucket, "a 文件.metadata.json", limit=99) == b"0123456789"
        with pytest.raises(ObjectNotFound):
            store.read_in(bucket, "no such", limit=4)

    def test_copy_of_what_is_not_there_is_not_found(self, store: ObjectStore, put_elsewhere: PutElsewhere) -> None:
        with pytest.raises(ObjectNotFound):
            store.copy("k", "copy")
        bucket = put_elsewhere("other", b"")
        with pytest.raises(ObjectNotFound):
            store.copy_in(bucket, "k", "copy")

    def test_delete_takes_what_begins_with_the_prefix_only(self, store: ObjectStore) -> None:
        for key in ("chunks/a/doc-1/1/00000", "chunks/a/doc-1/2/00000", "chunks/a/doc-10/1/00000", "chunks/b"):
            store.put(key, b"x")
        store.delete_under("chunks/a/doc-1/")
        assert store.get("chunks/a/doc-10/1/00000") == store.get("chunks/b") == b"x"
        for key in ("chunks/a/doc-1/1/00000", "chunks/a/doc-1/2/00000"):
            with pytest.raises(ObjectNotFound):
                store.get(key)
        store.delete_under("chunks/a/doc-1/")

    def test_delete_takes_more_than_a_thousand(self, store: ObjectStore) -> None:
        for number in range(1003):
            store.put(f"many/{number:04d}", b"")
        store.delete_under("many/")
        for number in (0, 999, 1000, 1002):
            with pytest.raises(ObjectNotFound):
                store.size(f"many/{number:04d}")

    def test_empty_prefix_deletes_nothing(self, store: ObjectStore) -> None:
        store.put("k", b"x")
        with pytest.raises(ValueError, match="every object"):
            store.delete_under("")
        assert store.get("k") == b"x"
