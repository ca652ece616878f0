from __future__ import annotations

import os
import socket

import pytest

from infra.local.failures import StackFailure
from infra.local.ports import check_is_free, free_port


def test_free_port_is_free() -> None:
    check_is_free(free_port())


def test_preferred_port_is_taken_if_it_is_free() -> None:
    port = free_port()

    assert free_port(port) == port
    with socket.create_server(("127.0.0.1", port)):
        assert free_port(port) != port


def test_taken_port_is_refused_with_its_number_and_its_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        with pytest.raises(StackFailure, match=f"port {port} is taken by process {os.getpid()} .*KB_PORT={port + 1}"):
            check_is_free(port)


def test_port_taken_on_all_interfaces_is_refused_too() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server, pytest.raises(StackFailure, match="is taken"):
        check_is_free(server.getsockname()[1])


def test_port_that_was_left_a_moment_ago_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()

    check_is_free(port)
