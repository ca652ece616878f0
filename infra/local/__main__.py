"""The commands of the local stack: `python -m infra.local up`, `down`, `run` and `status`; see the Makefile."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Callable

from infra.local import lifeline, stack
from infra.local.failures import StackFailure
from infra.local.options import Options, read_options
from infra.local.processes import take_own_environment
from infra.local.state import StateDirectory
from infra.local.supervisor import Supervisor


def up(options: Options) -> None:
    """Start the stack in the background."""
    state = StateDirectory(options.state_dir)
    if state.is_held():
        status = state.read_status()
        if status.settings not in ("", options.fingerprint):
            raise StackFailure(
                f"The stack runs already at {status.url}, with other settings: stop it first (make down)."
            )
        print(f"The stack runs already at {status.url} (process {status.pid}).")
        return
    began = time.monotonic()
    status = stack.start(options)
    print(f"Ready after {time.monotonic() - began:.1f} s at {status.url}")
    print(f"  key    local-dev-key     state  {options.state_dir}     logs  {state.logs}")
    print("  stop   make down")


def down(options: Options) -> None:
    """Stop the stack in the background."""
    print("Stopped." if stack.stop(options.state_dir) else "No stack runs here.")


def status(options: Options) -> None:
    """Tell whether the stack runs."""
    found = StateDirectory(options.state_dir).read_status()
    print(f"{found.phase} {found.url}" if found.phase != "stopped" else "stopped")


def supervise(options: Options) -> None:
    """Be the stack's supervisor, until a signal ends it."""
    supervisor = Supervisor(options, say=lambda line: print(line, flush=True))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: supervisor.ask_to_stop())
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        lifeline.hold()
    supervisor.start()
    try:
        supervisor.watch()
    except StackFailure as failure:
        supervisor.stop(str(failure))
        raise
    supervisor.stop()


def run(options: Options) -> None:
    """Start the stack in this terminal and show what it does."""
    from infra.local.demo.show import show

    show(options)


COMMANDS: dict[str, Callable[[Options], None]] = {
    "up": up,
    "down": down,
    "status": status,
    "supervise": supervise,
    "run": run,
}


def main() -> int:
    """Carry out the command that was given."""
    command = COMMANDS.get(sys.argv[1] if len(sys.argv) == 2 else "")
    if command is None:
        print(f"usage: python -m infra.local {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        options = read_options(os.environ)
        take_own_environment()
        command(options)
    except StackFailure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
