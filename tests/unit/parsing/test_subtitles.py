"""Subtitles: what is said, each thing as often as it is said."""

from __future__ import annotations

from knowledge_base.adapters.parsing.library import LibraryDocumentParser

parser = LibraryDocumentParser()


def read(text: str, name: str = "a.srt") -> str:
    return parser.parse(text.encode(), name=name).text


def test_what_is_said_comes_in_paragraphs_that_begin_with_their_time() -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\nThe pump\n\n2\n00:00:02,100 --> 00:00:03,000\n<i>starts</i> at forty.\n\n"
        "3\n01:02:03,000 --> 01:02:04,000\nIt stops.\n"
    )
    assert read(text) == "[00:00:01] The pump starts at forty.\n\n[01:02:03] It stops."


def test_lines_that_roll_from_cue_to_cue_are_shown_once() -> None:
    text = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nthe pump\n\n00:02.000 --> 00:03.000\nthe pump\nstarts now\n\n"
        "00:03.000 --> 00:04.000\nstarts now\n"
    )
    assert read(text, "a.vtt") == "[00:00:01] the pump starts now"


def test_what_is_said_twice_is_shown_twice() -> None:
    text = "1\n00:00:01,000 --> 00:00:01,500\nNo.\n\n2\n00:00:02,000 --> 00:00:02,500\nNo.\n"
    assert read(text) == "[00:00:01] No. No."
