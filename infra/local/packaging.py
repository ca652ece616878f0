"""Puts a template and what it refers to where the emulator's CloudFormation finds it, as `sam package` does for AWS.

Layers are not packed: functions run in this very virtual environment, and see the product's package by PYTHONPATH.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

Upload = Callable[[str, bytes], None]
"""Stores bytes under a key."""

_LONG_AGO = (2020, 1, 1, 0, 0, 0)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads the short forms of CloudFormation's functions."""


def _read_function(loader: Any, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _read_function)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node))


class Packager:
    """Packs one template and the templates, functions and layers that it names."""

    def __init__(self, *, bucket: str, bucket_url: str, upload: Upload) -> None:
        self._bucket = bucket
        self._bucket_url = bucket_url
        self._upload = upload
        self.packed: list[dict[str, Any]] = []

    def pack(self, template: Path) -> str:
        """Upload a template and all that it refers to; return the template's URL."""
        content = load_template(template)
        self.packed.append(content)
        for resource in content["Resources"].values():
            self._pack_resource(resource.get("Type", ""), resource.get("Properties", {}), template.parent)
        return f"{self._bucket_url}/{self._put(json.dumps(content).encode(), '.json')}"

    def _pack_resource(self, kind: str, properties: dict[str, Any], folder: Path) -> None:
        if kind == "AWS::Serverless::Function" and isinstance(properties.get("CodeUri"), str):
            properties["CodeUri"] = self._object(zip_folder(folder / properties["CodeUri"]))
        elif kind == "AWS::Serverless::LayerVersion":
            properties["ContentUri"] = self._object(
                zip_files({"README": b"The virtual environment stands in for this."})
            )
        elif kind == "AWS::Serverless::Application":
            properties["Location"] = self.pack(folder / properties["Location"])

    def _object(self, content: bytes) -> str:
        return f"s3://{self._bucket}/{self._put(content, '.zip')}"

    def _put(self, content: bytes, suffix: str) -> str:
        key = hashlib.sha256(content).hexdigest()[:32] + suffix
        self._upload(key, content)
        return key


def load_template(path: Path) -> dict[str, Any]:
    """Return a template with the short forms of functions (`!Ref`) written out, as JSON knows them."""
    content: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe loader
    return content


def zip_folder(folder: Path) -> bytes:
    """Return a folder's files as an archive."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return zip_files({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})


def zip_files(files: dict[str, bytes]) -> bytes:
    """Return files as an archive that depends on nothing but their names and contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
