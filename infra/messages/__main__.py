"""Write the messages' JSON Schemas; with `--check`, fail when a written one differs from the code."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from infra.written import write_or_check
from knowledge_base.services.question_messages import RequestMessage, ResponseMessage

FOLDER = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"
MESSAGES: Mapping[str, type[BaseModel]] = {"request": RequestMessage, "response": ResponseMessage}
_HEAD = {"question_token": "w3rdsjighh1388903", "question": "What’s the phone number of Qiu?"}
_URL = {"resp_url": "http://10.10.1.111:666/uran/lm/response"}
EXAMPLES: Mapping[str, dict[str, Any]] = {
    "request": {**_HEAD, **_URL, "embedding": [0.8934, 0.81, 0.1111]},
    "response": {
        **_HEAD,
        **_URL,
        "texts": ["He’s first phone number is 1xxxx", "He’s second phone number is 1xxxxxx"],
    },
}
"""Those of the uran document."""


def render(name: str) -> str:
    """Return a message's schema as JSON."""
    schema = {"$schema": DIALECT, **MESSAGES[name].model_json_schema(), "examples": [EXAMPLES[name]]}
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def path_of(name: str) -> Path:
    """Return where a message's schema stands."""
    return FOLDER / f"{name}.schema.json"


FILES = {path_of(name): partial(render, name) for name in MESSAGES}

if __name__ == "__main__":
    raise SystemExit(write_or_check(FILES, sys.argv[1:]))
