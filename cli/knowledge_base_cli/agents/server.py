"""The MCP server: on standard input and output, or as streamable HTTP on this machine."""

from __future__ import annotations

from typing import Any

from knowledge_base_client import AsyncKnowledgeBase
from mcp.server import MCPServer
from mcp.types import ToolAnnotations

from knowledge_base_cli import __version__
from knowledge_base_cli.agents.results import NOTICE
from knowledge_base_cli.agents.tools import Tools
from knowledge_base_cli.connection import Connection

HOST = "127.0.0.1"
INSTRUCTIONS = (
    "A knowledge base of documents. `ask` gives an answer with citations, `search` the passages that fit, "
    "`read_document` what stands around them, `list_documents` what there is. Cite by title and page. " + NOTICE
)


def new_server(kb: AsyncKnowledgeBase) -> MCPServer[Any]:
    """Return a server whose tools see what the client's key may read."""
    server: MCPServer[Any] = MCPServer(
        "knowledge-base",
        title="Knowledge base",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
    )
    tools = Tools(kb)
    _add(server, tools.search, "Search documents", repeatable=True)
    _add(server, tools.read_document, "Read a document", repeatable=True)
    _add(server, tools.ask, "Ask the documents", repeatable=False)
    _add(server, tools.list_documents, "List documents", repeatable=True)
    server.resource("kb://documents/{document_id}", name="document", title="A document's text", mime_type="text/plain")(
        tools.document_text
    )
    return server


async def serve(connection: Connection, port: int | None) -> None:
    """Serve until the input ends or, on a port, until interrupted."""
    async with AsyncKnowledgeBase(connection.url, connection.key) as kb:
        server = new_server(kb)
        if port is None:
            await server.run_stdio_async()
        else:
            await server.run_streamable_http_async(host=HOST, port=port)


def _add(server: MCPServer[Any], tool: Any, title: str, *, repeatable: bool) -> None:
    hints = ToolAnnotations(
        title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=repeatable, open_world_hint=False
    )
    server.add_tool(tool, title=title, annotations=hints)
