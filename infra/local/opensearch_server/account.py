"""The account that the server runs as. OpenSearch refuses to run as root."""

import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from infra.local.opensearch_server.errors import AccountMissing

ROOT = 0
STAND_IN_NAME = "nobody"
# Always readable for everybody, unlike a home folder, and writable for root alone, unlike a temporary folder.
ROOT_CACHE = Path("/var/cache/local-opensearch")


@dataclass(frozen=True)
class Account:
    """A user and a group of this machine; `None` for both stands for whoever runs this program."""

    uid: int | None = None
    gid: int | None = None

    @property
    def is_other(self) -> bool:
        return self.uid is not None

    @property
    def groups(self) -> list[int] | None:
        return [] if self.is_other else None

    def can_enter(self, folder: Path) -> bool:
        """Tell whether the account may read `folder` and pass all folders above it."""
        return not self.is_other or (self._may("-r", folder) and self._may("-x", folder))

    def can_run(self, program: Path) -> bool:
        return not self.is_other or self._may("-x", program)

    def own(self, folder: Path) -> None:
        """Give `folder` with all that is in it to the account."""
        if self.uid is not None and self.gid is not None:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def _may(self, mode: str, path: Path) -> bool:
        test = [shutil.which("test") or "/usr/bin/test", mode, str(path.absolute())]
        result = subprocess.run(test, user=self.uid, group=self.gid, extra_groups=self.groups, check=False)
        return result.returncode == 0


def find_server_account() -> Account:
    """Return the caller's own account, or an unprivileged one if the caller is root.

    Raises:
        AccountMissing: the caller is root, and the machine has no unprivileged account.
    """
    if os.geteuid() != ROOT:
        return Account()
    try:
        entry = pwd.getpwnam(STAND_IN_NAME)
    except KeyError:
        raise AccountMissing(f"OpenSearch refuses to run as root, and there is no user '{STAND_IN_NAME}'.") from None
    return Account(entry.pw_uid, entry.pw_gid)


def choose_home(wished: Path, account: Account) -> Path:
    """Return `wished`, or a folder of root's cache that stands in for it if `account` can not enter it."""
    wished.mkdir(parents=True, exist_ok=True)
    if account.can_enter(wished):
        return wished.resolve()
    return open_root_cache()


def make_enterable_folder(prefix: str) -> Path:
    """Make a new folder that every account can reach; for root only."""
    return Path(tempfile.mkdtemp(prefix=prefix, dir=open_root_cache()))


def open_root_cache() -> Path:
    ROOT_CACHE.mkdir(parents=True, exist_ok=True)
    ROOT_CACHE.chmod(0o755)
    return ROOT_CACHE
