"""The tools that agents call; each does what the caller's key may do, and none changes a document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from knowledge_base_client import (
    AsyncKnowledgeBase,
    Filters,
    KnowledgeBaseError,
    NotAuthenticated,
    NotFound,
    ParsedText,
    Result,
    Source,
)
from knowledge_base_client.models.engineering import DocumentView
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.types import CallToolResult
from pydantic import Field

from knowledge_base_cli.agents import wording
from knowledge_base_cli.agents.reading import MOST_CHARACTERS, NoSuchPart, Part, by_offsets, by_pages, pages_of
from knowledge_base_cli.agents.results import (
    Citation,
    CitedAnswer,
    DocumentsPage,
    Listed,
    Passage,
    Passages,
    TextPart,
    uri_of,
)

DocumentId = Annotated[str, Field(min_length=1, max_length=256, description="As search and list_documents give it.")]
Tags = Annotated[list[str] | None, Field(description="Only documents that have all of these tags.")]
TitlePart = Annotated[str | None, Field(description="Only documents whose title holds this, whatever the case.")]
Format = Annotated[str | None, Field(description="Only documents of this format, e.g. pdf, markdown, code/python.")]


class Tools:
    """The tools of one knowledge base, as seen with one key."""

    def __init__(self, kb: AsyncKnowledgeBase) -> None:
        self._kb = kb

    async def search(
        self,
        query: Annotated[str, Field(min_length=1, max_length=8000, description="What is looked for, in any language.")],
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
        tags: Tags = None,
        title: TitlePart = None,
        format: Format = None,  # noqa: A002 - the word of the contract
        min_score: Annotated[float | None, Field(ge=0, le=1, description="The least cosine similarity.")] = None,
    ) -> Annotated[CallToolResult, Passages]:
        """Find the passages of the documents that best fit a query, by meaning and by words."""
        with _told():
            filters = _filters(tags, title, format)
            found = await self._kb.search(query, limit=limit, filters=filters, min_score=min_score)
        hits = [_passage(hit) for hit in found.results]
        return wording.passages(Passages(passages=hits, total=found.total_results, degraded=found.degraded))

    async def read_document(
        self,
        document_id: DocumentId,
        start: Annotated[int, Field(ge=0, description="The first character to read.")] = 0,
        length: Annotated[int, Field(ge=1, le=MOST_CHARACTERS, description="How many characters to read.")] = 4000,
        first_page: Annotated[int | None, Field(ge=1, description="Read by pages instead, from this one.")] = None,
        last_page: Annotated[int | None, Field(ge=1, description="The last page; first_page unless given.")] = None,
    ) -> Annotated[CallToolResult, TextPart]:
        """Read a part of a document's text, by characters or by pages; at most 20,000 characters at a time."""
        with _told():
            document = await self._kb.get_document(document_id)
            parsed = await self._kb.parsed_text(document_id)
            if first_page is None and last_page is None:
                part = by_offsets(parsed, start, length)
            else:
                first = first_page or last_page or 1
                part = by_pages(parsed, first, last_page or first)
        return wording.text_part(_text_part(document, parsed, part))

    async def ask(
        self,
        question: Annotated[str, Field(min_length=1, max_length=8000)],
        limit: Annotated[int, Field(ge=1, le=20, description="From so many passages the answer is made.")] = 5,
        tags: Tags = None,
        title: TitlePart = None,
        format: Format = None,  # noqa: A002 - the word of the contract
    ) -> Annotated[CallToolResult, CitedAnswer]:
        """Answer a question from the documents, with citations whose quotes stand in them word for word."""
        with _told():
            answer = await self._kb.ask(question, limit=limit, filters=_filters(tags, title, format))
        cited = [_citation(source) for source in answer.references]
        return wording.answer(
            CitedAnswer(answer=answer.answer, citations=cited, degraded=answer.degraded, token=answer.token)
        )

    async def list_documents(
        self,
        tags: Tags = None,
        title: TitlePart = None,
        format: Format = None,  # noqa: A002 - the word of the contract
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        cursor: Annotated[str | None, Field(description="The next_cursor of the page before.")] = None,
    ) -> Annotated[CallToolResult, DocumentsPage]:
        """List the documents that may be read, the oldest first."""
        with _told():
            page = await self._kb.document_page(_filters(tags, title, format), limit=limit, cursor=cursor)
        listed = [_listed(document) for document in page.documents]
        return wording.documents_page(DocumentsPage(documents=listed, next_cursor=page.next_cursor))

    async def document_text(self, document_id: str) -> str:
        """Read a document's text from its beginning; a longer one ends with where `read_document` goes on."""
        try:
            parsed = await self._kb.parsed_text(document_id)
        except NotFound as absence:
            raise ResourceNotFoundError(absence.detail) from None
        except KnowledgeBaseError as error:
            raise ResourceError(_words(error)) from None
        part = by_offsets(parsed, 0, MOST_CHARACTERS)
        rest = f"\n\n[It goes on: read_document with start={part.next_start}.]" if part.next_start else ""
        return parsed.text[: part.end] + rest


@contextmanager
def _told() -> Iterator[None]:
    """Tell the model what went wrong, in words that let it do better."""
    try:
        yield
    except NoSuchPart as absence:
        raise ToolError(str(absence)) from None
    except KnowledgeBaseError as error:
        raise ToolError(_words(error)) from None


def _words(error: KnowledgeBaseError) -> str:
    if isinstance(error, NotAuthenticated):
        return f"{error}: whoever set up this server has to give it a valid key, in KB_KEY"
    return str(error)


def _filters(tags: list[str] | None, title: str | None, kind: str | None) -> Filters:
    return Filters(tags=tags or [], title=title or None, format=kind or None)


def _passage(hit: Result) -> Passage:
    return Passage(
        document_id=hit.document_id,
        title=hit.metadata.title,
        chunk_index=hit.chunk_index,
        text=hit.chunk_content,
        score=hit.relevance_score,
        similarity=hit.similarity,
        uri=uri_of(hit.document_id),
    )


def _text_part(document: DocumentView, parsed: ParsedText, part: Part) -> TextPart:
    pages = pages_of(parsed, part)
    return TextPart(
        document_id=document.document_id,
        title=document.metadata.title,
        text=parsed.text[part.start : part.end],
        start=part.start,
        end=part.end,
        total_characters=len(parsed.text),
        first_page=pages[0].number if pages else None,
        last_page=pages[-1].number if pages else None,
        total_pages=len(parsed.pages()),
        next_start=part.next_start,
    )


def _citation(source: Source) -> Citation:
    fields = source.model_dump(include=set(Citation.model_fields))
    return Citation(**fields, uri=uri_of(source.document_id))


def _listed(document: DocumentView) -> Listed:
    said = document.metadata
    return Listed(
        document_id=document.document_id,
        title=said.title,
        format=said.format,
        tags=said.tags,
        status=document.status,
        size=said.size,
        updated_at=said.updated_at.isoformat(),
        uri=uri_of(document.document_id),
    )
