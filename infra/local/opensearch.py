"""Run a real OpenSearch 2.19 with k-NN on this machine, without Docker: `python -m infra.local.opensearch`.

The server is put together from Maven artifacts (see `opensearch_server/distribution`), so Java 17 to 23 and Maven are
all that is needed. Two folders take part:

- the home, for instance `.local/opensearch`, keeps the assembled server. It is only read when a server runs, so any
  number of servers can share it. Delete it at any time.
- the data folder keeps one node: `opensearch.log`, and in `node/` its indices. One server at a time can use it.

OpenSearch refuses to run as root. An ordinary user runs it under his own account, and everything stays in the two
folders. When root starts it, as in a CI container, Java runs as `nobody`, who may not be able to enter a folder of
root's (a clone below /root, a temporary folder of pytest). In that case `/var/cache/local-opensearch` stands in: the
server is assembled there, and the node's folder is moved there while it runs and back when it stops. No folder above
the two gets other permissions.

The server speaks plain HTTP on 127.0.0.1, without a login. There is no native library, so of the k-NN engines only
`lucene` works.
"""

import argparse
import http.client
import json
import logging
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.local.opensearch_server.account import choose_home, find_server_account
from infra.local.opensearch_server.assembly import assemble_server
from infra.local.opensearch_server.errors import LocalOpenSearchError, PortTaken, ServerStopped
from infra.local.opensearch_server.java import find_java
from infra.local.opensearch_server.node_folder import open_node_folder
from infra.local.opensearch_server.process import java_command, running_process

HOST = "127.0.0.1"
DEFAULT_PORT = 9200
DEFAULT_HOME = Path(".local/opensearch")
SECONDS_TO_START = 120
SECONDS_BETWEEN_LOOKS = 0.1
LINES_OF_LOG = 25


@dataclass(frozen=True)
class Server:
    """A server that has been started."""

    process: subprocess.Popen[bytes]
    node: Path
    log: Path

    @property
    def port(self) -> int | None:
        """The port that it listens on; none as long as it does not."""
        ports_file = self.node / "logs" / "http.ports"
        addresses = ports_file.read_text().split() if ports_file.exists() else []
        return next((int(address.rpartition(":")[2]) for address in addresses if address.startswith(HOST)), None)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"


@contextmanager
def running_opensearch(home: Path, data: Path, port: int = 0) -> Iterator[str]:
    """Yield the URL of a server that is ready and keeps its indices in `data`; it is stopped at the end of the block.

    The first call for a `home` assembles the server there. A `port` of 0 means any free one.

    Raises:
        LocalOpenSearchError: it can not run here; the message says why.
    """
    with running_server(home, data, port) as server:
        yield server.url


@contextmanager
def running_server(home: Path, data: Path, port: int) -> Iterator[Server]:
    ensure_port_is_free(port)
    account = find_server_account()
    java = find_java(account)
    folder = assemble_server(choose_home(home, account))
    with open_node_folder(data.absolute(), folder / "config", account) as node:
        log = data.absolute() / "opensearch.log"
        command = java_command(java, folder, node, port)
        with log.open("wb") as output, running_process(command, node, account, output) as process:
            server = Server(process, node, log)
            wait_until_ready(server)
            yield server


def ensure_port_is_free(port: int) -> None:
    with socket.socket() as probe:
        if port and probe.connect_ex((HOST, port)) == 0:
            raise PortTaken(f"Port {port} is taken by another program: choose another with --port, or stop that one.")


def wait_until_ready(server: Server) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while not is_ready(server):
        if server.process.poll() is not None:
            raise ServerStopped(f"OpenSearch ended while it started. {describe_log(server)}")
        if time.monotonic() > deadline:
            raise ServerStopped(f"OpenSearch was not ready after {SECONDS_TO_START} s. {describe_log(server)}")
        time.sleep(SECONDS_BETWEEN_LOOKS)


def is_ready(server: Server) -> bool:
    port = server.port
    return port is not None and read_cluster_status(port) in ("yellow", "green")


def read_cluster_status(port: int) -> str | None:
    """Return the status of the cluster, or none if it does not answer as it should; proxy settings play no part."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/_cluster/health")
        response = connection.getresponse()
        body = response.read()
        return str(json.loads(body)["status"]) if response.status == http.HTTPStatus.OK else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def describe_log(server: Server) -> str:
    lines = server.log.read_text(errors="replace").splitlines()[-LINES_OF_LOG:]
    return "\n".join([f"The last lines of {server.log}:", *lines])


def run_in_foreground(home: Path, port: int) -> None:
    """Run a server until it is told to stop."""
    with running_server(home, home / "data", port) as server:
        print(f"OpenSearch is ready at {server.url} (log: {server.log}). Ctrl-C stops it.", flush=True)
        server.process.wait()
        raise ServerStopped(f"OpenSearch ended by itself. {describe_log(server)}")


def stop_on_signals() -> None:
    """Leave every block in good order on Ctrl-C and SIGTERM, so that the server is stopped."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.local.opensearch", description="Run OpenSearch locally.")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 means any free one (default: %(default)s)")
    parser.add_argument("--home", type=Path, default=DEFAULT_HOME, help="server and data (default: %(default)s)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    stop_on_signals()
    try:
        run_in_foreground(arguments.home, arguments.port)
    except (LocalOpenSearchError, PermissionError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
