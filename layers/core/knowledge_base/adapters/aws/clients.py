"""The AWS clients of a process: made on first use, from one session."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from botocore.session import Session
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

CONNECT_SECONDS = 2
READ_SECONDS = {"dynamodb": 5, "s3": 60, "sqs": 10, "secretsmanager": 5}
TRIES = 4
CONNECTIONS = 32


class AwsClients:
    """Makes each client when it is first asked for; botocore itself is imported no earlier.

    `path_style` puts the bucket into the path of S3 URLs, as emulators need it.
    """

    def __init__(self, region: str, *, path_style: bool = False) -> None:
        self._region = region
        self._path_style = path_style
        self._lock = Lock()

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """The DynamoDB client."""
        return cast("DynamoDBClient", self._create("dynamodb"))

    @cached_property
    def s3(self) -> S3Client:
        """The S3 client."""
        # Without these two, presigned forms in some regions carry the old signature and the global host.
        style = "path" if self._path_style else "virtual"
        return cast("S3Client", self._create("s3", {"signature_version": "s3v4", "s3": {"addressing_style": style}}))

    @cached_property
    def sqs(self) -> SQSClient:
        """The SQS client."""
        return cast("SQSClient", self._create("sqs"))

    @cached_property
    def secretsmanager(self) -> SecretsManagerClient:
        """The Secrets Manager client."""
        return cast("SecretsManagerClient", self._create("secretsmanager"))

    def _create(self, service: str, options: Mapping[str, Any] | None = None) -> object:
        from botocore.config import Config

        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS[service],
            retries={"mode": "standard", "total_max_attempts": TRIES},
            tcp_keepalive=True,
            max_pool_connections=CONNECTIONS,
            **(options or {}),
        )
        with self._lock:  # a session makes one client at a time
            return self._session.create_client(service, region_name=self._region, config=config)

    @cached_property
    def _session(self) -> Session:
        from botocore.session import get_session

        return get_session()
