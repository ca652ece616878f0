"""Conditional writes in DynamoDB's expression language; every name and value stands under an alias."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from knowledge_base.adapters.aws.items import Item, Key, encode, to_attribute


class Aliases:
    """Collects the names and values of one request."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: Item = {}

    def name(self, attribute: str) -> str:
        """Return the alias of an attribute's name."""
        self._names[f"#{attribute}"] = attribute
        return f"#{attribute}"

    def value(self, value: object) -> str:
        """Return the alias of a value."""
        alias = f":v{len(self._values)}"
        self._values[alias] = to_attribute(value)
        return alias

    def parameters(self) -> dict[str, Any]:
        """Return the request parameters that explain the aliases."""
        names = {"ExpressionAttributeNames": self._names} if self._names else {}
        values = {"ExpressionAttributeValues": self._values} if self._values else {}
        return {**names, **values}


Condition: TypeAlias = Callable[[Aliases], str]


def present(attribute: str = "pk") -> Condition:
    """The attribute is there; without a name: the item is."""
    return lambda aliases: f"attribute_exists({aliases.name(attribute)})"


def absent(attribute: str = "pk") -> Condition:
    """The attribute is not there; without a name: the item is not."""
    return lambda aliases: f"attribute_not_exists({aliases.name(attribute)})"


def equals(attribute: str, value: object) -> Condition:
    """The attribute has this value; an empty set is stored as no attribute."""
    if value == frozenset():
        return absent(attribute)
    return lambda aliases: f"{aliases.name(attribute)} = {aliases.value(value)}"


def differs(attribute: str, value: object) -> Condition:
    """The attribute is there and has another value."""
    return lambda aliases: f"{present(attribute)(aliases)} AND {aliases.name(attribute)} <> {aliases.value(value)}"


def below(attribute: str, value: object) -> Condition:
    """The attribute is there and less than the value."""
    return lambda aliases: f"{aliases.name(attribute)} < {aliases.value(value)}"


def up_to(attribute: str, value: object) -> Condition:
    """The attribute is there and at most the value."""
    return lambda aliases: f"{aliases.name(attribute)} <= {aliases.value(value)}"


def above(attribute: str, value: object) -> Condition:
    """The attribute is there and greater than the value."""
    return lambda aliases: f"{aliases.name(attribute)} > {aliases.value(value)}"


def starts_with(attribute: str, text: str) -> Condition:
    """The attribute begins with this text."""
    return lambda aliases: f"begins_with({aliases.name(attribute)}, {aliases.value(text)})"


def one_of(attribute: str, values: Collection[Any]) -> Condition:
    """The attribute has one of at least one value."""
    return lambda aliases: f"{aliases.name(attribute)} IN ({', '.join(aliases.value(value) for value in values)})"


def every(*conditions: Condition) -> Condition:
    """All of the conditions hold."""
    return lambda aliases: " AND ".join(condition(aliases) for condition in conditions)


def either(*conditions: Condition) -> Condition:
    """At least one of the conditions holds."""
    return lambda aliases: f"({' OR '.join(condition(aliases) for condition in conditions)})"


@dataclass(frozen=True, slots=True)
class Write:
    """One write to one item, with the condition it depends on."""

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    parameters: dict[str, Any]


def put(key: Key, item: Item, *, given: Condition | None = None) -> Write:
    """Return the write that stores an item, in place of what is there."""
    aliases = Aliases()
    condition = _condition(aliases, given)
    return Write("Put", {"Item": {**item, **key.attributes()}, **condition, **aliases.parameters()})


def update(
    key: Key,
    *,
    assign: Mapping[str, Any] | None = None,
    add: Mapping[str, Any] | None = None,
    take: Mapping[str, Any] | None = None,
    remove: Collection[str] = (),
    given: Condition | None = None,
) -> Write:
    """Return the write that changes attributes of an item; assigning an empty set removes the attribute.

    `add` counts numbers up and puts members into sets, `take` takes members out of sets.
    """
    assigned = encode(assign or {})
    gone = [*remove, *((assign or {}).keys() - assigned.keys())]
    aliases = Aliases()
    clauses = [
        _clause(
            "SET",
            [
                f"{aliases.name(name)} = {aliases.value(value)}"
                for name, value in (assign or {}).items()
                if name in assigned
            ],
        ),
        _clause("ADD", [f"{aliases.name(name)} {aliases.value(value)}" for name, value in (add or {}).items()]),
        _clause("DELETE", [f"{aliases.name(name)} {aliases.value(value)}" for name, value in (take or {}).items()]),
        _clause("REMOVE", [aliases.name(name) for name in gone]),
    ]
    expression = {"UpdateExpression": " ".join(filter(None, clauses))}
    condition = _condition(aliases, given)
    return Write("Update", {"Key": key.attributes(), **expression, **condition, **aliases.parameters()})


def delete(key: Key, *, given: Condition | None = None) -> Write:
    """Return the write that deletes an item."""
    return _on_key("Delete", key, given)


def check(key: Key, given: Condition) -> Write:
    """Return the part of a transaction that only asks for a condition."""
    return _on_key("ConditionCheck", key, given)


def _on_key(action: Literal["Delete", "ConditionCheck"], key: Key, given: Condition | None) -> Write:
    aliases = Aliases()
    condition = _condition(aliases, given)
    return Write(action, {"Key": key.attributes(), **condition, **aliases.parameters()})


def _condition(aliases: Aliases, given: Condition | None) -> dict[str, Any]:
    return {"ConditionExpression": given(aliases)} if given else {}


def _clause(word: str, parts: list[str]) -> str:
    return f"{word} {', '.join(parts)}" if parts else ""
