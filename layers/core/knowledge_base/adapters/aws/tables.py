"""The keys and indexes of both tables, in the words of CloudFormation and of the DynamoDB API alike.

What stands under which key: docs/decisions/0003-catalog-access-patterns.md.
"""

from __future__ import annotations

from typing import Any

PARTITION = "pk"
SORT = "sk"

OPEN_INDEX = "open"
"""The sparse index of everything that the sweep looks at: only items with `open` and `due` are in it."""

EXPIRES_AT = "expires_at"
"""The second since the epoch after which an item may be dropped; most of the Catalog's have none."""

_KEYS: dict[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "TimeToLiveSpecification": {"AttributeName": EXPIRES_AT, "Enabled": True},
    "AttributeDefinitions": [
        {"AttributeName": PARTITION, "AttributeType": "S"},
        {"AttributeName": SORT, "AttributeType": "S"},
        {"AttributeName": "open", "AttributeType": "S"},
        {"AttributeName": "due", "AttributeType": "N"},
    ],
    "KeySchema": [
        {"AttributeName": PARTITION, "KeyType": "HASH"},
        {"AttributeName": SORT, "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": OPEN_INDEX,
            "KeySchema": [
                {"AttributeName": "open", "KeyType": "HASH"},
                {"AttributeName": "due", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
}

CATALOG: dict[str, Any] = _KEYS
RUNTIME: dict[str, Any] = _KEYS
