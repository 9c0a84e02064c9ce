"""Reports for programs: the keys of a row and their order are part of the interface."""

import json
from pathlib import Path

import pytest

from gekko.messages import Message
from gekko.plan.rehearsal import Rehearsal
from gekko.report.rows import json_rows, rehearsal_row, result_row
from gekko.run.events import CaseResult, Reason


def test_a_passed_case_has_no_message() -> None:
    result = CaseResult("git/review", "a", Path("a.toml"), True, 12, 1, 0, 1)

    assert list(result_row(result).items()) == [
        ("command", "git/review"),
        ("case", "a"),
        ("result", "pass"),
        ("duration_ms", 12),
        ("runs", 1),
        ("distinct_outputs", 1),
    ]


def test_a_failed_case_has_its_reasons_as_the_message() -> None:
    reasons = (Reason("first", "min"), Reason("second"))
    result = CaseResult("git/review", "a", Path("a.toml"), False, 12, 3, 2, 1, reasons)

    row = result_row(result)

    assert (row["result"], row["message"]) == ("fail", "2 of 3 runs failed\nfirst\nsecond")
    assert list(row)[-1] == "message"


@pytest.mark.parametrize(("file", "more"), [(None, {}), ("memo.wav", {"file": "memo.wav"})])
def test_a_rehearsal_names_its_file_where_it_has_one(file: str | None, more: dict[str, str]) -> None:
    row = rehearsal_row(Rehearsal("hear", "memo", "ears", (Message("user", "x"),), file))

    assert row == {
        "command": "hear",
        "case": "memo",
        "model": "ears",
        "messages": [{"role": "user", "content": "x"}],
        **more,
    }


@pytest.mark.parametrize("rows", [[], [{"a": 1}], [{"a": "größer\n"}, {"a": None}]])
def test_rows_are_one_json_text_that_ends_with_a_line_feed(rows: list[dict[str, object]]) -> None:
    text = json_rows(rows)

    assert json.loads(text) == rows
    assert text.endswith("]\n")
    assert "\\u" not in text
