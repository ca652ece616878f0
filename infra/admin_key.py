"""Writes the first operator key of a deployed stack, with AWS credentials: the API makes keys only for who has one."""

from __future__ import annotations

import argparse
import os
import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from knowledge_base.domain.access import ADMIN, OPERATOR, Principal


def main() -> int:
    """Make a key and print it; it is shown this once."""
    parser = argparse.ArgumentParser(prog="make admin-key", description=__doc__)
    parser.add_argument("stack", help="the stack's name")
    parser.add_argument("--tenant", default="default")
    parser.add_argument("--user", default="operator")
    given = parser.parse_args()
    try:
        os.environ["KB_CATALOG_TABLE"] = find_catalog(given.stack)
    except (BotoCoreError, ClientError, KeyError) as error:
        sys.stderr.write(f"The stack {given.stack!r} was not found with these AWS credentials: {error}\n")
        return 1
    sys.stdout.write(f"{make_operator_key(given.tenant, given.user)}\n")
    return 0


def find_catalog(stack: str) -> str:
    """Return the name of a stack's catalog table.

    Raises:
        ClientError: there is no such stack.
        KeyError: it is another product's.
    """
    [found] = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    outputs: dict[str, str] = {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])}
    return outputs["CatalogTable"]


def make_operator_key(tenant: str, user: str) -> str:
    """Write a key of an operator into the catalog of `KB_CATALOG_TABLE`, and return it."""
    from knowledge_base.bootstrap import get_container

    operator = Principal(tenant=tenant, user_id=user, roles=frozenset({ADMIN, OPERATOR}))
    return get_container().access.create_key(operator, operator).key


if __name__ == "__main__":
    sys.exit(main())
