from __future__ import annotations

import json
from pathlib import Path

from infra.local.function_logs import FunctionLog, readable


def test_json_record_reads_as_level_message_and_fields() -> None:
    record = {
        "level": "WARNING",
        "location": "fetch:12",
        "message": "could not fetch",
        "timestamp": "2026-01-01 00:00:00",
        "service": "kb",
        "cold_start": False,
        "function_arn": "arn:aws:lambda:…",
        "document_id": "d1",
        "attempt": 2,
    }

    assert readable(json.dumps(record)) == "WARNING could not fetch document_id=d1 attempt=2"


def test_exception_of_a_record_keeps_its_lines() -> None:
    record = {"level": "ERROR", "message": "broke", "exception": "Traceback:\n  line", "exception_name": "ValueError"}

    assert readable(json.dumps(record)) == "ERROR broke\nTraceback:\n  line"


def test_metrics_are_left_out() -> None:
    assert readable('{"_aws": {"Timestamp": 1}, "Errors": 1}') == ""


def test_what_is_no_record_stays_as_it_is() -> None:
    assert readable("Traceback (most recent call last):  ") == "Traceback (most recent call last):"
    assert readable("{not json") == "{not json"


def test_lines_name_their_function(tmp_path: Path) -> None:
    log = FunctionLog(tmp_path / "functions.log")

    log.write("kb-api_uran", '{"level": "INFO", "message": "hello"}')
    log.write("kb-api_uran", '{"_aws": {}}')

    [line] = (tmp_path / "functions.log").read_text().splitlines()
    assert line.endswith("api_uran     INFO hello")


def test_log_is_bounded(tmp_path: Path) -> None:
    log = FunctionLog(tmp_path / "functions.log", most_bytes=10_000)

    for number in range(2_000):
        log.write("kb-parse", f"line {number}")

    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 25_000
    assert (tmp_path / "functions.log").read_text().endswith("line 1999\n")
