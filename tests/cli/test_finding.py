"""Which files are meant, and what their documents are called."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from knowledge_base_cli.errors import WrongUse
from knowledge_base_cli.finding import Found, find_files


def grow(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path, encoding="utf-8")
    return folder


def names(found: Found) -> list[str]:
    return [file.name for file in found.files]


def test_a_folder_is_searched_to_its_depths_and_files_are_named_by_their_path_in_it(tmp_path: Path) -> None:
    grow(tmp_path, "b.txt", "sub dir/deeper/a.pdf", "sub dir/文档.docx")

    assert names(find_files([str(tmp_path)])) == ["b.txt", "sub dir/deeper/a.pdf", "sub dir/文档.docx"]


def test_a_file_given_by_itself_is_named_by_its_last_part(tmp_path: Path) -> None:
    grow(tmp_path, "some where/report (final).pdf")

    assert names(find_files([str(tmp_path / "some where" / "report (final).pdf")])) == ["report (final).pdf"]


def test_the_same_folder_gives_the_same_names_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "docs/x/a.txt")
    monkeypatch.chdir(tmp_path / "docs")
    ways = [".", "../docs", str(tmp_path / "docs"), "../docs/"]

    assert [names(find_files([way])) for way in ways] == [["x/a.txt"]] * 4


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/*.pdf", ["a.pdf"]),
        ("docs/**/*.pdf", ["a.pdf", "sub/b.pdf", "sub/deep/c.pdf"]),
        ("docs/s?b/*.pdf", ["sub/b.pdf"]),
        ("docs/[as]*/*.txt", ["sub/d.txt"]),
        ("docs/**", ["a.pdf", "sub/b.pdf", "sub/d.txt", "sub/deep/c.pdf"]),
        ("*/sub/b.pdf", ["docs/sub/b.pdf"]),
    ],
)
def test_a_pattern_names_files_below_its_fixed_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, expected: list[str]
) -> None:
    grow(tmp_path, "docs/a.pdf", "docs/sub/b.pdf", "docs/sub/deep/c.pdf", "docs/sub/d.txt")
    monkeypatch.chdir(tmp_path)

    assert names(find_files([pattern])) == expected


def test_a_name_that_looks_like_a_pattern_is_a_name_if_there_is_such_a_file(tmp_path: Path) -> None:
    grow(tmp_path, "report[1].pdf", "report1.pdf")

    assert names(find_files([str(tmp_path / "report[1].pdf")])) == ["report[1].pdf"]


def test_hidden_files_and_folders_are_left_out_unless_given_by_themselves(tmp_path: Path) -> None:
    grow(tmp_path, ".secret", ".git/config", "seen.txt")

    assert names(find_files([str(tmp_path)])) == ["seen.txt"]
    assert names(find_files([str(tmp_path / "**" / "*")])) == ["seen.txt"]
    assert names(find_files([str(tmp_path / ".secret")])) == [".secret"]
    assert names(find_files([str(tmp_path / ".git")])) == ["config"]


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        (["*.log"], ["a.txt", "drafts/b.txt", "old/drafts/d.txt"]),
        (["drafts/"], ["a.txt", "c.log", "old/e.log"]),
        (["/drafts"], ["a.txt", "c.log", "old/drafts/d.txt", "old/e.log"]),
        (["*.log", "!c.log"], ["a.txt", "c.log", "drafts/b.txt", "old/drafts/d.txt"]),
        (["old", "drafts"], ["a.txt", "c.log"]),
    ],
)
def test_what_matches_an_exclusion_is_left_out_as_git_would(
    tmp_path: Path, exclude: list[str], left: list[str]
) -> None:
    grow(tmp_path, "a.txt", "c.log", "drafts/b.txt", "old/drafts/d.txt", "old/e.log")

    assert names(find_files([str(tmp_path)], exclude=exclude)) == left


def test_an_exclusion_also_concerns_a_file_given_by_itself(tmp_path: Path) -> None:
    grow(tmp_path, "a.log")

    assert names(find_files([str(tmp_path / "a.log")], exclude=["*.log"])) == []


def test_links_in_a_circle_end_and_each_file_comes_once(tmp_path: Path) -> None:
    grow(tmp_path, "real/a.txt", "real/sub/b.txt")
    (tmp_path / "real" / "sub" / "up").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "self").symlink_to(".")
    (tmp_path / "a link before it").symlink_to("real")

    assert names(find_files([str(tmp_path)])) == ["real/a.txt", "real/sub/b.txt"]


def test_a_link_to_what_lies_around_the_folder_is_not_followed(tmp_path: Path) -> None:
    grow(tmp_path, "around.txt", "given/a.txt")
    (tmp_path / "given" / "up").symlink_to("..")

    assert names(find_files([str(tmp_path / "given")])) == ["a.txt"]


def test_links_to_files_and_to_folders_elsewhere_are_followed(tmp_path: Path) -> None:
    grow(tmp_path, "elsewhere/a.txt", "given/b.txt")
    (tmp_path / "given" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "given" / "latest.txt").symlink_to("b.txt")

    assert names(find_files([str(tmp_path / "given")])) == ["b.txt", "latest.txt", "linked/a.txt"]


def test_what_is_no_file_is_passed_over_and_said(tmp_path: Path) -> None:
    grow(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket"))
        (tmp_path / "broken").symlink_to("nowhere")

        found = find_files([str(tmp_path)])

    assert names(found) == ["a.txt"]
    assert {path.name: reason for path, reason in found.passed_over} == {
        "pipe": "it is no regular file",
        "socket": "it is no regular file",
        "broken": "the link leads nowhere",
    }


def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "a.txt", "locked/b.txt")
    scan = os.scandir

    def refuse(folder: Path) -> object:
        if folder.name == "locked":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)

    found = find_files([str(tmp_path)])

    assert names(found) == ["a.txt"]
    assert [reason for _, reason in found.unreadable] == ["the folder cannot be read: Permission denied"]


def test_a_file_that_is_given_twice_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(tmp_path, "docs/a.txt")
    monkeypatch.chdir(tmp_path)

    assert names(find_files(["docs", "docs/a.txt", "./docs/../docs/a.txt", str(tmp_path / "docs")])) == ["a.txt"]


def test_two_files_of_one_name_are_wrong_use_and_the_way_out_is_told(tmp_path: Path) -> None:
    grow(tmp_path, "x/readme.md", "y/readme.md")
    given = [str(tmp_path / "x"), str(tmp_path / "y" / "readme.md")]

    with pytest.raises(WrongUse, match="--relative-to"):
        find_files(given)

    assert names(find_files(given, relative_to=tmp_path)) == ["x/readme.md", "y/readme.md"]


def test_names_relative_to_a_folder_that_does_not_hold_the_file_are_wrong_use(tmp_path: Path) -> None:
    grow(tmp_path, "x/a.txt", "y/b.txt")

    with pytest.raises(WrongUse, match="is not below"):
        find_files([str(tmp_path / "x")], relative_to=tmp_path / "y")


def test_a_decomposed_name_and_a_composed_one_are_the_same_document(tmp_path: Path) -> None:
    grow(tmp_path, "Gebu\u0308hren.txt")

    assert names(find_files([str(tmp_path)])) == ["Geb\u00fchren.txt"]


def test_a_name_that_is_no_unicode_is_still_a_name(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/\xd6\xd0\xce\xc4.txt"
    try:
        with open(raw, "wb") as file:  # noqa: PTH123  # a path of bytes
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes no such name")

    found = find_files([str(tmp_path)])

    assert names(found)[0].endswith(".txt")
    assert names(found)[0].encode("utf-8")
    assert found.files[0].path.read_bytes() == b"x"


@pytest.mark.parametrize("given", ["nowhere.txt", "nowhere/*.txt", "x" * 300])
def test_what_is_not_there_is_wrong_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(WrongUse):
        find_files([given])


def test_a_pipe_given_by_itself_is_wrong_use_instead_of_a_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(WrongUse, match="neither a file nor a folder"):
        find_files([str(tmp_path / "pipe")])
