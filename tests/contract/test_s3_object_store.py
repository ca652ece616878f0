"""The object store in S3."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from knowledge_base.adapters.aws.clients import AwsClients
from knowledge_base.adapters.aws.object_store import ObjectsNotDeleted, S3ObjectStore
from knowledge_base.adapters.aws.s3_events import stored_objects
from tests.aws import EmulatedAws, Intercepted, a_refusal, emulated_aws, refusing
from tests.contract.object_store_contract import ObjectStoreContract, PutElsewhere


@pytest.fixture
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws() as aws:
        yield aws


@pytest.fixture
def store(aws: EmulatedAws) -> S3ObjectStore:
    return S3ObjectStore(aws.s3, aws.bucket())


@pytest.fixture
def put_elsewhere(aws: EmulatedAws) -> PutElsewhere:
    bucket = aws.bucket("drops")

    def put(key: str, data: bytes) -> str:
        aws.s3.put_object(Bucket=bucket, Key=key, Body=data)
        return bucket

    return put


class TestS3ObjectStore(ObjectStoreContract):
    pass


def test_form_binds_key_size_and_time(store: S3ObjectStore) -> None:
    form = store.upload_form("uploads/acme/doc-1/1", size=50, lifetime=900)
    policy = json.loads(base64.b64decode(form.fields["policy"]))
    left = datetime.fromisoformat(policy["expiration"]).timestamp() - datetime.now().astimezone().timestamp()
    assert 890 <= left <= 900
    assert ["content-length-range", 50, 50] in policy["conditions"]
    assert {"key": "uploads/acme/doc-1/1"} in policy["conditions"]
    assert form.fields["key"] == "uploads/acme/doc-1/1"


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "eu-central-1", "ap-east-1"])
def test_form_goes_to_the_bucket_in_its_region_with_todays_signature(
    monkeypatch: pytest.MonkeyPatch, region: str
) -> None:
    # Elsewhere than at its region a new bucket answers with a redirect that browsers do not follow with a body.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    form = S3ObjectStore(AwsClients(region).s3, "documents").upload_form("k", size=1, lifetime=1)
    host = "documents.s3.amazonaws.com" if region == "us-east-1" else f"documents.s3.{region}.amazonaws.com"
    assert form.url == f"https://{host}/"
    assert form.fields["x-amz-algorithm"] == "AWS4-HMAC-SHA256"


def test_form_for_an_emulator_has_the_bucket_in_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:4566")
    store = S3ObjectStore(AwsClients("us-east-1", path_style=True).s3, "documents")
    assert store.upload_form("k", size=1, lifetime=1).url == "http://localhost:4566/documents"


def test_object_that_s3_does_not_delete_is_told(aws: EmulatedAws) -> None:
    def deleting_in_vain(operation: str, call: Callable[[], Any]) -> Any:
        return {"Errors": [{"Code": "AccessDenied"}]} if operation == "delete_objects" else call()

    store = S3ObjectStore(Intercepted(aws.s3, deleting_in_vain), aws.bucket())
    store.put("chunks/a", b"x")
    with pytest.raises(ObjectsNotDeleted):
        store.delete_under("chunks/")


def test_refusal_is_not_taken_for_absence(aws: EmulatedAws) -> None:
    client = refusing(aws.s3, {"get_object": [a_refusal("AccessDenied", "GetObject")]})
    with pytest.raises(ClientError):
        S3ObjectStore(client, aws.bucket()).get("k")


@pytest.mark.parametrize("key", ["uploads/acme/doc-1/1", "a b/价格+%2B.pdf"])
def test_event_tells_of_the_key_as_s3_does(store: S3ObjectStore, key: str) -> None:
    (told,) = stored_objects(store.event(key))
    assert (told.bucket, told.key, told.removed) == ("documents", key, False)
