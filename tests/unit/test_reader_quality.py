"""The measures by which the benchmark of readers calls two of them equally good."""

from __future__ import annotations

from tests.bench.reader_quality import against_each_other, against_known, share_in_order, words


def test_words_are_runs_of_letters_and_single_ideographs() -> None:
    assert words("Heat\u00adpump №7, ＡＢ 热泵 über_all") == ["Heatpump", "No7", "AB", "热", "泵", "über", "all"]


def test_text_read_in_order_counts_whole_whatever_else_there_is() -> None:
    assert share_in_order(words("a b c d"), words("x a b y c z d")) == 1


def test_columns_that_interleave_lose_what_is_out_of_order() -> None:
    known = [f"l{n}" for n in range(50)] + [f"r{n}" for n in range(50)]
    interleaved = [word for pair in zip(known[:50], known[50:], strict=True) for word in pair]
    assert share_in_order(known, interleaved) == 0.51


def test_words_that_come_twice_count_as_often_as_they_are_known() -> None:
    assert share_in_order(words("a a b"), words("a b b")) == 2 / 3


def test_a_file_without_text_counts_as_failed_and_lowers_the_share() -> None:
    quality = against_known({"1": "a b", "2": None}, {"1": "a b", "2": "c d"}, {})
    assert (quality.share, quality.failed) == (0.5, 1)


def test_decoration_that_comes_along_is_noise() -> None:
    quality = against_known({"1": "imprint a b"}, {"1": "a b"}, {"1": "imprint logout"})
    assert (quality.share, quality.noise) == (1, 0.5)


def test_unknown_files_are_judged_by_what_two_readers_agree_upon() -> None:
    texts = {"x": {"1": "a b c"}, "y": {"1": "a b d"}, "z": {"1": "a"}}
    found = against_each_other(texts, ["1"], twins=())
    assert [found[reader].share for reader in "xyz"] == [1, 1, 0.5]


def test_a_twin_does_not_make_a_word_agreed_upon() -> None:
    texts = {"ours": {"1": "a garbled"}, "ours again": {"1": "a garbled"}, "other": {"1": "a b"}}
    found = against_each_other(texts, ["1"], twins=("ours again",))
    assert found["other"].share == 1


def test_replacement_characters_are_counted() -> None:
    assert against_known({"1": "a \ufffd\ufffd"}, {"1": "a"}, {}).broken == 2


def test_an_unknown_file_that_nobody_reads_is_no_failure() -> None:
    texts = {reader: {"scan": None, "text": "a b"} for reader in "xy"}
    assert against_each_other(texts, ["scan", "text"], twins=())["x"].failed == 0


def test_a_reader_that_makes_parted_words_whole_loses_nothing_by_it() -> None:
    texts = {"x": {"1": "a hyphe-\nnated word"}, "y": {"1": "a hyphe-\nnated word"}, "z": {"1": "a hyphenated word"}}
    assert against_each_other(texts, ["1"], twins=())["z"].share == 1
