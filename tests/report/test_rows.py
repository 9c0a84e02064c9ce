"""Reports for programs: the keys of a row and their order are part of the interface."""

import json
from typing import Any

import pytest

from gekko.messages import Message
from gekko.plan.rehearsal import Rehearsal
from gekko.record.entries import Miss
from gekko.report.rows import Extras, json_rows, rehearsal_row, result_row
from tests.report.results import misses, result


def test_a_passed_case_has_no_message() -> None:
    assert list(result_row(result(case="a", duration_ms=12)).items()) == [
        ("command", "git/review"),
        ("case", "a"),
        ("result", "pass"),
        ("duration_ms", 12),
        ("runs", 1),
        ("distinct_outputs", 1),
    ]


def test_a_failed_case_has_its_reasons_as_the_message() -> None:
    reasons = (Miss(text="first", key="min"), Miss(text="second"))

    row = result_row(result(runs=3, failed_runs=2, reasons=reasons))

    assert (row["result"], row["message"]) == ("fail", "2 of 3 runs failed\nfirst\nsecond")
    assert list(row)[-1] == "message"


def test_an_option_asks_for_more_keys() -> None:
    row = result_row(result(retries=2), Extras(model=True, retries=True))

    assert list(row) == ["command", "case", "model", "result", "duration_ms", "runs", "distinct_outputs", "retries"]
    assert (row["model"], row["retries"]) == ("fast", 2)


def test_a_replayed_case_says_so_and_has_no_duration() -> None:
    row = result_row(result(duration_ms=None))

    assert list(row) == ["command", "case", "result", "replayed", "runs", "distinct_outputs"]
    assert row["replayed"] is True


def test_a_rule_adds_its_verdict_and_what_it_saved() -> None:
    row = result_row(result(runs=3, failed_runs=1, planned=5, result="pass", verdict="flaky", reasons=misses("wrong")))

    assert list(row)[4:] == ["runs", "distinct_outputs", "passes", "verdict", "saved_runs", "message"]
    assert (row["passes"], row["verdict"], row["saved_runs"]) == (2, "flaky", 2)
    assert row["message"] == "1 of 3 runs failed\nwrong"


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"result": "xfail", "failed_runs": 1, "xfail": "it cannot count"}, "failed, as is expected: it cannot count"),
        ({"result": "fail", "xfail": "it cannot count"}, "passed, though it is expected to fail: it cannot count"),
        ({"result": "error", "passes": 0, "reasons": misses("no connection")}, "no connection"),
    ],
)
def test_a_row_that_is_no_plain_pass_says_why(facts: dict[str, Any], message: str) -> None:
    row = result_row(result(**facts))

    assert (row["result"], row["message"]) == (facts["result"], message)


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
