"""What CloudFormation would make of the templates: as one, resolved as far as that goes without an account."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from samtranslator.translator.transform import transform

from infra.local.packaging import load_template

ROOT = Path(__file__).parents[2]
REGION, ACCOUNT, NAME = "eu-central-1", "123456789012", "kb"
PSEUDO = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": NAME,
}
NO_VALUE = object()

_NAME_OF = {
    "AWS::SQS::Queue": "QueueName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::Lambda::Function": "FunctionName",
}
_ARN_OF = {
    "AWS::SQS::Queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{{}}",
    "AWS::DynamoDB::Table": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{{}}",
    "AWS::S3::Bucket": "arn:aws:s3:::{}",
    "AWS::Logs::LogGroup": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{{}}:*",
    "AWS::Lambda::Function": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{}}",
}


@dataclass(frozen=True)
class Resource:
    """A resource with its properties resolved; `part` is the template it stands in."""

    part: str
    logical_id: str
    type: str
    properties: dict[str, Any]
    attributes: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.part}:{self.logical_id}"


@cache
def _read(path: str) -> dict[str, Any]:
    return load_template(ROOT / path)


def read_template(path: str) -> dict[str, Any]:
    """Return a template as it is written, with the long forms of the intrinsic functions."""
    return deepcopy(_read(path))


def parts_of(template: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the nested parts that a template names, by logical id."""
    return {
        logical_id: resource
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Application"
    }


@cache
def _translated() -> dict[str, Any]:
    """The root template as SAM expands it; local paths stand where an upload would have put addresses."""
    template = read_template("template.yaml")
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        for key in ("CodeUri", "ContentUri"):
            if key in properties:
                properties[key] = f"s3://artifacts/{properties[key]}"
        if "Location" in properties:
            properties["Location"] = f"https://artifacts/{properties['Location']}"
    os.environ.setdefault("AWS_DEFAULT_REGION", REGION)
    return transform(template, {}, SimpleNamespace(load=dict))


