"""Store, list, show, change and remove documents."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import TypeVar

from knowledge_base.dialects.contract import Reply, Request, read_json
from knowledge_base.dialects.document_metadata import LARGEST_METADATA, GivenMetadata, NewFile, changed, described
from knowledge_base.dialects.engineering import schemas, translate
from knowledge_base.dialects.engineering.editions import editions_of, tag_of
from knowledge_base.dialects.engineering.queries import read_query
from knowledge_base.dialects.forms import Part, media_type_of, read_form
from knowledge_base.dialects.preferences import wanted_wait
from knowledge_base.domain.documents import Document, Source, Version
from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.formats import BY_CONTENT, format_of_content, format_of_name
from knowledge_base.services.gateways import Gateway
from knowledge_base.services.registry import Services
from knowledge_base.services.writing import Description, NewContent

DOCUMENT, METADATA = "document", "metadata"
LONGEST_NAME = 1024

Given = TypeVar("Given", bound=GivenMetadata)


def create_document(request: Request, services: Services) -> Reply:
    """Store a document."""
    services.gateways.admit(Gateway.DOCUMENTS)
    form = read_form(request, (DOCUMENT, METADATA))
    if DOCUMENT not in form:
        raise InvalidInput("the part document is missing", field=DOCUMENT)
    given = _metadata(form)
    name = _name(form[DOCUMENT], given.title or "document")
    data = form[DOCUMENT].data
    said = described(given, name, by_content=format_of_content(data))
    content = NewContent(Source(name, declared_type=_declared(said, given, name)), data)
    caller = request.principal
    document, version = services.writing.create(caller, services.knowledge_bases.documents(caller), content, said)
    return _stored(request, services, document, version)


def change_document(request: Request, services: Services) -> Reply:
    """Replace a document's content, or what is said of it, or both."""
    given, part = _change(request)
    document_id, editions = request.path["id"], editions_of(request.headers)
    content, describe = None, changed(given)
    if part:
        services.gateways.admit(Gateway.DOCUMENTS)
        before, newest = services.ingestions.status(request.principal, document_id)
        name = _name(part, newest.source.name)
        describe = changed(given, NewFile(name, newest.source.name, format_of_content(part.data)))
        content = NewContent(Source(name, declared_type=_declared(describe(before), given, name)), part.data)
    document, version = services.writing.change(
        request.principal, document_id, describe, content=content, editions=editions
    )
    return _stored(request, services, document, version)


def remove_document(request: Request, services: Services) -> Reply:
    """Remove a document."""
    services.writing.remove(request.principal, request.path["id"], editions=editions_of(request.headers))
    return Reply(204)


def list_versions(request: Request, services: Services) -> Reply:
    """Show what contents a document has had."""
    document, versions = services.ingestions.history(request.principal, request.path["id"])
    view = schemas.VersionList(versions=[translate.version(document, each) for each in versions])
    return Reply(200, view.model_dump(mode="json"), tag_of(document))


def restore_version(request: Request, services: Services) -> Reply:
    """Make an earlier content the newest."""
    services.gateways.admit(Gateway.DOCUMENTS)
    ordinal = read_ordinal(request.path["version"])
    document, version = services.writing.restore(
        request.principal, request.path["id"], ordinal, editions=editions_of(request.headers)
    )
    return _stored(request, services, document, version)


def read_ordinal(given: str) -> int:
    """Return the number of a version.

    Raises:
        InvalidInput: it is none.
    """
    if not (given.isascii() and given.isdigit() and len(given) < 10 and int(given) > 0):
        raise InvalidInput("version must be a whole number from 1", field="version")
    return int(given)


def get_document(request: Request, services: Services) -> Reply:
    """Show what is known of a document, and where its newest version stands."""
    document, version = services.ingestions.status(request.principal, request.path["id"])
    return Reply(200, translate.document(document, version).model_dump(mode="json"), tag_of(document))


def list_documents(request: Request, services: Services) -> Reply:
    """List documents."""
    asked = read_query(request, schemas.ListQuery)
    page = services.listing.page(
        request.principal,
        services.knowledge_bases.documents(request.principal),
        translate.document_filter(asked),
        limit=asked.limit,
        cursor=asked.cursor,
    )
    views = [translate.document(document, version) for document, version in page.ingestions]
    return Reply(200, schemas.DocumentList(documents=views, next_cursor=page.next_cursor).model_dump(mode="json"))


def _stored(request: Request, services: Services, document: Document, version: Version) -> Reply:
    """Tell where the ingestion stands, after as long a wait as the caller prefers."""
    headers, seconds = tag_of(document), wanted_wait(request.headers)
    if seconds:
        version = services.ingestions.wait(version, seconds=seconds)
        headers["Preference-Applied"] = f"wait={seconds}"
    view = schemas.StoredDocument(document_id=document.document_id, status=version.state.value)
    return Reply(200, view.model_dump(mode="json"), headers)


def _change(request: Request) -> tuple[GivenMetadata, Part | None]:
    """What a change says, and brings."""
    if media_type_of(request) == "application/json":
        return _given(schemas.ChangedMetadata, request.body), None
    sent = read_form(request, (DOCUMENT, METADATA))
    form = {name: part for name, part in sent.items() if not part.is_left_out}
    if not form:
        raise InvalidInput("send a document, metadata, or both")
    return _metadata(form), form.get(DOCUMENT)


def _metadata(form: Mapping[str, Part]) -> GivenMetadata:
    said = form.get(METADATA)
    return _given(GivenMetadata, said.data.removeprefix(BOM_UTF8)) if said and said.data.strip() else GivenMetadata()


def _given(model: type[Given], data: bytes) -> Given:
    if len(data) > LARGEST_METADATA:
        raise InvalidInput(f"metadata is larger than {LARGEST_METADATA} bytes", field=METADATA)
    return read_json(model, data, place=METADATA)


def _declared(said: Description, given: GivenMetadata, name: str) -> str:
    """The caller's word for the format; what only the content tells is told better where it is read."""
    is_guess = said.metadata.format in BY_CONTENT and not (given.format or format_of_name(name))
    return "" if is_guess else said.metadata.format


def _name(part: Part, otherwise: str) -> str:
    """A file name is data: only what no store and no header can hold is left out."""
    name = "".join(character for character in part.file_name if character.isprintable()).strip()
    if len(name) > LONGEST_NAME:
        raise InvalidInput(f"the file name is longer than {LONGEST_NAME} characters", field=DOCUMENT)
    return name or otherwise
