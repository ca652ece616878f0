"""`make run`: start a stack, read the sample documents into it, ask two questions, and stay until Ctrl-C."""

from __future__ import annotations

import hashlib
import json
import queue
import signal
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from infra.local.demo.conversation import Conversation, question_body
from infra.local.demo.outside import Outside, serve_outside
from infra.local.failures import StackFailure
from infra.local.front_door_server import LOCAL_KEY
from infra.local.options import Options
from infra.local.supervisor import Supervisor

FOLDER = Path(__file__).parent
DOCUMENTS = FOLDER / "documents"
QUESTIONS = FOLDER / "questions.json"
LANGUAGES = ("en", "zh")
REPOSITORY = "handbook"
SILENCE_SECONDS = 180.0


def show(options: Options) -> None:
    """Give the demonstration, then serve until Ctrl-C."""
    console = Console(highlight=False)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    with serve_outside(DOCUMENTS) as outside:
        supervisor = Supervisor(options.also_allowing(outside.host), say=lambda line: console.print(f"  {line}"))
        try:
            _start(supervisor, console)
            _demonstrate(Conversation(options.url, LOCAL_KEY), outside, console)
            _say_what_to_try(options, console)
            supervisor.watch()
        except KeyboardInterrupt:
            console.print("\nStopping.")
        finally:
            supervisor.stop()


def _start(supervisor: Supervisor, console: Console) -> None:
    began = time.monotonic()
    console.print("[bold]Starting the stack[/]")
    supervisor.start()
    console.print(f"  ready after {time.monotonic() - began:.1f} s\n")


def _demonstrate(conversation: Conversation, outside: Outside, console: Console) -> None:
    files = sorted(path for path in DOCUMENTS.iterdir() if path.is_file() and not path.name.startswith("."))
    console.print(f"[bold]Importing {len(files)} documents[/] into the repository {REPOSITORY!r}")
    documents = [_description(file, outside) for file in files]
    conversation.import_documents(documents, repository=REPOSITORY, notify_url=outside.notify_url)
    _follow_imports(len(files), outside, console)
    for question in _questions():
        _ask(conversation, question, console)


def _questions() -> list[str]:
    """Return the first question of each language that is to be shown."""
    entries = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    return [next(entry["question"] for entry in entries if entry["language"] == wanted) for wanted in LANGUAGES]


def _description(file: Path, outside: Outside) -> dict[str, str]:
    digest = hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()
    return {"name": file.name, "type": file.suffix[1:], "url": outside.url_of(file), "md5": digest}


def _follow_imports(count: int, outside: Outside, console: Console) -> None:
    """Move the bar on with each webhook, and say what failed."""
    columns = (
        TextColumn("  "),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=count)
        while not progress.finished:
            for document in _next_notification(outside)["documents"]:
                progress.update(task, advance=1, description=document["name"])
                if document["status"] != 200:
                    progress.console.print(f"  [red]{document['name']}: {document['message']}[/]")
    console.print()


def _next_notification(outside: Outside) -> dict[str, Any]:
    try:
        return outside.next_notification(SILENCE_SECONDS)
    except queue.Empty:
        raise StackFailure(f"no document was finished for {SILENCE_SECONDS:.0f} seconds; see the logs") from None


def _ask(conversation: Conversation, question: str, console: Console) -> None:
    console.print(question, markup=False, style="bold", soft_wrap=True)
    references: list[dict[str, Any]] = []
    for piece in conversation.ask(question, repository=REPOSITORY):
        if piece.step:
            console.print(f"  [dim]{piece.step}[/]")
        console.print(piece.text, end="", markup=False, soft_wrap=True)
        references += piece.references
    console.print("\n")
    for reference in references:
        _print_reference(reference, console)
    console.print()


def _print_reference(reference: dict[str, Any], console: Console) -> None:
    page = f", page {reference['page']}" if reference.get("page") else ""
    quote = " ".join(reference["quote"].split())
    console.print(f"  [cyan][{reference['index']}][/] {reference['name']}{page}", end=" ")
    console.print(f"“{quote[:120]}{'…' if len(quote) > 120 else ''}”", markup=False, style="dim", soft_wrap=True)


def _say_what_to_try(options: Options, console: Console) -> None:
    body = json.dumps(question_body("How many days of leave are there?", REPOSITORY))
    console.print(f"[bold green]Serving {options.url}[/] until Ctrl-C; the key is {LOCAL_KEY}. Try:\n")
    lines = [
        f"curl -N {options.url}/uran/lm/question \\",
        f"  -H 'Authorization: Bearer {LOCAL_KEY}' \\",
        f"  -d '{body}'",
    ]
    console.print("\n".join(lines), markup=False, soft_wrap=True)
