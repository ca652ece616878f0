"""A client of a running stack, and a look behind it at queues, objects and records."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import boto3
import httpx
from httpx_sse import EventSource, ServerSentEvent

from infra.local.deploy import function_name
from infra.local.stack import RunningStack
from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.domain.parsed import decode_parsed
from knowledge_base.domain.retrieval import ChunkFilter

KEY = "local-dev-key"


@dataclass
class Answer:
    """What a question's stream brought."""

    token: str
    steps: list[str] = field(default_factory=list)
    text: str = ""
    references: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, Any] | None = None
    done: bool = False


class Client:
    """Speaks to the stack as a caller does."""

    def __init__(self, stack: RunningStack, key: str = KEY) -> None:
        self.stack = stack
        self.http = httpx.Client(
            base_url=stack.url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False
        )

    def key_of(self, tenant: str) -> str:
        """Make a key of another tenant."""
        reply = self.http.post("/admin/keys", json={"user_id": "ann", "roles": ["admin"], "tenant": tenant})
        return str(reply.json()["key"])

    def import_documents(self, documents: list[dict[str, str]], repository: str, notify_url: str) -> None:
        body = {"documents": documents, "repository": repository, "notifyUrl": notify_url}
        reply = self.http.post("/uran/lm/documents", json=body)
        assert (reply.json()["status"], reply.json()["message"]) == (200, "success")

    def upload(self, name: str, content: bytes, repository: str) -> str:
        """Announce a file, send it by the form if there is one, and return the document's id."""
        digest = hashlib.sha256(content).hexdigest()
        target = {"dialect": "uran", "repository": repository}
        announced = {"filename": name, "size": len(content), "sha256": digest, "target": target}
        reply = self.http.post("/uploads", json=announced)
        assert reply.status_code in (200, 201), reply.text
        begun: dict[str, Any] = reply.json()
        if begun["url"]:
            sent = httpx.post(begun["url"], data=begun["fields"], files={"file": (name, content)}, trust_env=False)
            assert sent.is_success, sent.text
        return str(begun["document_id"])

    def ingestion(self, document_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"/ingestions/{document_id}").json()
        return found

    def wait_for_end(self, document_id: str, seconds: float = 60) -> dict[str, Any]:
        """Wait until a document's ingestion has ended, and return how."""
        until = time.monotonic() + seconds
        while (found := self.ingestion(document_id))["state"] not in ("ready", "failed"):
            assert time.monotonic() < until, f"still {found['state']}"
            time.sleep(0.1)
        return found

    def ingestions(self, repository: str) -> Iterator[dict[str, Any]]:
        """Yield all documents of a repository with where they stand."""
        query = {"repository": repository, "limit": "100"}
        while True:
            page = self.http.get("/ingestions", params=query).json()
            yield from page["ingestions"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def delete_document(self, name: str, repository: str) -> None:
        body = {"documents": [name], "repository": repository}
        assert self.http.request("DELETE", "/uran/lm/documents", json=body).status_code == 200

    def ask(
        self, question: str, repository: str | None, *, top_k: int = 5, threshold: float = 0.0, **more: Any
    ) -> Answer:
        body = question_body(question, repository, top_k=top_k, threshold=threshold, **more)
        with self.http.stream("POST", "/uran/lm/question", json=body) as reply:
            assert reply.status_code == 200, reply.read()
            return _read(Answer(reply.headers["x-answer-token"]), EventSource(reply).iter_sse())

    def stored_answer(self, token: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"/answers/{token}").json()
        return found


def question_body(
    question: str, repository: str | None = None, *, top_k: int = 5, threshold: float = 0.0, **more: Any
) -> dict[str, Any]:
    """Return the body of a question to `/uran/lm/question`; `more` are fields of its own."""
    searched = {"name": repository, "threshold": threshold, "topK": top_k}
    asked = {"messages": [{"role": "user", "content": question}], "maxTokens": 512, "temperature": 0, "model": "any"}
    return {**asked, **({"repository": searched} if repository else {}), **more}


def _read(answer: Answer, events: Iterator[ServerSentEvent]) -> Answer:
    for event in events:
        if event.data == "[DONE]":
            answer.done = True
        else:
            frame = json.loads(event.data)
            delta = frame["choices"][0]["delta"]
            answer.steps += [delta["step"]] if "step" in delta else []
            answer.text += delta.get("content", "")
            answer.references += frame.get("references", [])
            answer.error = frame.get("error", answer.error)
    return answer


class Behind:
    """What lies behind the stack: in the emulated AWS, and in the embedded index."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self._swept = 0.0

    def parsed_text(self, document_id: str, ordinal: int, tenant: str = "default") -> str:
        key = VersionKey(tenant, document_id, ordinal).parsed()
        return decode_parsed(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()).text

    def live_chunks(self, repository: str, tenant: str = "default") -> int:
        """How many chunks of a repository the embedded index has live now."""
        table = next(name for name in self.dynamodb.list_tables()["TableNames"] if "catalog" in name)
        items = self.dynamodb.get_paginator("scan").paginate(TableName=table).search("Items")
        found = next(item for item in items if item.get("name", {}).get("S") == repository and "revision" in item)
        embedding = found["config"]["M"]["embedding"]["M"]
        model = EmbeddingConfig(embedding["model"]["S"], int(embedding["dimensions"]["N"]))
        index = EmbeddedVectorIndexes(self._stack.state_dir / "index").of(model)
        revisions = {found["kb_id"]["S"]: int(found["revision"]["N"])}
        return index.count(ChunkFilter(tenant, revisions))

    def messages(self) -> dict[str, int]:
        """How many messages each queue holds, dead-letter queues too; those without any are left out."""
        names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        counts = {}
        for url in self.sqs.list_queues()["QueueUrls"]:
            attributes = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names))["Attributes"]
            counts[url.rpartition("/")[2]] = sum(int(attributes[name]) for name in names)
        return {name: count for name, count in counts.items() if count}

    def wait_until_quiet(self, seconds: float = 20) -> None:
        until = time.monotonic() + seconds
        while (left := self.messages()) and time.monotonic() < until:
            time.sleep(0.2)
        assert not left, f"the queues still hold {left}"

    def wait_until_at_work(self, function: str, seconds: float = 60) -> None:
        """Wait until a function has taken a message off its queue."""
        url = self.queue_url(f"{function}.fifo" if function == "publish" else function)
        name = "ApproximateNumberOfMessagesNotVisible"
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name] != "0":
                return
            time.sleep(0.02)
        raise AssertionError(f"{function} was never seen at work")

    def unfinished_versions(self) -> list[str]:
        table = next(name for name in self.dynamodb.list_tables()["TableNames"] if "catalog" in name)
        items = self.dynamodb.get_paginator("scan").paginate(TableName=table).search("Items")
        states = [item["state"]["S"] for item in items if "state" in item and "ordinal" in item]
        return [state for state in states if state not in ("ready", "failed")]

    def sweep(self) -> None:
        """Let the sweep run now, as it does every minute; at most once in five seconds."""
        if time.monotonic() - self._swept > 5:
            self._swept = time.monotonic()
            self._client("lambda").invoke(FunctionName=function_name("sweep"))

    def queue_url(self, name: str) -> str:
        return next(url for url in self.sqs.list_queues()["QueueUrls"] if url.endswith(f"-{name}"))

    @property
    def bucket(self) -> str:
        names = [bucket["Name"] for bucket in self.s3.list_buckets()["Buckets"]]
        return next(name for name in names if "documents" in name)

    @property
    def drops(self) -> str:
        names = [bucket["Name"] for bucket in self.s3.list_buckets()["Buckets"]]
        return next(name for name in names if "drops" in name)

    @cached_property
    def s3(self) -> Any:
        return self._client("s3")

    @cached_property
    def sqs(self) -> Any:
        return self._client("sqs")

    @cached_property
    def dynamodb(self) -> Any:
        return self._client("dynamodb")

    def _client(self, service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=self._stack.emulator_url,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
