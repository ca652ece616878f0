"""The messages of the engineering contract."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class Fault(BaseModel):
    """Why an ingestion failed."""

    code: str
    message: str


class Metadata(BaseModel):
    """What is known of a document; free fields stand beside these."""

    model_config = ConfigDict(extra="allow")

    title: str
    format: str
    tags: list[str]
    source: str
    created_at: datetime
    updated_at: datetime
    size: int
    owner: str
    acl: dict[str, list[str]]
    public: bool
    version: int


class DocumentView(BaseModel):
    """`GET /documents/{id}`."""

    document_id: str
    status: str
    error: Fault | None
    progress: float
    metadata: Metadata


class Problem(BaseModel):
    """Every error of the contract."""

    type: str
    title: str
    status: int
    detail: str
    code: str
