"""Rules for what functions may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.template.stack import ACCOUNT, NAME, REGION, Resource, Stack, on_aws, with_everything

FUNCTION, ROLE, POLICY = "AWS::Lambda::Function", "AWS::IAM::Role", "AWS::IAM::ManagedPolicy"
BUCKET = f"arn:aws:s3:::{NAME}-documents-{ACCOUNT}-{REGION}"
DROPS = f"arn:aws:s3:::{NAME}-drops-{ACCOUNT}-{REGION}"
QUEUES = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{NAME}-"
CONSUME = {
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibility",
    "sqs:GetQueueAttributes",
    "sqs:GetQueueUrl",
}
ONLY_ASKED_HOW_DEEP = {
    "api_platform": {"question"},
    "api_uran": {"parse", "embed"},
    "api_engineering": {"fetch", "parse", "embed"},
}
NO_RESOURCE_TO_NAME = {
    "xray:PutTraceSegments": "X-Ray has no resources",
    "xray:PutTelemetryRecords": "X-Ray has no resources",
    "ec2:CreateNetworkInterface": "asked for before the interface has an ARN",
    "ec2:DescribeNetworkInterfaces": "EC2's Describe actions take no resource",
    "ec2:DescribeSubnets": "EC2's Describe actions take no resource",
    "ec2:DeleteNetworkInterface": "Lambda checks it without naming an interface",
    "ec2:AssignPrivateIpAddresses": "Lambda checks it without naming an interface",
    "ec2:UnassignPrivateIpAddresses": "Lambda checks it without naming an interface",
}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def name_of(function: Resource) -> str:
    return function.properties["FunctionName"].removeprefix(f"{NAME}-")


def role_of(function: Resource, stack: Stack) -> Resource:
    logical_id = function.properties["Role"].removesuffix(".Arn")
    (role,) = (role for role in stack.of_type(ROLE) if role.logical_id == logical_id)
    return role


def permissions_of(name: str, stack: Stack) -> set[tuple[str, str]]:
    """Return every (action, resource) that a function is allowed."""
    role = role_of(stack.named(FUNCTION, "FunctionName", f"{NAME}-{name}"), stack)
    attached = {policy.logical_id: policy for policy in stack.of_type(POLICY)}
    documents = [policy["PolicyDocument"] for policy in role.properties.get("Policies", [])]
    documents += [attached[ref].properties["PolicyDocument"] for ref in role.properties["ManagedPolicyArns"]]
    return set(_pairs(documents))


def _pairs(documents: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for document in documents:
        for statement in document["Statement"]:
            assert statement["Effect"] == "Allow"
            for action in as_list(statement["Action"]):
                yield from ((action, resource) for resource in as_list(statement["Resource"]))


def allowed(name: str, action: str, stack: Stack | None = None) -> set[str]:
    return {resource for done, resource in permissions_of(name, stack or on_aws()) if done == action}


def queues(name: str, action: str) -> set[str]:
    return {arn.removeprefix(QUEUES).removesuffix(".fifo") for arn in allowed(name, action)}


NAMES = sorted(name_of(resource) for resource in on_aws().of_type(FUNCTION))


def test_every_function_has_a_role_of_its_own():
    roles = [resource.properties["Role"] for resource in on_aws().of_type(FUNCTION)]
    assert len(set(roles)) == len(roles)


@pytest.mark.parametrize("name", NAMES)
def test_a_role_can_be_taken_by_lambda_alone_and_holds_no_policy_of_aws(name: str):
    role = role_of(on_aws().named(FUNCTION, "FunctionName", f"{NAME}-{name}"), on_aws())
    (statement,) = role.properties["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}
    assert not [arn for arn in role.properties["ManagedPolicyArns"] if arn.startswith("arn:aws:iam::aws")]


@pytest.mark.parametrize("name", NAMES)
def test_every_resource_that_can_be_named_is_named(name: str):
    for action, resource in permissions_of(name, with_everything()):
        assert "*" not in action
        assert resource != "*" or action in NO_RESOURCE_TO_NAME, f"{action} on everything"


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_told_of_the_queues_it_may_use_and_of_no_other(name: str):
    environment = on_aws().named(FUNCTION, "FunctionName", f"{NAME}-{name}").properties["Environment"]["Variables"]
    suffix = "_QUEUE_URL"
    told = {key[3 : -len(suffix)].lower() for key in environment if key.endswith(suffix)}
    assert told == queues(name, "sqs:SendMessage") | ONLY_ASKED_HOW_DEEP.get(name, set())
    assert queues(name, "sqs:GetQueueAttributes") - queues(name, "sqs:ReceiveMessage") <= told
    for queue in told:
        assert environment[f"KB_{queue.upper()}{suffix}"].removesuffix(".fifo") == f"https://queues/{NAME}-{queue}"


@pytest.mark.parametrize("mapping", on_aws().of_type("AWS::Lambda::EventSourceMapping"), ids=str)
def test_a_function_may_take_messages_from_the_queues_that_feed_it(mapping: Resource):
    name = mapping.properties["FunctionName"].removeprefix(f"{NAME}-")
    queue = mapping.properties["EventSourceArn"].removeprefix(QUEUES)
    pattern = "publish-dead.fifo" if queue == "publish-dead.fifo" else "*-dead" if queue.endswith("-dead") else queue
    assert {action for action, resource in permissions_of(name, on_aws()) if resource == QUEUES + pattern} >= CONSUME


def test_a_function_may_take_messages_from_no_other_queue():
    mappings = on_aws().of_type("AWS::Lambda::EventSourceMapping")
    readers = {mapping.properties["FunctionName"].removeprefix(f"{NAME}-") for mapping in mappings}
    for name in NAMES:
        expected = {"*-dead", "publish-dead"} if name == "dead_letter" else {name} & readers
        assert queues(name, "sqs:ReceiveMessage") == expected


@pytest.mark.parametrize(
    ("name", "read", "written"),
    [
        ("fetch", set(), {"uploads"}),
        ("parse", {"uploads"}, {"parsed"}),
        ("chunk", {"parsed", "fingerprints"}, {"chunks", "fingerprints"}),
        ("embed", {"chunks", "vectors"}, {"vectors"}),
        ("publish", {"vectors"}, set()),
        ("search", set(), set()),
        ("api_engineering", {"uploads", "vectors"}, {"uploads"}),
    ],
)
def test_a_stage_reads_what_the_one_before_wrote_and_writes_its_own(name: str, read: set[str], written: set[str]):
    def prefixes(action: str) -> set[str]:
        return {arn.removeprefix(f"{BUCKET}/").removesuffix("/*") for arn in allowed(name, action)} - {"messages"}

    assert prefixes("s3:GetObject") == read
    assert prefixes("s3:PutObject") == written


def test_only_the_sweep_deletes_objects():
    assert {name for name in NAMES if allowed(name, "s3:DeleteObject")} == {"sweep"}


def test_only_drop_sees_the_drop_bucket_and_nobody_writes_to_it():
    seen = {name for name in NAMES if any(r.startswith(DROPS) for _, r in permissions_of(name, on_aws()))}
    assert seen == {"drop"}
    assert not [r for r in allowed("drop", "s3:PutObject") if r.startswith(DROPS)]


@pytest.mark.parametrize("name", NAMES)
def test_who_reads_objects_may_list_the_bucket_so_that_a_missing_one_is_not_found(name: str):
    read = {arn.split("/")[0] for arn in allowed(name, "s3:GetObject")}
    assert read <= allowed(name, "s3:ListBucket")


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_never_scanned_nor_changed_themselves(name: str):
    actions = {action for action, _ in permissions_of(name, on_aws()) if action.startswith("dynamodb:")}
    assert not actions & {"dynamodb:Scan", "dynamodb:DeleteTable", "dynamodb:UpdateTable", "dynamodb:CreateTable"}


def test_the_question_path_changes_nothing_in_the_catalog():
    catalog = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{NAME}-catalog"
    for name in ("stream", "question", "search", "answer"):
        assert catalog not in allowed(name, "dynamodb:PutItem") | allowed(name, "dynamodb:UpdateItem")


def test_the_index_is_written_by_publish_and_sweep_alone_and_read_by_search():
    assert {name for name in NAMES if allowed(name, "es:ESHttpDelete")} == {"publish", "sweep"}
    for name in ("search", "api_engineering"):
        assert allowed(name, "es:ESHttpPost") == {"Domain.Arn/*"}
        assert not allowed(name, "es:ESHttpPut")


def test_secrets_are_read_by_who_is_told_of_them_and_only_when_there_are_any():
    stack = with_everything()
    action = "secretsmanager:GetSecretValue"
    assert not any(allowed(name, action) for name in NAMES)
    for variable, secret in (("EMBEDDING", "arn:embedding"), ("LLM", "arn:llm"), ("RERANK", "arn:rerank")):
        for resource in stack.of_type(FUNCTION):
            told = f"KB_{variable}_ENDPOINTS_SECRET" in resource.properties["Environment"]["Variables"]
            assert (secret in allowed(name_of(resource), action, stack)) == told, resource
