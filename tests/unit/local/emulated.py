"""An emulator in a process of its own, with a small stack in it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from infra.local.deploy import Deployer
from infra.local.ports import free_port
from infra.local.processes import Child

TEMPLATE = """
AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${AWS::StackName}-table"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}, {AttributeName: sk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: RANGE}]
  Queue: {Type: AWS::SQS::Queue, Properties: {QueueName: idle, VisibilityTimeout: 600}}
  Busy: {Type: AWS::SQS::Queue, Properties: {QueueName: busy, VisibilityTimeout: 600}}
  Late: {Type: AWS::SQS::Queue, Properties: {QueueName: late, VisibilityTimeout: 600}}
  Fifo: {Type: AWS::SQS::Queue, Properties: {QueueName: idle.fifo, FifoQueue: true, ContentBasedDeduplication: true}}
  WorkQueue: {Type: AWS::SQS::Queue, Properties: {QueueName: work, VisibilityTimeout: 600}}
  WorkQueuePolicy:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref WorkQueue]
      PolicyDocument:
        Statement: [{Effect: Allow, Principal: {Service: s3.amazonaws.com}, Action: "sqs:SendMessage", Resource: "*"}]
  Bucket:
    Type: AWS::S3::Bucket
    DependsOn: WorkQueuePolicy
    Properties:
      BucketName: documents
      NotificationConfiguration:
        QueueConfigurations: [{Event: "s3:ObjectCreated:*", Queue: !GetAtt WorkQueue.Arn}]
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: !Sub "${AWS::StackName}-work"
      CodeUri: functions/work/
      Handler: app.handle
      Runtime: python3.13
      Timeout: 60
      Events: {Queue: {Type: SQS, Properties: {Queue: !GetAtt WorkQueue.Arn, BatchSize: 1}}}
  Echo:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: !Sub "${AWS::StackName}-echo"
      CodeUri: functions/echo/
      Handler: app.handle
      Runtime: python3.13
      Events: {Any: {Type: Api, Properties: {Path: "/{proxy+}", Method: get}}}
Outputs:
  ApiId: {Value: !Ref ServerlessRestApi}
  ApiUrl: {Value: !Sub "https://${ServerlessRestApi}/Prod"}
"""

WORK = """
import json, os, pathlib, time
def handle(event, context):
    for record in event["Records"]:
        key = json.loads(record["body"])["Records"][0]["s3"]["object"]["key"]
        count = record["attributes"]["ApproximateReceiveCount"]
        (pathlib.Path(os.environ["TRACES"]) / f"{key}-{count}-begun").touch()
        time.sleep(5 if key == "slow" and count == "1" and not os.environ.get("QUICK") else 0)
        (pathlib.Path(os.environ["TRACES"]) / f"{key}-{count}-ended").touch()
        print(json.dumps({"level": "INFO", "message": "worked", "key": key}))
"""

ECHO = """
import json, os, knowledge_base
def handle(event, context):
    if event["path"] == "/fail":
        raise ValueError("on purpose")
    return {"statusCode": 200, "body": json.dumps({"path": event["path"], "package": knowledge_base.__name__,
        "tenant": os.environ.get("KB_TENANT"), "profile": os.environ.get("AWS_PROFILE")})}
"""


class Stack:
    """An emulator with a small stack in it; what it keeps is in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.kept = folder / "emulator" / "items_and_messages.sqlite"
        self.traces = folder / "traces"
        self.log = folder / "functions.log"
        self.traces.mkdir(parents=True)
        for name, code in {"work": WORK, "echo": ECHO}.items():
            (folder / "functions" / name).mkdir(parents=True)
            (folder / "functions" / name / "app.py").write_text(code)
        (folder / "template.yaml").write_text(TEMPLATE)

    def start(self, **environment: str) -> dict[str, int]:
        """Start, deploy, and return what came back."""
        self.launch(**environment)
        return self.deploy()

    def launch(self, **environment: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        arguments = (str(self._folder / "emulator"), str(self._folder), str(port))
        self.child = Child(
            "emulator",
            "infra.local.emulator",
            *arguments,
            log=self._folder / "emulator.log",
            environment={"TRACES": str(self.traces), **environment},
        )
        wait_until(self._is_ready)

    def deploy(self) -> dict[str, int]:
        self.deployer = Deployer(self.url)
        self.api = self.deployer.deploy(self._folder / "template.yaml", {}).api_url
        kept: dict[str, int] = httpx.post(f"{self.url}/_local/attach", timeout=30).json()
        return kept

    def kill(self) -> None:
        os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait(10)

    def client(self, service: str) -> Any:
        return self.deployer._client(service)

    def queue_url(self, name: str) -> str:
        return f"{self.url}/000000000000/{name}"

    def receive(self, name: str, **how: Any) -> list[str]:
        sqs = self.client("sqs")
        messages = sqs.receive_message(QueueUrl=self.queue_url(name), **{"MaxNumberOfMessages": 10, **how})
        return [message["Body"] for message in messages.get("Messages", [])]

    def _is_ready(self) -> bool:
        assert self.child.is_running, self.child.failure()
        try:
            return httpx.get(f"{self.url}/_ministack/ready").is_success
        except httpx.TransportError:
            return False


@contextmanager
def running(folder: Path) -> Iterator[Stack]:
    stack = Stack(folder / "stack")
    stack.start()
    try:
        yield stack
    finally:
        stack.child.ask_to_end()
        stack.child.wait(10)


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)
