"""Rules for buckets, tables and the index."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.adapters.aws import tables
from knowledge_base.adapters.aws.queues import MESSAGES
from knowledge_base.domain.object_keys import CHUNKS, PARSED, UPLOADS
from tests.template.stack import ACCOUNT, REGION, Resource, on_a_laptop, on_aws, with_everything

BUCKET, TABLE, DOMAIN = "AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::OpenSearchService::Domain"


def bucket(name: str) -> dict[str, Any]:
    return on_aws().named(BUCKET, "BucketName", f"kb-{name}-{ACCOUNT}-{REGION}").properties


def table(name: str) -> dict[str, Any]:
    return on_aws().named(TABLE, "TableName", f"kb-{name}").properties


def events_of(name: str) -> set[tuple[str, str, str]]:
    """Return what a bucket tells: event, prefix, and name of the queue."""
    return {
        (config["Event"], _prefix(config), config["Queue"].rpartition(":")[2])
        for config in bucket(name)["NotificationConfiguration"]["QueueConfigurations"]
    }


def _prefix(config: dict[str, Any]) -> str:
    rules = config.get("Filter", {}).get("S3Key", {}).get("Rules", [])
    return next((rule["Value"] for rule in rules if rule["Name"] == "prefix"), "")


@pytest.mark.parametrize("resource", on_aws().of_type(BUCKET), ids=str)
def test_buckets_are_encrypted_closed_and_kept(resource: Resource):
    (rule,) = resource.properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] in ("AES256", "aws:kms")
    assert len(resource.properties["PublicAccessBlockConfiguration"]) == 4
    assert all(resource.properties["PublicAccessBlockConfiguration"].values())
    assert resource.attributes["DeletionPolicy"] == "RetainExceptOnCreate"
    assert resource.attributes["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("resource", on_aws().of_type(BUCKET), ids=str)
def test_buckets_are_reached_by_modern_tls_only(resource: Resource):
    policy = on_aws().named("AWS::S3::BucketPolicy", "Bucket", resource.properties["BucketName"])
    arn = f"arn:aws:s3:::{resource.properties['BucketName']}"
    conditions = []
    for statement in policy.properties["PolicyDocument"]["Statement"]:
        assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
        assert statement["Resource"] == [arn, f"{arn}/*"]
        conditions.append(statement["Condition"])
    assert conditions == [{"Bool": {"aws:SecureTransport": "false"}}, {"NumericLessThan": {"s3:TlsVersion": "1.2"}}]


def test_each_stage_of_the_pipeline_starts_by_what_the_one_before_stores():
    created = "s3:ObjectCreated:*"
    assert events_of("documents") == {
        (created, f"{UPLOADS}/", "kb-parse"),
        (created, f"{PARSED}/", "kb-chunk"),
        (created, f"{CHUNKS}/", "kb-embed"),
    }


def test_drops_and_their_removal_are_both_told():
    assert events_of("drops") == {("s3:ObjectCreated:*", "", "kb-drop"), ("s3:ObjectRemoved:*", "", "kb-drop")}


def test_large_messages_live_as_long_as_their_dead_letters():
    rules = bucket("documents")["LifecycleConfiguration"]["Rules"]
    assert [rule["ExpirationInDays"] for rule in rules if rule.get("Prefix") == MESSAGES] == [14]


def test_broken_uploads_go_and_deleted_content_goes_for_good_after_a_week():
    for name in ("documents", "drops"):
        rules = bucket(name)["LifecycleConfiguration"]["Rules"]
        assert any("AbortIncompleteMultipartUpload" in rule for rule in rules)
    assert bucket("documents")["VersioningConfiguration"] == {"Status": "Enabled"}
    rules = bucket("documents")["LifecycleConfiguration"]["Rules"]
    assert [r["NoncurrentVersionExpiration"] for r in rules if "NoncurrentVersionExpiration" in r] == [
        {"NoncurrentDays": 7}
    ]


def test_drops_are_not_versioned_since_deleting_an_old_version_would_look_like_a_removal():
    assert "VersioningConfiguration" not in bucket("drops")


def test_only_configured_origins_may_upload_from_a_page():
    assert "CorsConfiguration" not in bucket("documents")
    open_to = with_everything().named(BUCKET, "BucketName", f"kb-documents-{ACCOUNT}-{REGION}").properties
    (rule,) = open_to["CorsConfiguration"]["CorsRules"]
    assert rule["AllowedOrigins"] == ["https://a.example", "https://b.example"]


@pytest.mark.parametrize(("name", "schema"), [("catalog", tables.CATALOG), ("runtime", tables.RUNTIME)])
def test_tables_have_the_keys_and_indexes_that_the_code_uses(name: str, schema: dict[str, Any]):
    deployed = table(name)
    assert {key: deployed.get(key) for key in schema} == schema
    assert ("TimeToLiveSpecification" in deployed) == ("TimeToLiveSpecification" in schema)


@pytest.mark.parametrize("resource", on_aws().of_type(TABLE), ids=str)
def test_tables_are_encrypted(resource: Resource):
    assert resource.properties["SSESpecification"] == {"SSEEnabled": True}


def test_the_catalog_can_be_restored_to_any_moment_and_is_kept():
    assert table("catalog")["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    kept = on_aws().named(TABLE, "TableName", "kb-catalog").attributes
    assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")


@pytest.mark.parametrize("stack", [on_aws, with_everything])
def test_the_domain_is_encrypted_everywhere_and_opens_only_to_this_account(stack: Any):
    (domain,) = stack().of_type(DOMAIN)
    assert domain.properties["EncryptionAtRestOptions"] == {"Enabled": True}
    assert domain.properties["NodeToNodeEncryptionOptions"] == {"Enabled": True}
    endpoint = domain.properties["DomainEndpointOptions"]
    assert endpoint["EnforceHTTPS"] is True
    assert endpoint["TLSSecurityPolicy"].startswith("Policy-Min-TLS-1-2")
    (statement,) = domain.properties["AccessPolicies"]["Statement"]
    assert statement["Principal"] == {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}


def test_one_node_stands_in_one_subnet_and_two_in_two():
    (domain,) = with_everything().of_type(DOMAIN)
    assert domain.properties["VPCOptions"]["SubnetIds"] == ["subnet-1", "subnet-2"]
    assert domain.properties["ClusterConfig"]["ZoneAwarenessEnabled"] is True
    (alone,) = on_aws().of_type(DOMAIN)
    assert "VPCOptions" not in alone.properties
    assert alone.properties["ClusterConfig"]["ZoneAwarenessEnabled"] is False


def test_a_laptop_has_the_same_stores_but_no_domain():
    assert on_a_laptop().of_type(DOMAIN) == []
    for kind in (BUCKET, TABLE):
        assert len(on_a_laptop().of_type(kind)) == len(on_aws().of_type(kind))
