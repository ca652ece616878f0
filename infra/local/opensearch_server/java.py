"""The Java that runs the server."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from infra.local.opensearch_server.account import Account
from infra.local.opensearch_server.errors import ToolMissing

# From 24 on Java has no security manager any more, which OpenSearch 2 needs.
OLDEST, NEWEST = 17, 23


def find_java(account: Account) -> Path:
    """Return the Java of JAVA_HOME, else that of the PATH.

    Raises:
        ToolMissing: there is none, or its version does not fit, or `account` may not run it.
    """
    java = locate_java()
    version = read_version(java)
    if not OLDEST <= version <= NEWEST:
        raise ToolMissing(f"{java} is Java {version}, but OpenSearch needs {OLDEST} to {NEWEST}: set JAVA_HOME.")
    if not account.can_run(java):
        raise ToolMissing(f"OpenSearch can not run as root, and other accounts can not use {java}: install it for all.")
    return java


def locate_java() -> Path:
    folder = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{folder}/bin" if folder else None)
    if found is None:
        place = f"JAVA_HOME ({folder})" if folder else "the PATH"
        raise ToolMissing(f"Java is missing: there is no `java` in {place}. Install version {OLDEST} to {NEWEST}.")
    return Path(found).resolve()


def read_version(java: Path) -> int:
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(?:1\.)?(\d+)', output)
    if match is None:
        raise ToolMissing(f"{java} does not tell its version:\n{output}")
    return int(match[1])
