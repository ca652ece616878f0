"""Read the file beside a dropped file that describes it: `{file}.metadata.json`.

Both forms are taken that users of managed services write: that of Amazon Bedrock knowledge bases
(`metadataAttributes`, https://docs.aws.amazon.com/bedrock/latest/userguide/kb-metadata.html) and that of
Amazon Kendra (`Title`, `Attributes`, `AccessControlList`,
https://docs.aws.amazon.com/kendra/latest/dg/s3-metadata.html). An access control list works in both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    ValidationError,
)

from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.metadata import Attribute, DocumentMetadata
from knowledge_base.domain.permissions import PUBLIC, Action, Grant, Permissions

SUFFIX = ".metadata.json"
MAX_BYTES = 10 * 1024
"""The managed service's limit: https://docs.aws.amazon.com/general/latest/gr/bedrock.html."""

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]
Text = Annotated[str, StringConstraints(max_length=2048)]
Plain: TypeAlias = StrictBool | StrictInt | StrictFloat | Text | list[Text]


class _Typed(BaseModel):
    """`{"value": {"type": "STRING", "stringValue": "…"}}`, the managed service's long form of a value."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["STRING", "NUMBER", "BOOLEAN", "STRING_LIST"]
    string: Text | None = Field(None, alias="stringValue")
    number: StrictInt | StrictFloat | None = Field(None, alias="numberValue")
    boolean: StrictBool | None = Field(None, alias="booleanValue")
    strings: list[Text] | None = Field(None, alias="stringListValue")


class _LongForm(BaseModel):
    model_config = ConfigDict(extra="forbid")

    value: _Typed
    include_for_embedding: bool = Field(False, alias="includeForEmbedding")


class _Entry(BaseModel):
    """One line of an access control list; denial is the default, so only what allows can be written."""

    model_config = ConfigDict(extra="forbid")

    name: Name = Field(alias="Name")
    type: Literal["USER", "GROUP"] = Field(alias="Type")
    access: Literal["ALLOW"] = Field("ALLOW", alias="Access")


class _Sidecar(BaseModel):
    """All places are optional; what the managed services know and we do not need is passed over."""

    attributes: dict[Name, Plain | _LongForm] = Field({}, alias="metadataAttributes", max_length=100)
    kendra_attributes: dict[Name, Plain] = Field({}, alias="Attributes", max_length=100)
    title: Text = Field("", alias="Title")
    access: list[_Entry] | None = Field(None, alias="AccessControlList", max_length=200)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What a sidecar says; without an access control list, everybody in the tenant may read."""

    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    permissions: Permissions = PUBLIC


def is_sidecar(path: str) -> bool:
    """Tell whether a dropped file describes another."""
    return path.endswith(SUFFIX) and path != SUFFIX


def read_sidecar(data: bytes) -> Sidecar:
    """Return what the bytes of a sidecar say.

    Raises:
        InvalidInput: it is too large, no JSON, or not of a known form; the message says where.
    """
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"larger than {MAX_BYTES} bytes")
    try:
        read = _Sidecar.model_validate_json(data)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise InvalidInput(f"{where}: {fault['msg']}" if where else str(fault["msg"])) from None
    return Sidecar(_metadata(read), _permissions(read))


def _metadata(read: _Sidecar) -> DocumentMetadata:
    fields = {name: _value(value) for name, value in {**read.kendra_attributes, **read.attributes}.items()}
    title = read.title or _text(fields.pop("title", ""))
    source = _text(fields.pop("source", fields.pop("_source_uri", "")))
    return DocumentMetadata(title, _texts(fields.pop("tags", ())), source, _text(fields.pop("format", "")), fields)


def _permissions(read: _Sidecar) -> Permissions:
    if read.access is None:
        return PUBLIC
    kinds = {"USER": "user", "GROUP": "role"}
    marks = dict.fromkeys(f"{kinds[entry.type]}:{entry.name}" for entry in read.access)
    return Permissions(public=False, grants=tuple(Grant(mark, frozenset({Action.READ})) for mark in marks))


def _value(given: Any) -> Attribute:
    if isinstance(given, _LongForm):
        typed = given.value
        places = {
            "STRING": typed.string,
            "NUMBER": typed.number,
            "BOOLEAN": typed.boolean,
            "STRING_LIST": typed.strings,
        }
        given = places[typed.type]
        if given is None:
            raise InvalidInput(f"a value of type {typed.type} is missing")
    return tuple(given) if isinstance(given, list) else given


def _text(value: Attribute) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _texts(value: Attribute) -> tuple[str, ...]:
    """Return tags, of a list or of a text with commas."""
    tags = value if isinstance(value, tuple) else str(value).split(",")
    return tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
