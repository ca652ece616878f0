"""Write the OpenAPI documents; with `--check`, fail when a written one differs from the code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from knowledge_base.dialects.contract import Contract
from knowledge_base.dialects.engineering.routes import CONTRACT as ENGINEERING
from knowledge_base.dialects.openapi import openapi
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.uran.routes import CONTRACT as URAN

FOLDER = Path(__file__).parent
CONTRACTS = (PLATFORM, URAN, ENGINEERING)


def render(contract: Contract) -> str:
    """Return a contract's document as YAML."""
    return yaml.safe_dump(openapi(contract), sort_keys=False, allow_unicode=True, width=120)


def differing() -> Iterator[Path]:
    """Yield the documents that are missing or differ from the code."""
    for contract in CONTRACTS:
        path = FOLDER / f"{contract.name}.yaml"
        if not path.exists() or path.read_text(encoding="utf-8") != render(contract):
            yield path


def main(arguments: list[str]) -> int:
    """Write or check; return the exit status."""
    if "--check" in arguments:
        stale = list(differing())
        for path in stale:
            sys.stderr.write(f"{path.name} differs from the code: run `make openapi`\n")
        return 1 if stale else 0
    for contract in CONTRACTS:
        (FOLDER / f"{contract.name}.yaml").write_text(render(contract), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
