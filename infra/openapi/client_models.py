"""Write the Python client's models from the OpenAPI documents; with `--check`, fail when a written one differs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from datamodel_code_generator import Formatter, InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType

from infra.written import write_or_check

CONTRACTS = Path(__file__).parent
REPOSITORY = CONTRACTS.parent.parent
MODELS = REPOSITORY / "clients" / "python" / "knowledge_base_client" / "models"

PATHS = {
    "engineering": ("/",),
    "platform": ("/health", "/answers", "/ingestions/{document_id}", "/uploads"),
}
"""By contract, where the paths begin that the client calls."""

FORMS = frozenset({"NewDocument", "ChangedDocument"})
"""Multipart bodies: the client writes them part by part."""

KEPT = frozenset(
    {"description", "type", "format", "properties", "required", "items", "anyOf", "oneOf", "allOf", "enum", "const"}
)
"""What of a schema makes a type. Bounds are the service's to check: what a newer one takes, an older client sends."""


def render(contract: str) -> str:
    """Return the models of a contract as a Python module."""
    document = yaml.safe_load((CONTRACTS / f"{contract}.yaml").read_text(encoding="utf-8"))
    paths = {path: said for path, said in document["paths"].items() if path.startswith(PATHS[contract])}
    known = document["components"]["schemas"]
    schemas = {name: _plain(known[name]) for name in sorted(_reached(paths, known) - FORMS)}
    return _generated({**document, "paths": {}, "components": {"schemas": schemas}}, contract)


def _generated(document: dict[str, Any], contract: str) -> str:
    module = generate(
        json.dumps(document),
        input_file_type=InputFileType.OpenAPI,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        enum_field_as_literal=LiteralType.All,
        use_schema_description=True,
        use_single_line_docstring=True,
        use_double_quotes=True,
        use_exact_imports=True,
        strict_nullable=True,
        collapse_root_models=True,
        custom_file_header=f'"""The messages of infra/openapi/{contract}.yaml; `make openapi` writes this file."""',
        formatters=[Formatter.RUFF_CHECK, Formatter.RUFF_FORMAT],
        settings_path=REPOSITORY / "pyproject.toml",
    )
    assert isinstance(module, str)  # noqa: S101 - a document without modules makes one
    return module.rstrip() + "\n"


def _reached(part: Any, known: dict[str, Any]) -> set[str]:
    """Return the names of the schemas that a part of a document refers to, directly or by others."""
    found: set[str] = set()
    waiting = list(_references(part))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(known[name])
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"].rpartition("/")[2]
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema's type alone, with what it says of itself; unknown fields of a reply are no error."""
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    plain: dict[str, Any] = {name: _part(name, schema[name]) for name in schema if name in KEPT}
    if schema.get("additionalProperties"):
        others = schema["additionalProperties"]
        plain["additionalProperties"] = others if others is True else _plain(others)
    if "default" in schema and not isinstance(schema["default"], dict):
        plain["default"] = schema["default"]
    return plain


def _part(name: str, value: Any) -> Any:
    match name:
        case "anyOf" | "oneOf" | "allOf":
            return [_plain(each) for each in value]
        case "items":
            return _plain(value)
        case "properties":
            return {key: _plain(each) for key, each in value.items()}
    return value


FILES = {MODELS / f"{contract}.py": partial(render, contract) for contract in PATHS}

if __name__ == "__main__":
    raise SystemExit(write_or_check(FILES, sys.argv[1:]))
