"""Finds the files that are to become documents, and gives each a name.

A file is named by its path below the folder, or below the fixed part of the pattern, that it was found
by; one that is given by itself by its last part. So a folder that is read in again meets the same names.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from stat import FILE_ATTRIBUTE_HIDDEN, S_ISREG

from pathspec import GitIgnoreSpec

from knowledge_base_cli.documents import SourceFile
from knowledge_base_cli.errors import WrongUse
from knowledge_base_cli.terminal import printable

_MAGIC = re.compile(r"[*?\[]")


@dataclass(slots=True)
class Found:
    """The files, in order of name; what cannot be read; and what is no file although somebody may miss it."""

    files: list[SourceFile] = field(default_factory=list)
    unreadable: list[tuple[SourceFile, str]] = field(default_factory=list)
    passed_over: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Root:
    """Where a given path leads: a folder to search, with the pattern that a file there must match."""

    folder: Path
    pattern: GitIgnoreSpec | None = None


def find_files(given: Sequence[str], *, exclude: Sequence[str] = (), relative_to: Path | None = None) -> Found:
    """Return the files that are meant by files, folders and glob patterns.

    Hidden files and folders are left out unless they are given by themselves, and so is what matches a
    pattern of `exclude` (as in a .gitignore). With `relative_to`, names are paths below that folder.

    Raises:
        WrongUse: something given is not there, two files would have one name, or a pattern is none.
    """
    excluded = _spec(exclude)
    found = Found()
    seen: set[str] = set()
    for text in given:
        for path, below in _meant(text, excluded, found):
            if (absolute := _absolute(path)) not in seen:
                seen.add(absolute)
                _add(found, path, document_name(path, relative_to) if relative_to else _clean(below))
    found.files.sort(key=lambda file: file.name)
    _check_names(found.files)
    return found


def document_name(path: Path, folder: Path) -> str:
    """Return the name of a file's document: its path below a folder, with `/` on every system.

    Raises:
        WrongUse: it is not below that folder.
    """
    try:
        return _clean(PurePath(_absolute(path)).relative_to(_absolute(folder)))
    except ValueError:
        raise WrongUse(f"{_shown(path)} is not below {_shown(folder)}, which names are to be relative to") from None


def _absolute(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100  # what pathlib has instead follows links, or leaves `..` in


def _clean(path: PurePath) -> str:
    """Return a path as a name that is the same on every system; bytes that are no UTF-8 become U+FFFD."""
    text = os.fsencode(path.as_posix()).decode("utf-8", "replace")
    return unicodedata.normalize("NFC", text)


def _add(found: Found, path: Path, name: str) -> None:
    try:
        found.files.append(SourceFile(path, name, path.stat().st_size))
    except OSError as error:
        found.unreadable.append((SourceFile(path, name, 0), f"it cannot be read: {error.strerror}"))


def _meant(text: str, excluded: GitIgnoreSpec, found: Found) -> Iterator[tuple[Path, PurePath]]:
    """Yield the files that one argument means, each with its path below where the argument points."""
    path = Path(text)
    root = _root(path)
    if root is None:
        if not excluded.match_file(path.name):
            yield path, PurePath(path.name)
        return
    for file in _walk(root.folder, excluded, found):
        below = file.relative_to(root.folder)
        if root.pattern is None or root.pattern.match_file(below.as_posix()):
            yield file, below


def _root(path: Path) -> _Root | None:
    """Return where to search, None for a path that is a file itself."""
    try:
        if path.is_file():
            return None
        if path.is_dir():
            return _Root(path)
        if path.exists():
            raise WrongUse(f"{_shown(path)} is neither a file nor a folder")
        return _searched(path)
    except OSError as error:
        raise WrongUse(f"{_shown(path)} cannot be read: {error.strerror}") from None


def _searched(pattern: Path) -> _Root:
    steps = pattern.parts
    fixed = next((at for at, step in enumerate(steps) if _MAGIC.search(step)), None)
    if fixed is None:
        raise WrongUse(f"no such file or folder: {_shown(pattern)}")
    folder = Path(*steps[:fixed])
    if not folder.is_dir():
        raise WrongUse(f"no such folder: {_shown(folder)}")
    return _Root(folder, _spec(["/" + "/".join(steps[fixed:])]))


def _walk(root: Path, excluded: GitIgnoreSpec, found: Found) -> Iterator[Path]:
    """Yield the files below a folder. Every folder is entered once, by its own path rather than by a link's."""
    entered = {str(folder) for folder in root.resolve().parents}
    folders, linked = deque([root]), deque[Path]()
    while folders or linked:
        folder = folders.popleft() if folders else linked.popleft()
        if (place := str(folder.resolve())) in entered:
            continue
        entered.add(place)
        for entry in _entries(folder, found):
            path = folder / entry.name
            is_folder = entry.is_dir()
            if _is_hidden(entry) or excluded.match_file(path.relative_to(root).as_posix() + "/" * is_folder):
                continue
            if is_folder:
                (linked if entry.is_symlink() else folders).append(path)
            elif why_not := _why_no_file(entry):
                found.passed_over.append((path, why_not))
            else:
                yield path


def _entries(folder: Path, found: Found) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        reason = f"the folder cannot be read: {error.strerror}"
        found.unreadable.append((SourceFile(folder, _clean(folder), 0), reason))
        return []


def _is_hidden(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return True
    attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
    return bool(attributes & FILE_ATTRIBUTE_HIDDEN)


def _why_no_file(entry: os.DirEntry[str]) -> str:
    try:
        return "" if S_ISREG(entry.stat().st_mode) else "it is no regular file"
    except OSError as error:
        return "the link leads nowhere" if entry.is_symlink() else f"it cannot be read: {error.strerror}"


def _spec(patterns: Iterable[str]) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise WrongUse(f"a pattern cannot be understood: {error}") from None


def _check_names(files: Sequence[SourceFile]) -> None:
    taken: dict[str, SourceFile] = {}
    for file in files:
        if other := taken.get(file.name):
            raise WrongUse(
                f"{_shown(other.path)} and {_shown(file.path)} would both be the document {printable(file.name)!r}; "
                "give a folder above both by --relative-to"
            )
        taken[file.name] = file


def _shown(path: Path) -> str:
    return printable(str(path))
