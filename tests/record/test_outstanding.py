"""What the last run left to be done, and what of a run before it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gekko.record.entries import CaseEntry, ErrorEntry, Invocation, RunEntry, SuiteEntry
from gekko.record.outstanding import outstanding
from gekko.record.reading import Record


def record(results: Mapping[str, str], *, runs: int = 1, xfail: str | None = None, **asked: object) -> Record:
    """Return the record of a suite: of each case what its runs came to, a letter each ("p", "f" or "e")."""
    invocation = Invocation(**asked)  # type: ignore[arg-type]
    suite = SuiteEntry(gko="1", project="p", started_ms=0, invocation=invocation, cases=len(results))
    cases = [
        CaseEntry(command="ask", case=case, model="m", file="f", definition="d", runs=runs, xfail=xfail)
        for case in results
    ]
    lines = [line(case, index, letter) for case, letters in results.items() for index, letter in enumerate(letters)]
    return Record(path=Path("r"), suite=suite, cases=tuple(cases), runs=tuple(lines))


def line(case: str, index: int, letter: str) -> RunEntry | ErrorEntry:
    if letter == "e":
        return ErrorEntry(
            command="ask", case=case, model="m", run=index, message="gone", timestamp_ms=0, duration_ms=0.0
        )
    return RunEntry(
        command="ask",
        case=case,
        model="m",
        run=index,
        result="pass" if letter == "p" else "fail",
        exit_code=0,
        request="r",
        definition="d",
        timestamp_ms=0,
        duration_ms=0.0,
    )


def left(*records: Record) -> list[str]:
    """Return the cases that are left, the newest record being the first."""
    found = outstanding(records)
    assert found is not None
    assert {(command, model) for command, _, model in found.addresses} <= {("ask", "m")}
    return sorted(case for _, case, _ in found.addresses)


def test_what_failed_got_no_answer_or_was_not_judged_is_left() -> None:
    assert left(record({"passed": "p", "failed": "f", "unanswered": "e", "never": ""})) == [
        "failed",
        "never",
        "unanswered",
    ]


def test_a_case_some_of_whose_runs_are_missing_is_left() -> None:
    assert left(record({"whole": "pp", "part": "p"}, runs=2)) == ["part"]


def test_a_case_that_fails_as_expected_is_not_left() -> None:
    assert left(record({"fails": "f", "passes": "p"}, xfail="known")) == ["passes"]


def test_what_was_made_of_a_flaky_case_counts() -> None:
    assert left(record({"flaky": "pf"}, runs=2, fail_on_flaky=True)) == ["flaky"]


def test_nothing_is_left_of_a_run_where_all_passed() -> None:
    assert left(record({"a": "p"}), record({"a": "f"})) == []


def test_a_run_of_what_was_left_goes_on_with_the_one_before() -> None:
    whole = record({"a": "f", "b": "f", "c": "f", "d": "p"})
    first = record({"a": "p", "b": "f"}, failed=True)
    second = record({"b": "p"}, failed=True)
    older = record({"d": "f", "z": "f"})

    assert left(first, whole, older) == ["b", "c"]
    assert left(second, first, whole, older) == ["c"]


@pytest.mark.parametrize("models", [(), ("m",), ("m", "n")])
def test_the_models_that_were_asked_for_are_told(models: tuple[str, ...]) -> None:
    found = outstanding([record({"a": "f"}, models=models)])

    assert found is not None
    assert found.models == models


def test_without_any_run_there_is_nothing_to_tell() -> None:
    assert outstanding([]) is None
