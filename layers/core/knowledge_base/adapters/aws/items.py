"""How domain objects become DynamoDB items, and come back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter

Attribute: TypeAlias = dict[str, Any]
Item: TypeAlias = dict[str, Any]
Plain: TypeAlias = dict[str, Any]
T = TypeVar("T")

LONGEST_KEY_BYTES = 800
"""Beyond this a key is cut and ends in a hash: DynamoDB takes 1024 bytes in a sort key."""


class Key(NamedTuple):
    """An item's partition key and sort key, as they are stored."""

    pk: str
    sk: str

    @classmethod
    def of(cls, pk: str, sk: str) -> Key:
        """Return the key of an item that is known by these two texts, however long they are."""
        return cls(fit(pk), fit(sk))

    def attributes(self) -> Item:
        """Return the key as attributes of an item."""
        return {"pk": {"S": self.pk}, "sk": {"S": self.sk}}


def fit(text: str) -> str:
    """Return the text as it may stand in a key: whole if it is short, else its begin and its hash.

    Two texts never get the same key: what is cut is longer than what is whole.
    """
    encoded = storable(text).encode()
    if len(encoded) <= LONGEST_KEY_BYTES:
        return encoded.decode()
    begin = encoded[:LONGEST_KEY_BYTES].decode(errors="ignore")
    return f"{begin}#{hashlib.sha256(encoded).hexdigest()}"


def storable(text: str) -> str:
    """Return the text with lone surrogates, which JSON lets in and UTF-8 cannot carry, replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(text)


def moment(time: datetime) -> str:
    """Return a moment as text that sorts by time."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def to_item(value: DataclassInstance) -> Item:
    """Return a dataclass as an item's attributes; an empty set, which DynamoDB has not, is left out."""
    return encode({field.name: getattr(value, field.name) for field in fields(value)})


def encode(values: Mapping[str, Any]) -> Item:
    """Return values by name as attributes; an empty set is left out."""
    return {storable(name): to_attribute(value) for name, value in values.items() if value != frozenset()}


def to_attribute(value: object) -> Attribute:
    """Return a value as a typed attribute.

    Raises:
        TypeError: the value has a type that items do not hold.
    """
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": storable(value)}
        case int() | float():
            return {"N": repr(value)}
        case datetime():
            return {"S": moment(value)}
    return _composite(value)


def _composite(value: object) -> Attribute:
    match value:
        case frozenset():
            return _set(value)
        case Mapping():
            return {"M": encode(value)}
        case Sequence():
            return {"L": [to_attribute(element) for element in value]}
    if is_dataclass(value) and not isinstance(value, type):
        return {"M": to_item(value)}
    raise TypeError(f"no attribute for {type(value).__name__}")


def _set(value: frozenset[Any]) -> Attribute:
    if all(isinstance(element, int) for element in value):
        return {"NS": [repr(element) for element in value]}
    return {"SS": sorted({storable(element) for element in value})}


def to_plain(item: Mapping[str, Any]) -> Plain:
    """Return an item's attributes as plain values by name."""
    return {name: _from_attribute(attribute) for name, attribute in item.items()}


def _from_attribute(attribute: Attribute) -> object:
    ((kind, value),) = attribute.items()
    match kind:
        case "N":
            return _number(value)
        case "NS":
            return [_number(element) for element in value]
        case "M":
            return to_plain(value)
        case "L":
            return [_from_attribute(element) for element in value]
        case "NULL":
            return None
    return value


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def from_plain(kind: type[T], values: Plain) -> T:
    """Return the object that plain values describe; values that it does not know are ignored."""
    if kind not in _ADAPTERS:
        from pydantic import TypeAdapter

        _ADAPTERS[kind] = TypeAdapter(kind)
    built: T = _ADAPTERS[kind].validate_python(values)
    return built


_ADAPTERS: dict[object, TypeAdapter[Any]] = {}
