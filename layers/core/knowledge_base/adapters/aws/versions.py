"""Versions in the Catalog table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.aws.expressions import Write, absent, differs, equals, every, one_of, put, update
from knowledge_base.adapters.aws.items import Key, encode, from_plain, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.domain.documents import Failure, IngestionState, Version
from knowledge_base.domain.errors import StaleState, VersionNotFound
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

_OPEN = "version"


class DynamoDBVersions:
    """Holds each version in one item, which is open until the version has ended."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def get(self, document_id: str, ordinal: int) -> Version:
        """Return a version.

        Raises:
            VersionNotFound: there is none.
        """
        found = self._table.get(_key(document_id, ordinal))
        if not found:
            raise VersionNotFound(document_id, ordinal)
        return from_plain(Version, found)

    def get_many(self, keys: Collection[tuple[str, int]]) -> dict[tuple[str, int], Version]:
        """Return those versions that exist, by document id and ordinal, in one round trip for each hundred."""
        found = [from_plain(Version, item) for item in self._table.get_many(_key(*key) for key in keys)]
        return {(version.document_id, version.ordinal): version for version in found}

    def move(
        self,
        version: Version,
        to: IngestionState,
        *,
        allowed: Collection[IngestionState],
        due: int,
        changes: Mapping[str, Any] | None = None,
    ) -> Version:
        """Change the state, and other fields by name with it, if the stored state is one of `allowed`.

        Raises:
            StaleState: it is not.
        """
        after = replace(version, **{**(changes or {}), "state": to, "due": due, "updated_at": self._clock.now()})
        assign = {name: getattr(after, name) for name in ("state", "due", "updated_at", *(changes or ()))}
        opened = {} if to.is_terminal else {"open": _OPEN}
        closed = ["open"] if to.is_terminal else []
        given = one_of("state", allowed)
        return self._change(update(version_key(version), assign={**assign, **opened}, remove=closed, given=given))

    def fail(self, version: Version, failure: Failure) -> Version:
        """End a version that has not ended, as failed.

        Raises:
            StaleState: it has ended already.
        """
        assign = {"state": IngestionState.FAILED, "failure": failure, "updated_at": self._clock.now()}
        unended = every(differs("state", IngestionState.READY), differs("state", IngestionState.FAILED))
        return self._change(update(version_key(version), assign=assign, remove=["open"], given=unended))

    def complete_batch(self, version: Version, batch: int, *, due: int) -> Version:
        """Add a batch to those that are embedded, if the state is EMBEDDING; twice changes nothing.

        Raises:
            StaleState: the version is in another state.
        """
        assign = {"due": due, "updated_at": self._clock.now()}
        add = {"batches_done": frozenset({batch})}
        embedding = equals("state", IngestionState.EMBEDDING)
        return self._change(update(version_key(version), assign=assign, add=add, given=embedding))

    def overdue(self, now: int, *, limit: int) -> list[Version]:
        """Return versions that have not ended and whose `due` has passed, the longest overdue first.

        May lag by a second.
        """
        return [from_plain(Version, item) for item in self._table.overdue(_OPEN, now, limit=limit)]

    def postpone(self, version: Version, *, due: int, resumes: int) -> Version:
        """Set when the sweep looks again, and how often it has resumed the version.

        Raises:
            StaleState: the version changed since it was read.
        """
        read = ("state", "due", "resumes", "updated_at")
        unchanged = every(*(equals(name, getattr(version, name)) for name in read))
        return self._change(update(version_key(version), assign={"due": due, "resumes": resumes}, given=unchanged))

    def _change(self, write: Write) -> Version:
        try:
            return from_plain(Version, self._table.write(write, returning="ALL_NEW"))
        except ConditionUnmet:
            raise StaleState("the version is in another state by now") from None


def new_version(version: Version) -> Write:
    """Return the write that stores a version which is not there yet."""
    opened = {} if version.state.is_terminal else {"open": _OPEN}
    return put(version_key(version), {**to_item(version), **encode(opened)}, given=absent())


def version_key(version: Version) -> Key:
    """Return the key of a version's item."""
    return _key(version.document_id, version.ordinal)


def versions_of(document_id: str) -> str:
    """Return the partition of a document and its versions."""
    return f"DOC#{document_id}"


def _key(document_id: str, ordinal: int) -> Key:
    return Key.of(versions_of(document_id), f"V#{ordinal:010d}")
