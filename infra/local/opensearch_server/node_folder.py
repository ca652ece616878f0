"""The folder that the server writes to: settings, indices, logs and temporary files of one node."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.local.opensearch_server.account import Account, make_enterable_folder
from infra.local.opensearch_server.errors import DataInUse
from infra.local.opensearch_server.lock import take_lock


@contextmanager
def open_node_folder(data: Path, config: Path, account: Account) -> Iterator[Path]:
    """Yield the node's folder in `data`, owned by `account`: indices as the last server left them, the rest new.

    Raises:
        DataInUse: another server runs on `data`.
    """
    refusal = DataInUse(f"Another OpenSearch runs on the folder {data}.")
    with take_lock(data / "node.lock", refusal), place_in_reach(data / "node", account) as node:
        renew_all_but_indices(node, config)
        account.own(node)
        yield node


@contextmanager
def place_in_reach(node: Path, account: Account) -> Iterator[Path]:
    """Move `node`, for the length of the block, to where `account` can reach it, if it can not.

    A link is left in its place, so that a run that is killed loses nothing.
    """
    if account.can_enter(node.parent):
        yield node
        return
    stand_in = move_away(node)
    try:
        yield stand_in
    finally:
        node.unlink(missing_ok=True)
        shutil.move(stand_in, node)


def move_away(node: Path) -> Path:
    if node.is_symlink():  # the last run was killed
        return node.resolve()
    stand_in = make_enterable_folder("node-")
    if node.exists():
        stand_in.rmdir()
        shutil.move(node, stand_in)
    node.symlink_to(stand_in)
    return stand_in


def renew_all_but_indices(node: Path, config: Path) -> None:
    for folder in (node / "config", node / "logs", node / "tmp"):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
    shutil.copytree(config, node / "config", dirs_exist_ok=True)
    (node / "indices").mkdir(exist_ok=True)