class _Part:
    """One template with its parameters."""

    def __init__(self, path: str, template: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        self.path = path
        self.template = template
        declared = template.get("Parameters", {})
        defaults = {name: str(spec["Default"]) for name, spec in declared.items() if "Default" in spec}
        self.parameters = PSEUDO | defaults | {name: str(value) for name, value in given.items()}
        self._parts: dict[str, _Part] = {}

    def part(self, logical_id: str) -> _Part:
        """Return a nested part, as the parameters that are passed to it make it."""
        if logical_id not in self._parts:
            properties = self.template["Resources"][logical_id]["Properties"]
            path = properties["TemplateURL"].removeprefix("https://artifacts/")
            passed = self.resolve(properties.get("Parameters", {}))
            self._parts[logical_id] = _Part(path, read_template(path), passed)
        return self._parts[logical_id]

    def holds(self, condition: str | None) -> bool:
        return condition is None or bool(self.resolve(self.template["Conditions"][condition]))

    def resources(self) -> Iterator[Resource]:
        for logical_id, resource in self.template["Resources"].items():
            if not self.holds(resource.get("Condition")):
                continue
            attributes = {key: value for key, value in resource.items() if key not in ("Type", "Properties")}
            properties = self.resolve(resource.get("Properties", {}))
            yield Resource(self.path, logical_id, resource["Type"], properties, attributes)
            if resource["Type"] == "AWS::CloudFormation::Stack":
                yield from self.part(logical_id).resources()

    def resolve(self, value: Any) -> Any:
        if isinstance(value, list):
            return [item for item in map(self.resolve, value) if item is not NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            key, argument = next(iter(value.items()))
            function = _FUNCTIONS.get(key)
            if function:
                return function(self, argument)
        resolved = {key: self.resolve(item) for key, item in value.items()}
        return {key: item for key, item in resolved.items() if item is not NO_VALUE}

    def ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in self.parameters:
            return self.parameters[name]
        resource = self.template["Resources"][name]
        own_name = self._own_name(name)
        return f"https://queues/{own_name}" if resource["Type"] == "AWS::SQS::Queue" else own_name

    def get_att(self, path: list[str]) -> Any:
        name, attribute = path
        if attribute.startswith("Outputs."):
            child = self.part(name)
            return child.resolve(child.template["Outputs"][attribute.removeprefix("Outputs.")]["Value"])
        kind = self.template["Resources"][name]["Type"]
        if attribute == "Arn" and kind in _ARN_OF:
            return _ARN_OF[kind].format(self._own_name(name))
        return f"{name}.{attribute}"

    def sub(self, argument: Any) -> str:
        text, extra = argument if isinstance(argument, list) else (argument, {})
        known = self.resolve(extra)

        def replaced(match: re.Match[str]) -> str:
            name = match[1]
            if name in known:
                return str(known[name])
            return str(self.get_att(name.split(".", 1)) if "." in name else self.ref(name))

        return re.sub(r"\$\{([\w:.]+)}", replaced, text)

    def _own_name(self, name: str) -> str:
        resource = self.template["Resources"][name]
        given = resource.get("Properties", {}).get(_NAME_OF.get(resource["Type"], ""))
        return name if given is None else self.resolve(given)


def _if(part: _Part, argument: list[Any]) -> Any:
    condition, then, otherwise = argument
    return part.resolve(then if part.holds(condition) else otherwise)


def _find_in_map(part: _Part, argument: list[Any]) -> Any:
    name, *keys = part.resolve(argument)
    found = part.template["Mappings"][name]
    for key in keys:
        found = found[key]
    return found


def _equals(part: _Part, argument: list[Any]) -> bool:
    one, other = part.resolve(argument)
    return str(one) == str(other)


_FUNCTIONS: dict[str, Any] = {
    "Ref": _Part.ref,
    "Fn::GetAtt": _Part.get_att,
    "Fn::Sub": _Part.sub,
    "Fn::If": _if,
    "Fn::FindInMap": _find_in_map,
    "Fn::Equals": _equals,
    "Fn::Not": lambda part, argument: not part.resolve(argument[0]),
    "Fn::And": lambda part, argument: all(part.resolve(argument)),
    "Fn::Select": lambda part, argument: part.resolve(argument[1])[int(argument[0])],
    "Fn::Split": lambda part, argument: part.resolve(argument[1]).split(argument[0]),
    "Condition": lambda part, argument: part.holds(argument),
}


class Stack:
    """The stack that a deployment with these parameters makes."""

    def __init__(self, **parameters: str) -> None:
        root = _Part("template.yaml", _translated(), parameters)
        self.resources = list(root.resources())

    def of_type(self, kind: str) -> list[Resource]:
        """Return the resources of a type."""
        return [resource for resource in self.resources if resource.type == kind]

    def named(self, kind: str, key: str, name: str) -> Resource:
        """Return the one resource of a type whose property `key` is `name`."""
        (found,) = (resource for resource in self.of_type(kind) if resource.properties.get(key) == name)
        return found


@cache
def on_aws() -> Stack:
    """The stack with every default."""
    return Stack()


@cache
def with_everything() -> Stack:
    """The stack with everything switched on that a parameter can switch on."""
    return Stack(
        SubnetIds="subnet-1,subnet-2",
        SecurityGroupIds="sg-1",
        SearchInstanceCount="2",
        EmbeddingEndpointsSecretArn="arn:embedding",
        LlmEndpointsSecretArn="arn:llm",
        RerankEndpointsSecretArn="arn:rerank",
        CorsOrigins="https://a.example,https://b.example",
        AlarmEmail="ops@a.example",
    )


@cache
def on_a_laptop() -> Stack:
    """The stack as the local profile deploys it."""
    return Stack(Profile="local", Index="embedded", IndexPath="/somewhere")
