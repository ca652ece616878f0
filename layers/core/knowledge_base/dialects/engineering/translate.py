"""Between the engineering contract's messages and the domain."""

from __future__ import annotations

from knowledge_base.dialects.engineering.schemas import DocumentView, Fault, Metadata
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.permissions import Permissions


def document(found: Document, version: Version) -> DocumentView:
    """Return a document with its newest version."""
    failure = version.failure
    return DocumentView(
        document_id=found.document_id,
        status=version.state.value,
        error=Fault(code=failure.code, message=failure.message) if failure else None,
        progress=version.progress,
        metadata=metadata(found, version),
    )


def metadata(found: Document, version: Version) -> Metadata:
    """Return what is known of a document; a free field never hides one of the contract's own."""
    said = found.metadata
    own = {
        "title": said.title or found.name,
        "format": said.format or version.media_type,
        "tags": list(said.tags),
        "source": said.source or version.source.url,
        "created_at": found.created_at,
        "updated_at": found.updated_at,
        "size": version.size,
        "owner": found.owner,
        "acl": acl(found.permissions),
        "public": found.permissions.public,
        "version": version.ordinal,
    }
    return Metadata.model_validate({**said.attributes, **own})


def acl(permissions: Permissions) -> dict[str, list[str]]:
    """Return who may do what, by `user:<id>` or `role:<name>`."""
    return {grant.mark: sorted(action.value for action in grant.actions) for grant in permissions.grants}
