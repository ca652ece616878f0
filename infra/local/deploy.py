"""Deploys the real template into the emulator, which is empty whenever it has started."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from infra.local.failures import StackFailure
from infra.local.packaging import Packager

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient

STACK = "kb"
REGION = "us-east-1"
ACCOUNT = "000000000000"
NO_SECRET = "local"  # noqa: S105 - the emulator takes any
ARTIFACTS = "kb-artifacts"
_WAIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Deployment:
    """Where the deployed stack is to be found."""

    emulator_url: str
    api_id: str
    stage: str

    @property
    def api_url(self) -> str:
        """The emulated API Gateway's URL of the stage."""
        return f"{self.emulator_url}/_aws/execute-api/{self.api_id}/{self.stage}"


def credentials(emulator_url: str) -> dict[str, str]:
    """Return the environment variables by which an AWS SDK reaches the emulator, and nothing else."""
    return {
        "AWS_ENDPOINT_URL": emulator_url,
        "AWS_ACCESS_KEY_ID": ACCOUNT,
        "AWS_SECRET_ACCESS_KEY": NO_SECRET,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def function_name(folder: str) -> str:
    """Return the name under which a folder of `functions/` is deployed."""
    return f"{STACK}-{folder}"


class Deployer:
    """Deploys templates into one emulator."""

    def __init__(self, emulator_url: str) -> None:
        self._url = emulator_url
        self._session = boto3.session.Session(ACCOUNT, NO_SECRET, region_name=REGION)

    def deploy(self, template: Path, parameters: Mapping[str, str]) -> Deployment:
        """Make the stack, and return once it is there.

        Raises:
            StackFailure: the template cannot be deployed; the message tells which resource failed and why.
        """
        cloudformation: CloudFormationClient = self._client("cloudformation")
        packager = self._packager()
        url = packager.pack(template)
        known = packager.packed[0].get("Parameters", {})
        given = {name: value for name, value in parameters.items() if name in known}
        try:
            cloudformation.create_stack(
                StackName=STACK,
                TemplateURL=url,
                Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()],
                Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
                OnFailure="DO_NOTHING",
            )
        except ClientError as error:
            raise StackFailure(f"the emulator refuses the template: {error.response['Error']['Message']}") from error
        outputs = self._wait(cloudformation)
        self._enable_time_to_live(packager.packed)
        return Deployment(self._url, outputs["ApiId"], outputs["ApiUrl"].rpartition("/")[2])

    def function_environment(self, folder: str) -> dict[str, str]:
        """Return the environment variables that the template gives a function."""
        found = self._client("lambda").get_function_configuration(FunctionName=function_name(folder))
        variables: dict[str, str] = found["Environment"]["Variables"]
        return variables

    def invoke(self, folder: str) -> None:
        """Have a function run once with an empty event, without waiting for it."""
        self._client("lambda").invoke(FunctionName=function_name(folder), InvocationType="Event", Payload=b"{}")

    def _packager(self) -> Packager:
        s3 = self._client("s3")
        s3.create_bucket(Bucket=ARTIFACTS)
        return Packager(
            bucket=ARTIFACTS,
            bucket_url=f"{self._url}/{ARTIFACTS}",
            upload=lambda key, content: s3.put_object(Bucket=ARTIFACTS, Key=key, Body=content),
        )

    def _wait(self, cloudformation: CloudFormationClient) -> dict[str, str]:
        until = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < until:
            stack = cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]
            if stack["StackStatus"] == "CREATE_COMPLETE":
                return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
            if not stack["StackStatus"].endswith("IN_PROGRESS"):
                break
            time.sleep(0.03)
        raise StackFailure(f"the template could not be deployed into the emulator:\n{_complaints(cloudformation)}")

    def _enable_time_to_live(self, templates: Iterable[Mapping[str, Any]]) -> None:
        """Let expired items be deleted: the emulator's CloudFormation leaves that part of a table out."""
        dynamodb = self._client("dynamodb")
        for properties in (r.get("Properties", {}) for t in templates for r in t["Resources"].values()):
            if "TimeToLiveSpecification" in properties:
                name = properties["TableName"]["Fn::Sub"].replace("${Name}", STACK)
                specification = properties["TimeToLiveSpecification"]
                dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=specification)

    def _client(self, service: str) -> Any:
        config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}, parameter_validation=False)
        return self._session.client(service, endpoint_url=self._url, config=config)


def _complaints(cloudformation: CloudFormationClient) -> str:
    events = cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]
    return "\n".join(
        f"  {event['LogicalResourceId']}: {event.get('ResourceStatusReason', event['ResourceStatus'])}"
        for event in events
        if "FAILED" in event.get("ResourceStatus", "")
    )
