"""The `kb` command line: `kb ingest`, `kb ask`, `kb status`, `kb delete`, `kb mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from knowledge_base_cli import __version__, commands
from knowledge_base_cli.errors import INTERRUPTED, CommandError, ReaderLeft
from knowledge_base_cli.options import Given, Json, Key, KnowledgeBase, Url, chosen_connection
from knowledge_base_cli.terminal import accept_any_text, printable, terminal


class Commands(TyperGroup):
    """Tells every foreseen error in one sentence, and ends with its exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except CommandError as error:
            if not isinstance(error, ReaderLeft):
                terminal().err.print(f"kb: {printable(str(error))}", style="red", soft_wrap=True)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Read documents into a knowledge base, and ask it.",
    epilog="Exit codes: 0 all went well, 1 something failed, 2 wrong use, 130 interrupted.",
)


def main() -> None:
    """Run the command line."""
    accept_any_text()
    app(prog_name="kb")


def _show_version(wanted: bool) -> None:
    if wanted:
        terminal().out.print(f"kb {__version__}")
        raise typer.Exit


@app.callback()
def deployment(
    context: typer.Context,
    url: Annotated[str | None, typer.Option("--url", envvar="KB_URL", metavar="URL", help="See the commands.")] = None,
    key: Annotated[str | None, typer.Option("--key", envvar="KB_KEY", metavar="KEY", help="See the commands.")] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version, and end.")
    ] = False,
) -> None:
    """Take the options that stand before the command's name."""
    context.obj = Given(url, key)


@app.command()
def ingest(
    context: typer.Context,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders, or quoted patterns: 'a/**/*.pdf'.")
    ],
    kb: KnowledgeBase,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Leave out what matches, as in a .gitignore; may be repeated."),
    ] = None,
    relative_to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Name documents by their path below this folder.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=32, help="Uploads at a time.")] = 4,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be uploaded.")] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until the documents can be asked.")] = True,
    json: Json = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Read files into a knowledge base, which is made if it is not there.

    A file below a given folder is named by its path below that folder, and a file that is given itself by
    its file name. What the knowledge base has already under that name is not uploaded again; other content
    under a known name replaces it. Hidden files are left out.
    """
    outcomes = commands.ingest.plan(paths, exclude=exclude or (), relative_to=relative_to)
    if dry_run:
        raise typer.Exit(commands.ingest.show_dry_run(outcomes, as_json=json))
    to = chosen_connection(context, url, key)
    raise typer.Exit(commands.ingest.run(outcomes, to, kb, jobs=jobs, wait=wait, as_json=json))


@app.command()
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question; - reads it from standard input.")],
    kb: KnowledgeBase,
    top_k: Annotated[int, typer.Option(min=1, max=100, help="So many passages are searched for.")] = 5,
    threshold: Annotated[float, typer.Option(min=0, max=1, help="Passages less similar than this do not count.")] = 0.0,
    json: Json = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Ask a knowledge base; the answer is written as it comes, then its sources."""
    to = chosen_connection(context, url, key)
    text = commands.ask.read_question(question)
    raise typer.Exit(commands.ask.run(text, to, kb, top_k=top_k, threshold=threshold, as_json=json))


@app.command()
def status(
    context: typer.Context,
    documents: Annotated[
        list[str] | None, typer.Argument(metavar="DOCUMENT", help="Ids of documents; with --kb, their names.")
    ] = None,
    kb: Annotated[
        str | None,
        typer.Option("--kb", metavar="NAME", help="A knowledge base's name; alone, it means all its documents."),
    ] = None,
    json: Json = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Say whether the service is well, or where documents stand."""
    to = chosen_connection(context, url, key)
    if documents or kb is not None:
        raise typer.Exit(commands.status.show_documents(documents or [], to, kb, as_json=json))
    raise typer.Exit(commands.status.show_service(to, as_json=json))


@app.command()
def delete(
    context: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Names of documents.")],
    kb: KnowledgeBase,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Delete documents by name; their text is found no more from that moment on."""
    to = chosen_connection(context, url, key)
    if not yes:
        commands.delete.confirm(names, kb)
    raise typer.Exit(commands.delete.run(names, to, kb, as_json=json))


@app.command()
def mcp(
    context: typer.Context,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Serve streamable HTTP on this machine instead of standard input."),
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Serve documents to agents by the Model Context Protocol: search, read, ask, list.

    Agents see what the key may read, and change nothing. Needs the extra `mcp`.
    """
    raise typer.Exit(commands.mcp.run(chosen_connection(context, url, key), port=port))
