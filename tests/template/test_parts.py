"""Rules for the templates as such: they fit together, and every tool that has to read them can."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.template.stack import ROOT, Stack, on_a_laptop, on_aws, parts_of, read_template, with_everything

PARTS = {logical_id: part["Properties"] for logical_id, part in parts_of(read_template("template.yaml")).items()}
FILES = ["template.yaml", *(part["Location"] for part in PARTS.values())]


def outputs_used(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the (part, output) pairs that a template asks for."""
    if isinstance(value, dict):
        path = value.get("Fn::GetAtt")
        if isinstance(path, list) and path[1].startswith("Outputs."):
            yield path[0], path[1].removeprefix("Outputs.")
        for item in value.values():
            yield from outputs_used(item)
    elif isinstance(value, list):
        for item in value:
            yield from outputs_used(item)


def test_every_template_in_infra_is_a_part():
    written = {
        f"infra/{path.name}"
        for path in (ROOT / "infra").glob("*.yaml")
        if "AWSTemplateFormatVersion" in path.read_text(encoding="utf-8")
    }
    assert written == set(FILES) - {"template.yaml"}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_gets_the_parameters_that_it_declares_and_needs(name: str):
    declared = read_template(PARTS[name]["Location"])["Parameters"]
    given = set(PARTS[name].get("Parameters", {}))
    assert given <= set(declared)
    assert {key for key, spec in declared.items() if "Default" not in spec} <= given


@pytest.mark.parametrize("name", PARTS)
def test_outputs_that_are_asked_for_are_those_that_a_part_has(name: str):
    asked = {output for part, output in outputs_used(read_template("template.yaml")) if part == name}
    assert asked <= set(read_template(PARTS[name]["Location"])["Outputs"])


@pytest.mark.parametrize("file", FILES)
def test_every_parameter_is_used_and_documents_itself_by_name_or_words(file: str):
    template = read_template(file)
    text = json.dumps({key: value for key, value in template.items() if key not in ("Parameters", "Metadata")})
    for parameter in template["Parameters"]:
        assert re.search(rf'"Ref": "{parameter}"|\${{{parameter}}}', text), parameter


def test_an_empty_deployment_needs_no_parameter():
    assert [name for name, spec in read_template("template.yaml")["Parameters"].items() if "Default" not in spec] == []


@pytest.mark.parametrize("file", FILES[1:])
def test_a_part_needs_no_transform_so_that_the_emulator_and_the_build_can_read_it(file: str):
    template = read_template(file)
    assert "Transform" not in template
    assert not [name for name in template["Resources"] if name.startswith("Fn::ForEach")]


@pytest.mark.parametrize("stack", [on_aws(), with_everything(), on_a_laptop()], ids=["aws", "everything", "laptop"])
def test_everything_can_be_resolved_and_stays_within_the_limits_of_a_stack(stack: Stack):
    text = json.dumps([resource.properties for resource in stack.resources])
    assert not re.findall(r'"(?:Fn::\w+|Ref)":', text)
    for file in FILES:
        assert sum(resource.part == file for resource in stack.resources) <= 500
        assert (ROOT / file).stat().st_size < 1_000_000


def test_names_fit_when_the_stack_is_called_by_25_characters():
    longest = max(
        len(resource.properties["BucketName"].replace("eu-central-1", "ap-southeast-1"))
        for resource in on_aws().of_type("AWS::S3::Bucket")
    )
    assert longest - len("kb") + 25 <= 63


def test_a_laptop_makes_everything_but_what_only_an_account_can_have():
    def names(stack: Stack) -> set[str]:
        return {str(r) for r in stack.resources if r.part not in ("infra/search.yaml", "infra/monitoring.yaml")}

    assert names(on_aws()) - names(on_a_laptop()) == {
        "template.yaml:Search",
        "template.yaml:Monitoring",
        "template.yaml:ApiGatewayAccount",
        "template.yaml:ApiGatewayLogRoleForAccount",
        "infra/permissions.yaml:ReadIndex",
        "infra/permissions.yaml:WriteIndex",
    }
    assert names(on_a_laptop()) <= names(on_aws())


def test_the_linter_has_nothing_to_say():
    linter = Path(sys.executable).with_name("cfn-lint")
    linted = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False, timeout=110)
    assert linted.returncode == 0, linted.stdout + linted.stderr
