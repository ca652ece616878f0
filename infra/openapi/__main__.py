"""Write the OpenAPI documents; with `--check`, fail when a written one differs from the code."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import yaml

from infra.written import write_or_check
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


FILES = {FOLDER / f"{contract.name}.yaml": partial(render, contract) for contract in CONTRACTS}

if __name__ == "__main__":
    raise SystemExit(write_or_check(FILES, sys.argv[1:]))
