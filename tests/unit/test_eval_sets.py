"""Question sets: what is read, what is refused, and what the project's own keep to."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.eval.gates import SETS, read_gates
from tests.eval.question_sets import HALVES, Passage, Query, QuestionSet, read_set

HEADING = "query-id\tcorpus-id\tscore\n"
OWN = sorted(path.name for path in SETS.iterdir() if path.is_dir())


def write_set(folder: Path, **files: str) -> Path:
    """Write a set of two passages and two questions, with some of its files replaced."""
    sound = {
        "corpus": '{"id": "p1", "title": "Pumps", "text": "Seven bar."}\n{"id": "p2", "text": "Nine bar."}\n',
        "queries": '{"id": "q1", "text": "How much?", "answers": ["Seven"], "kind": "word"}\n'
        '\n{"id": "q2", "text": "And then?"}\n',
        "qrels": f"{HEADING}q1\tp1\t2\nq1\tp2\t1\nq2\tp2\t1\n",
        "queries_unanswerable": '{"id": "u1", "text": "Who?", "kind": "near"}\n',
    }
    for name, text in {**sound, **files}.items():
        (folder / f"{name}.{'tsv' if name == 'qrels' else 'jsonl'}").write_text(text, encoding="utf-8")
    return folder


def test_a_set_is_read_with_its_judgements(tmp_path: Path) -> None:
    questions = read_set(write_set(tmp_path))

    assert questions.name == tmp_path.name
    assert questions.passages == (Passage("p1", "Pumps", "Seven bar."), Passage("p2", "", "Nine bar."))
    assert questions.queries == (
        Query("q1", "How much?", ("Seven",), {"p1": 2.0, "p2": 1.0}, "word"),
        Query("q2", "And then?", (), {"p2": 1.0}),
    )
    assert questions.unanswerable == (Query("u1", "Who?", (), {}, "near"),)


def test_a_set_need_not_have_questions_without_an_answer(tmp_path: Path) -> None:
    (write_set(tmp_path) / "queries_unanswerable.jsonl").unlink()
    assert read_set(tmp_path).unanswerable == ()


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write_set(tmp_path) / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        read_set(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("corpus", '{"id": "p1", "text": "Seven"}\n{"id": "p2", "text": \n', r"corpus\.jsonl line 2 is not JSON"),
        ("corpus", '["p1"]\n', r"corpus\.jsonl line 1 is not a JSON object"),
        ("corpus", '{"text": "Seven"}\n', r"corpus\.jsonl line 1 has no 'id'"),
        ("corpus", '{"id": 7, "text": "Seven"}\n', r"corpus\.jsonl line 1 has no 'id'"),
        ("corpus", '{"id": "p1", "text": " "}\n', r"corpus\.jsonl line 1 has no 'text'"),
        ("corpus", '{"id": "p1", "text": "a"}\n{"id": "p1", "text": "b"}\n', r"line 2: the id 'p1' was there before"),
        ("queries", '{"id": "q1"}\n', r"queries\.jsonl line 1 has no 'text'"),
        ("queries", "", r"names questions that are not in queries\.jsonl: q1, q2"),
        ("queries", '{"id": "q1", "text": "How?"}\n', r"names questions that are not in queries\.jsonl: q2"),
        ("queries_unanswerable", "nothing\n", r"queries_unanswerable\.jsonl line 1 is not JSON"),
        ("qrels", "", "must begin with the heading"),
        ("qrels", "q1\tp1\t1\nq2\tp2\t1\n", "must begin with the heading"),
        ("qrels", f"{HEADING}q1 p1 1\n", r"qrels\.tsv line 2 is not a question, a passage and a number"),
        ("qrels", f"{HEADING}q1\tp1\thigh\n", r"qrels\.tsv line 2 is not a question, a passage and a number"),
        ("qrels", f"{HEADING}q1\tp1\t1\nq2\tp9\t1\n", r"qrels\.tsv line 3: corpus\.jsonl has no passage 'p9'"),
        ("qrels", f"{HEADING}q1\tp1\t1\n", "names no relevant passage for the question 'q2'"),
        ("qrels", f"{HEADING}q1\tp1\t1\nq2\tp1\t0\n", "names no relevant passage for the question 'q2'"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_set(write_set(tmp_path, **{name: text}))


def test_a_set_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is empty"):
        read_set(write_set(tmp_path, queries="", qrels=HEADING))


def numbered(queries: int, unanswerable: int) -> QuestionSet:
    return QuestionSet(
        "set",
        (Passage("p", "", "text"),),
        tuple(Query(f"q{number}", "?", (), {"p": 1.0}) for number in range(queries)),
        tuple(Query(f"u{number}", "?", (), {}) for number in range(unanswerable)),
    )


@pytest.mark.parametrize("size", [1, 4, 5])
def test_the_halves_hold_every_question_once_over_all_passages(size: int) -> None:
    whole = numbered(size, size)
    a, b = (whole.half(which) for which in HALVES)

    assert sorted([*a.queries, *b.queries], key=whole.queries.index) == list(whole.queries)
    assert sorted([*a.unanswerable, *b.unanswerable], key=whole.unanswerable.index) == list(whole.unanswerable)
    assert a.passages == b.passages == whole.passages
    assert len(a.queries) - len(b.queries) in (0, 1)


def test_there_is_no_third_half() -> None:
    with pytest.raises(ValueError, match="no 'c'"):
        numbered(2, 2).half("c")


def test_every_set_of_the_project_has_its_gates() -> None:
    assert sorted(read_gates()) == OWN == ["en_house", "zh_house"]


@pytest.mark.parametrize("name", OWN)
def test_a_set_of_the_project_has_the_promised_size(name: str) -> None:
    questions = read_set(SETS / name)
    assert (len(questions.passages), len(questions.queries), len(questions.unanswerable)) == (60, 50, 20)
    for passage in questions.passages:
        size, least, most = (
            (len(passage.text), 60, 250) if name.startswith("zh") else (len(passage.text.split()), 40, 110)
        )
        assert least <= size <= most, passage.passage_id


@pytest.mark.parametrize("name", OWN)
def test_no_question_of_the_project_is_asked_twice(name: str) -> None:
    questions = read_set(SETS / name)
    texts = Counter(query.text for query in (*questions.queries, *questions.unanswerable))
    assert max(texts.values()) == 1


@pytest.mark.parametrize("name", OWN)
def test_every_answer_stands_in_a_passage_that_was_judged_best(name: str) -> None:
    questions = read_set(SETS / name)
    texts = {passage.passage_id: passage.text for passage in questions.passages}
    for query in questions.queries:
        best = [texts[key] for key, score in query.judged.items() if score == max(query.judged.values())]
        assert query.answers
        assert all(any(answer in text for text in best) for answer in query.answers), query.query_id
        assert all(any(answer in text for answer in query.answers) for text in best), query.query_id


@pytest.mark.parametrize("name", OWN)
def test_both_halves_of_a_set_of_the_project_hold_every_kind(name: str) -> None:
    whole = read_set(SETS / name)
    for half in map(whole.half, HALVES):
        assert {query.kind for query in half.queries} == {query.kind for query in whole.queries}
        assert {query.kind for query in half.unanswerable} == {query.kind for query in whole.unanswerable}


@pytest.mark.parametrize("name", OWN)
def test_a_file_of_the_project_is_written_one_object_a_line_in_plain_characters(name: str) -> None:
    for path in (SETS / name).glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert line == json.dumps(json.loads(line), ensure_ascii=False)
