"""What callers say of a document: the `metadata` of the engineering contract, and of its uploads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    TypeAdapter,
    model_validator,
)

from knowledge_base.domain.documents import Document
from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.formats import BY_CONTENT, format_of_name
from knowledge_base.domain.metadata import Attribute, DocumentMetadata
from knowledge_base.domain.permissions import Action, Grant, Permissions
from knowledge_base.services.writing import Describe, Description

MOST_FIELDS = 50
LARGEST_METADATA = 64 * 1024
"""In bytes, as JSON; of a document, and of what a request says."""

LARGEST_NUMBER = 2**53 - 1
SET_BY_THE_SERVICE = (
    "id",
    "document_id",
    "created_at",
    "updated_at",
    "size",
    "owner",
    "version",
    "status",
    "progress",
    "error",
)
_FIELD_NAME = re.compile(r"[\w.-]{1,64}")

Text = Annotated[str, StringConstraints(max_length=2048)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]
Who = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]
Format = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^[A-Za-z0-9.+/_# -]{1,128}$")]
Whole = Annotated[StrictInt, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
Real = Annotated[StrictFloat, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, allow_inf_nan=False)]
FreeValue = StrictBool | Whole | Real | Text | Annotated[list[Text], Field(max_length=100)]

_FREE: TypeAdapter[Any] = TypeAdapter(FreeValue | None)


class GivenMetadata(BaseModel):
    """Title, format, tags, source, who may do what, and up to 50 free fields, in 64 KB.

    A free field is text, a number, a boolean or a list of texts. In an update, a field that is given replaces,
    `null` clears, and an absent one stays. The keys of `acl` are users or roles, `user:…` or `role:…` where it
    has to be one of them. `public` lets everybody in the tenant read.
    """

    model_config = ConfigDict(extra="allow")

    title: Text | None = None
    format: Format | None = None
    tags: Annotated[list[Tag], Field(max_length=100)] | None = None
    source: Text | None = None
    acl: Annotated[dict[Who, list[Literal["read", "write", "delete"]]], Field(max_length=200)] | None = None
    public: StrictBool | None = None

    @model_validator(mode="before")
    @classmethod
    def _check_free_fields(cls, given: Any) -> Any:
        free = {name: value for name, value in given.items() if name not in cls.model_fields} if _is_map(given) else {}
        if len(free) > MOST_FIELDS:
            raise ValueError(f"there are more than {MOST_FIELDS} free fields")
        for name, value in free.items():
            _check_free_field(name, value)
        return given

    @property
    def free(self) -> dict[str, Attribute | None]:
        """The free fields."""
        extra = self.model_extra or {}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in extra.items()}


def described(given: GivenMetadata, name: str, *, by_content: str = "") -> Description:
    """Return what is said of a new document: nobody but its creator may do anything unless it is said.

    `by_content` is its format where neither the metadata nor the name says one.

    Raises:
        InvalidInput: that is more than a document may have.
    """
    before = DocumentMetadata(format=format_of_name(name) or by_content)
    return _merged(given, before, Permissions(public=False), name)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that takes the place of another: its name, that of the one before, and what its content tells."""

    name: str
    name_before: str
    by_content: str

    def format_after(self, before: str) -> str:
        """Return the format of a document that had another before: what its caller said stays as it is."""
        by_name = format_of_name(self.name_before)
        is_said = before != by_name and (by_name or before not in BY_CONTENT)
        told = format_of_name(self.name) or ("" if by_name else self.by_content)
        return before if is_said else told or before


def changed(given: GivenMetadata, file: NewFile | None = None) -> Describe:
    """Return what makes of a document's description the one that a change wants.

    A format that came from the name of the file, or from the content, follows those of the next one.

    Raises:
        InvalidInput: when called, if the document would have more than it may.
    """

    def describe(document: Document) -> Description:
        before = document.metadata
        if file:
            before = replace(before, format=file.format_after(before.format))
        return _merged(given, before, document.permissions, file.name if file else document.name)

    return describe


def _merged(given: GivenMetadata, before: DocumentMetadata, permissions: Permissions, name: str) -> Description:
    said = given.model_fields_set
    free = {**before.attributes, **given.free}
    metadata = DocumentMetadata(
        title=given.title or "" if "title" in said else before.title,
        tags=tuple(dict.fromkeys(given.tags or ())) if "tags" in said else before.tags,
        source=given.source or "" if "source" in said else before.source,
        format=given.format or format_of_name(name) if "format" in said else before.format,
        attributes={name: value for name, value in free.items() if value is not None},
    )
    _check_bounds(metadata, before)
    grants = _grants(given.acl or {}) if "acl" in said else permissions.grants
    public = bool(given.public) if "public" in said else permissions.public
    return Description(metadata, Permissions(public, grants))


def _check_bounds(metadata: DocumentMetadata, before: DocumentMetadata) -> None:
    """Bound what many changes leave together; what was more before may stay, or become less."""
    count, size = len(metadata.attributes), _size_of(metadata)
    if count > max(MOST_FIELDS, len(before.attributes)):
        raise InvalidInput(f"a document may have {MOST_FIELDS} free fields, this would make {count}", field="metadata")
    if size > LARGEST_METADATA and size > _size_of(before):
        raise InvalidInput(f"the metadata of a document may have {LARGEST_METADATA} bytes", field="metadata")


def _size_of(said: DocumentMetadata) -> int:
    words = (said.title, said.source, said.format, said.tags, said.attributes)
    return len(json.dumps(words, ensure_ascii=False).encode(errors="replace"))


def _grants(acl: Mapping[str, list[Literal["read", "write", "delete"]]]) -> tuple[Grant, ...]:
    """A plain name is a user of this id or a role of this name, as the contract's document has it."""
    allowed: dict[str, frozenset[Action]] = {}
    for who, actions in acl.items():
        marks = [who] if who.startswith(("user:", "role:")) else [f"user:{who}", f"role:{who}"]
        for mark in marks:
            allowed[mark] = allowed.get(mark, frozenset()) | {Action(action) for action in actions}
    return tuple(Grant(mark, actions) for mark, actions in sorted(allowed.items()) if actions)


def _check_free_field(name: str, value: Any) -> None:
    if name in SET_BY_THE_SERVICE:
        raise ValueError(f"{name} is set by the service")
    if not _FIELD_NAME.fullmatch(name):
        raise ValueError("the name of a free field is 1 to 64 letters, digits, dots, hyphens or underscores")
    try:
        _FREE.validate_python(value)
    except ValueError:
        raise ValueError(
            f"{name} must be a text of up to 2048 characters, a number, a boolean or a list of such texts"
        ) from None


def _is_map(given: Any) -> bool:
    return isinstance(given, dict)
