"""Objects in an S3 bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from knowledge_base.adapters.aws.s3_events import created_event
from knowledge_base.domain.errors import ObjectNotFound
from knowledge_base.ports.object_store import UploadForm

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PIECE_BYTES = 256 * 1024


class ObjectsNotDeleted(Exception):
    """S3 left some objects of a delete request where they were."""


class S3ObjectStore:
    """Holds each object under its key in one bucket.

    Without the right to list the bucket S3 answers 403 instead of 404 for a key that is not there.
    """

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, data: bytes | IO[bytes]) -> None:
        """Store bytes under a key, in place of what was there."""
        body: Any = data if isinstance(data, bytes) or data.seekable() else data.read()
        self._client.put_object(Bucket=self._bucket, Key=key, Body=body)

    def get(self, key: str) -> bytes:
        """Return the bytes under a key.

        Raises:
            ObjectNotFound: there is none.
        """
        with _finding(key):
            return self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()

    @contextmanager
    def open(self, key: str) -> Iterator[Iterator[bytes]]:
        """Open a key for reading piece by piece, in bounded memory.

        Raises:
            ObjectNotFound: there is none.
        """
        with _finding(key):
            body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
        with closing(body):
            yield body.iter_chunks(PIECE_BYTES)

    def size(self, key: str) -> int:
        """Return the size in bytes.

        Raises:
            ObjectNotFound: there is none.
        """
        with _finding(key):
            return self._client.head_object(Bucket=self._bucket, Key=key)["ContentLength"]

    def copy(self, source: str, target: str) -> None:
        """Copy within the store.

        Raises:
            ObjectNotFound: there is no source.
        """
        self.copy_in(self._bucket, source, target)

    def copy_in(self, bucket: str, source: str, target: str) -> None:
        """Copy from another bucket into the store.

        Raises:
            ObjectNotFound: there is no source.
        """
        with _finding(source):
            self._client.copy_object(Bucket=self._bucket, Key=target, CopySource={"Bucket": bucket, "Key": source})

    def read_in(self, bucket: str, key: str, *, limit: int) -> bytes:
        """Return the first `limit` bytes of an object of another bucket.

        Raises:
            ObjectNotFound: there is none.
        """
        with _finding(key):
            body = self._client.get_object(Bucket=bucket, Key=key)["Body"]
        with closing(body):
            return body.read(limit)

    def delete_under(self, prefix: str) -> None:
        """Delete every object whose key begins with the prefix."""
        if not prefix:
            raise ValueError("an empty prefix means every object")
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        for page in pages:
            self._delete([entry["Key"] for entry in page.get("Contents", [])])

    def _delete(self, keys: list[str]) -> None:
        if not keys:
            return
        objects: Any = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        errors = self._client.delete_objects(Bucket=self._bucket, Delete=objects).get("Errors", [])
        if errors:
            raise ObjectsNotDeleted(f"{len(errors)} objects: {errors[0].get('Code')}")

    def upload_form(self, key: str, *, size: int, lifetime: int) -> UploadForm:
        """Return a form that lets its holder upload one object of exactly `size` bytes within `lifetime` seconds."""
        form = self._client.generate_presigned_post(
            self._bucket, key, Conditions=[["content-length-range", size, size]], ExpiresIn=lifetime
        )
        return UploadForm(form["url"], form["fields"])

    def event(self, key: str) -> dict[str, Any]:
        """Return the message that tells of a key as if it had just been written."""
        return created_event(self._bucket, key)


@contextmanager
def _finding(key: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
            raise ObjectNotFound(key) from None
        raise
