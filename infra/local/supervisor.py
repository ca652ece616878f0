"""Starts the processes of a stack, deploys the template, and keeps watch until it is told to stop."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from infra.local.deploy import Deployer, Deployment, credentials, function_name
from infra.local.failures import StackFailure
from infra.local.options import Options, template_parameters
from infra.local.ports import check_is_free, free_port
from infra.local.processes import REPOSITORY, Child, end_predecessors
from infra.local.state import StateDirectory, Status

CHAT_PYTHON = REPOSITORY / ".venv-llm" / "bin" / "python"
TEMPLATE = REPOSITORY / "template.yaml"
START_SECONDS = 60.0
STOP_SECONDS = 6.0

FIRST = ("api_platform",)
"""What has to run before the stack can say that it is ready."""
THEN = ("api_uran", "fetch", "parse", "chunk", "embed", "publish", "notify", "question", "search", "answer")
"""What a person uses next, in that order; the rest starts when it is needed."""

Say = Callable[[str], None]


class Supervisor:
    """One stack, from its start to its end."""

    def __init__(self, options: Options, *, say: Say = lambda _line: None) -> None:
        self._options = options
        self._say = say
        self._state = StateDirectory(options.state_dir)
        self._children: dict[str, Child] = {}
        self._ports: dict[str, int] = {}
        self._http = httpx.Client(trust_env=False, timeout=START_SECONDS)
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start everything, and return once the stack answers.

        Raises:
            StackFailure: it cannot start; what was started has been stopped again.
        """
        self._state.prepare()
        if not self._state.acquire():
            raise StackFailure(f"a stack runs already with its state in {self._state.path}; stop it by `make down`")
        try:
            self._start()
        except BaseException as failure:
            self.stop(str(failure) or "the start was interrupted")
            raise

    def watch(self) -> None:
        """Return when the stack is asked to stop.

        Raises:
            StackFailure: a part ended that the stack cannot go on without.
        """
        while not self._stopping.wait(0.5):
            for child in list(self._children.values()):
                if not child.is_running:
                    self._replace(child)

    def ask_to_stop(self) -> None:
        """Make `watch` return; may be called by a signal handler."""
        self._stopping.set()

    def stop(self, message: str = "") -> None:
        """Stop everything, the front door first, so that nothing new comes in."""
        self._stopping.set()
        self._stop_children()
        self._tell("failed" if message else "stopped", message=message)

    def _start(self) -> None:
        before = self._state.read_status()
        end_predecessors(before.processes.values(), STOP_SECONDS)
        check_is_free(self._options.port)
        # Where it was before, if possible: URLs for uploads that were given out stay good.
        emulator = free_port(urlsplit(before.emulator_url).port or 0)
        self._ports = {"emulator": emulator, "embedder": free_port(), "chat_server": free_port()}
        self._start_embedder()
        self._start_chat_server()
        self._start_child("emulator", str(self._state.emulator), str(self._state.logs), str(self._ports["emulator"]))
        self._start_child("front_door_server", str(TEMPLATE))
        self._tell("starting")
        self._deploy()
        self._tell("ready")
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def _deploy(self) -> None:
        emulator = self._url("emulator")
        self._await("emulator", f"{emulator}/_ministack/ready")
        self._say("deploying template.yaml into the emulator")
        deployer = Deployer(emulator)
        parameters = template_parameters(
            self._options,
            embedder_url=self._url("embedder"),
            chat_url=self._url("chat_server"),
            index_path=self._state.index,
        )
        deployment = deployer.deploy(TEMPLATE, parameters)
        kept = self._http.post(f"{emulator}/_local/attach").raise_for_status().json()
        if kept["items"]:
            self._say(f"{kept['items']} items and {kept['messages']} messages are back from before")
        self._open(deployment, deployer.function_environment("stream"))

    def _open(self, deployment: Deployment, environment: Mapping[str, str]) -> None:
        """Let requests in, now that all that was kept is back."""
        self._children["front_door_server"].tell(
            {
                "api_url": deployment.api_url,
                "port": self._options.port,
                "environment": {**credentials(deployment.emulator_url), **environment},
            }
        )
        self._warm(FIRST)
        if self._options.needs_embedder:
            self._await("embedder", f"{self._url('embedder')}/health")
        if self._options.needs_chat_server:
            self._await("chat_server", f"{self._url('chat_server')}/health")
        self._await("front_door_server", f"{self._options.url}/health/ready")

    def _warm_up(self) -> None:
        """Have what was left unfinished taken up again, then start what will be used next."""
        try:
            Deployer(self._url("emulator")).invoke("sweep")
            self._warm(THEN)
        except Exception as error:  # noqa: BLE001 - a cold function only answers later; a dead emulator is watched for
            self._say(f"warming up broke off: {type(error).__name__}")

    def _warm(self, folders: tuple[str, ...]) -> None:
        query = {"function": [function_name(folder) for folder in folders]}
        self._http.post(f"{self._url('emulator')}/_local/warm", params=query)

    def _start_embedder(self) -> None:
        if self._options.needs_embedder:
            self._start_child("embedder", str(self._ports["embedder"]))

    def _start_chat_server(self) -> None:
        if not self._options.needs_chat_server:
            return
        if not CHAT_PYTHON.exists():
            raise StackFailure("the local chat model is not installed: run `make setup-chat`")
        self._start_child("chat_server", str(self._ports["chat_server"]), python=str(CHAT_PYTHON))

    def _start_child(self, name: str, *arguments: str, python: str = sys.executable) -> None:
        log = self._state.logs / f"{name}.log"
        self._children[name] = Child(name, f"infra.local.{name}", *arguments, log=log, environment={}, python=python)

    def _replace(self, child: Child) -> None:
        """Start a model again, without which the stack goes on degraded; no other part can be spared."""
        again = {"embedder": self._start_embedder, "chat_server": self._start_chat_server}.get(child.name)
        if again is None:
            raise child.failure()
        self._say(f"the {child.name} ended by itself and is started again")
        again()
        self._tell("ready")

    def _await(self, name: str, url: str) -> None:
        """Wait until a part answers with success."""
        child, until = self._children[name], time.monotonic() + START_SECONDS
        while time.monotonic() < until and not self._stopping.is_set():
            if not child.is_running:
                raise child.failure()
            try:
                if self._http.get(url).is_success:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.02)
        if self._stopping.is_set():
            raise StackFailure("stopped before the stack was ready")
        raise StackFailure(f"the {name} did not answer within {START_SECONDS:.0f} seconds; see {self._state.logs}")

    def _url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._ports[name]}"

    def _stop_children(self) -> None:
        for name in ("front_door_server", "emulator", "embedder", "chat_server"):
            if name in self._children:
                self._children[name].ask_to_end()
                self._children[name].wait(STOP_SECONDS)

    def _tell(self, phase: str, *, message: str = "") -> None:
        if not self._state.is_ours:
            return  # another supervisor's word stands there
        status = Status(
            phase=phase,
            pid=os.getpid(),
            url=self._options.url,
            emulator_url=self._url("emulator") if self._ports else "",
            message=message,
            settings=self._options.fingerprint,
            processes={name: child.pid for name, child in self._children.items() if child.is_running},
        )
        self._state.write_status(status)


def log_path(state_dir: Path) -> Path:
    """Return where a supervisor in the background writes what it has to say."""
    return state_dir / "logs" / "supervisor.log"
