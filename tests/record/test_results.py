"""Verdicts: what the runs of a case come to, by the rule that the case says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.record.entries import CaseEntry, ErrorEntry, Miss, RunEntry
from gekko.record.results import CaseResult, Tally

ADDRESS: dict[str, Any] = {"command": "git/review", "case": "hardware", "model": "fast"}


def case(runs: int = 1, **more: Any) -> CaseEntry:
    return CaseEntry(**ADDRESS, file="a.toml", definition="d", runs=runs, **more)


def run(index: int, *, passes: bool, **more: Any) -> RunEntry:
    facts: dict[str, Any] = {
        "exit_code": 0,
        "request": "r",
        "definition": "d",
        "output_digest": f"{index % 2}",
        "timestamp_ms": 0,
        "duration_ms": 10.4,
        "mismatches": () if passes else (Miss(text="wrong", key="min"),),
    }
    return RunEntry(**ADDRESS, run=index, result="pass" if passes else "fail", **{**facts, **more})


def error(index: int = 0) -> ErrorEntry:
    return ErrorEntry(**ADDRESS, run=index, message="no connection", timestamp_ms=0, duration_ms=1.0, retries=2)


def judged(entry: CaseEntry, outcomes: str, *, fails_on_flaky: bool = False) -> CaseResult:
    """Return the result of runs that pass (`.`), fail (`F`) or get no answer (`E`), as far as they are needed."""
    tally = Tally(entry, fails_on_flaky)
    for index, outcome in enumerate(outcomes):
        tally.add(error(index) if outcome == "E" else run(index, passes=outcome == "."))
        if tally.is_settled:
            break
    return tally.result()


@pytest.mark.parametrize(
    ("outcomes", "result", "runs"), [("...", "pass", 3), (".F.", "fail", 3), ("F..", "fail", 3), (".E.", "error", 2)]
)
def test_without_a_rule_every_run_must_pass_and_all_are_run(outcomes: str, result: str, runs: int) -> None:
    found = judged(case(3), outcomes)

    assert (found.result, found.runs, found.verdict, found.saved_runs) == (result, runs, None, 0)


def test_an_answer_of_the_fallback_says_nothing_of_a_model_that_is_known_to_fail() -> None:
    tally = Tally(case(xfail="too small"))
    tally.add(run(0, passes=False, model_answered="slow", first_failure="no connection"))

    found = tally.result()

    assert (found.result, found.is_good) == ("error", False)
    assert "no connection" in found.message


@pytest.mark.parametrize(
    ("outcomes", "result", "verdict", "runs", "saved"),
    [
        (".....", "pass", "pass", 5, 0),  # the fifth could still have made it flaky
        ("...F.", "pass", "flaky", 4, 1),
        ("F...F", "pass", "flaky", 4, 1),
        (".F.F.", "pass", "flaky", 5, 0),
        ("FFF..", "fail", "fail", 3, 2),
        ("F.F.F", "fail", "fail", 5, 0),
    ],
)
def test_a_rule_decides_as_soon_as_the_verdict_is_certain(
    outcomes: str, result: str, verdict: str, runs: int, saved: int
) -> None:
    found = judged(case(5, needed=3), outcomes)

    assert (found.result, found.verdict, found.runs, found.saved_runs) == (result, verdict, runs, saved)


@given(st.text(".F", min_size=1, max_size=12), st.integers(1, 12), st.booleans())
def test_stopping_early_changes_no_verdict(outcomes: str, needed: int, fails_on_flaky: bool) -> None:
    entry = case(len(outcomes), needed=min(needed, len(outcomes)))
    whole = Tally(entry)
    for index, each in enumerate(outcomes):
        whole.add(run(index, passes=each == "."))

    early = judged(entry, outcomes)

    assert early.verdict == whole.verdict
    assert early.passes + early.failed_runs == early.runs <= whole.runs


def test_a_flaky_case_fails_where_that_is_asked_for() -> None:
    assert judged(case(3, needed=1), "F..", fails_on_flaky=True).result == "fail"
    assert judged(case(3, needed=1), "...", fails_on_flaky=True).result == "pass"


def test_a_known_failure_that_fails_is_expected_and_one_that_passes_fails() -> None:
    assert judged(case(xfail="it cannot count"), "F").result == "xfail"
    unexpected = judged(case(xfail="it cannot count"), ".")
    assert unexpected.result == "fail"
    assert "it cannot count" in unexpected.message


def test_a_known_failure_without_an_answer_is_an_error() -> None:
    found = judged(case(xfail="it cannot count"), "E")

    assert (found.result, found.message, found.passes) == ("error", "no connection", 0)


def test_all_runs_are_summed_up() -> None:
    found = judged(case(3), ".FF")

    assert (found.duration_ms, found.passes, found.failed_runs, found.distinct_outputs) == (31, 1, 2, 2)
    assert found.message == "2 of 3 runs failed\nwrong"


def test_retries_are_counted_of_runs_with_and_without_an_answer() -> None:
    tally = Tally(case(2))
    tally.add(run(0, passes=True, retries=1))
    tally.add(error(1))

    assert tally.result().retries == 3


def test_a_case_of_which_one_run_was_replayed_has_no_duration() -> None:
    tally = Tally(case(2))
    tally.add(run(0, passes=True))
    tally.add(run(1, passes=True, replayed=True))

    assert tally.result().duration_ms is None


def test_a_case_that_never_ran_is_an_error_and_no_pass() -> None:
    assert Tally(case()).result().result == "error"
