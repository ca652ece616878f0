"""Put a server together from Maven artifacts, once for each version of the folder `distribution`."""

import hashlib
import logging
import shutil
import subprocess
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local.opensearch_server.errors import AssemblyFailed, ToolMissing
from infra.local.opensearch_server.lock import wait_for_lock

DISTRIBUTION = Path(__file__).parent / "distribution"
DRAFT_PREFIX = "assembling-"
LINES_OF_OUTPUT = 20

logger = logging.getLogger(__name__)


def assemble_server(home: Path) -> Path:
    """Return the folder of a complete server in `home`; it is put together there if it is missing.

    Callers at the same time are safe: one assembles, the others wait for it.

    Raises:
        ToolMissing: there is no Maven.
        AssemblyFailed: Maven could not fetch the parts.
    """
    server = home / f"server-{fingerprint()}"
    if not server.is_dir():
        with wait_for_lock(home / "assembly.lock"):
            remove_drafts(home)
            if not server.is_dir():
                build(server)
    return server


def fingerprint() -> str:
    """Return a name for what would be assembled now: it changes with `distribution` and with this module."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(path for path in DISTRIBUTION.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(DISTRIBUTION)).encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def remove_drafts(home: Path) -> None:
    for draft in home.glob(f"{DRAFT_PREFIX}*"):
        shutil.rmtree(draft)


def build(server: Path) -> None:
    maven = find_maven()
    logger.info("Assembling OpenSearch in %s (once; fetches about 60 MB)", server)
    with TemporaryDirectory(prefix=DRAFT_PREFIX, dir=server.parent) as folder:
        draft = Path(folder) / "server"
        shutil.copytree(DISTRIBUTION, draft)
        fetch_parts(draft, maven)
        unpack_plugins(draft)
        drop_repeated_jars(draft)
        (draft / "bin").mkdir()  # empty, but the server wants to see it
        let_everybody_read(draft)
        draft.rename(server)  # a folder of this name is complete, always


def fetch_parts(draft: Path, maven: str) -> None:
    """Let Maven put the jars of every pom.xml in its place."""
    options = ["--batch-mode", "--quiet", "-Dstyle.color=never", "--file", str(draft / "pom.xml")]
    result = subprocess.run(
        [maven, *options, "dependency:copy-dependencies"], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        output = "\n".join((result.stdout + result.stderr).splitlines()[-LINES_OF_OUTPUT:])
        raise AssemblyFailed(f"Maven could not fetch the parts of OpenSearch:\n{output}")


def find_maven() -> str:
    maven = shutil.which("mvn")
    if maven is None:
        raise ToolMissing("Maven is missing: install it so that `mvn` is on the PATH (it fetches OpenSearch).")
    return maven


def unpack_plugins(draft: Path) -> None:
    for path in draft.glob("plugins/*/*.zip"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(path.parent)
        path.unlink()


def drop_repeated_jars(draft: Path) -> None:
    """A module must not bring a jar that `lib` has already: the server takes it for an error."""
    for jar in draft.glob("modules/*/*.jar"):
        if (draft / "lib" / jar.name).exists():
            jar.unlink()


def let_everybody_read(draft: Path) -> None:
    for path in [draft, *draft.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
