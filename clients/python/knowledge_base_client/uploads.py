"""Send content that is too large for one request: announced by its digest, then sent by a form to the object store."""

from __future__ import annotations

import hashlib
from typing import Any

from knowledge_base_client import errors
from knowledge_base_client.core import Core, exchange
from knowledge_base_client.models.platform import BeginUpload, UploadView
from knowledge_base_client.replies import understood
from knowledge_base_client.steps import Call, Flow


def upload(core: Core, data: bytes, name: str, media_type: str, metadata: dict[str, Any]) -> Flow[str]:
    """Return the id of the document that the data become.

    The announcement is not repeatable, as it makes the document; the form is, since it says where its bytes go.

    Raises:
        TooLarge: the service takes no file of that size.
    """
    announced = BeginUpload.model_validate(
        {
            "filename": name,
            "size": len(data),
            "content_type": media_type,
            "sha256": hashlib.sha256(data).hexdigest(),
            "target": {"dialect": "engineering", "metadata": metadata},
        }
    )
    body = announced.model_dump(mode="json", exclude_unset=True)
    ticket = understood(UploadView, (yield from exchange(core, Call("POST", "/uploads", json=body))))
    if ticket.url is not None:
        yield from exchange(core, _form(ticket.url, ticket.fields or {}, data))
    return ticket.document_id


def _form(url: str, fields: dict[str, str], data: bytes) -> Call:
    if not url.startswith(("http://", "https://")):
        raise errors.UnexpectedReply("the service gave no address to send the file to")
    # S3 reads nothing after the file, so the fields go before it.
    files = {"file": ("document", data, "application/octet-stream")}
    return Call("POST", url, form=fields, files=files, repeatable=True, seconds=300)
