"""The table of a suite: aligned for every script, coloured on demand, each reason where it belongs."""

import pytest

from gekko.locations import Location
from gekko.record.entries import Miss
from gekko.record.results import CaseResult
from gekko.report.rows import Extras
from gekko.report.table import coloured, failures, plain, result_table, summary, width
from tests.report.results import misses, result


def place(result: CaseResult, key: str | None) -> Location:
    return Location(result.path, () if key is None else ("expect", key), 5 if key else 3, 1)


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    results = [
        result("a", "b"),
        result("übersetze/größe", "長い", duration_ms=85),
        result("e\u0301", "c", duration_ms=123_456),
    ]

    assert result_table(results, plain, place) == (
        "COMMAND          CASE  RESULT  DURATION\n"
        "a                b     pass        7 ms\n"
        "übersetze/größe  長い  pass       85 ms\n"
        "e\u0301                c     pass    123.46 s\n"
    )


@pytest.mark.parametrize(("text", "columns"), [("", 0), ("abc", 3), ("größe", 5), ("長い", 4), ("e\u0301", 1)])
def test_a_width_is_counted_in_columns(text: str, columns: int) -> None:
    assert width(text) == columns


def test_reasons_stand_under_their_row_with_their_place() -> None:
    reasons = (
        Miss(text="lines: expected 3, found 1\nand more", key="lines"),
        Miss(text="expected exit code 0, found 4"),
    )

    table = result_table([result(failed_runs=1, reasons=reasons), result(case="x")], plain, place)

    assert table == (
        "COMMAND     CASE      RESULT  DURATION\n"
        "git/review  hardware  fail        7 ms\n"
        "  lines: expected 3, found 1\n"
        "    and more\n"
        "    at tests/git/review/hardware.toml:5:1\n"
        "  expected exit code 0, found 4\n"
        "    at tests/git/review/hardware.toml:3:1\n"
        "git/review  x         pass        7 ms\n"
    )


def test_runs_are_counted_where_there_were_several() -> None:
    table = result_table([result(runs=3, failed_runs=2, reasons=misses("wrong"))], plain, place)

    assert "\n  2 of 3 runs failed\n  wrong\n" in table


def test_options_and_rules_bring_their_columns() -> None:
    ruled = result(runs=3, failed_runs=1, planned=5, result="pass", verdict="flaky", reasons=misses("wrong"))
    replayed = result(case="x", model="slow", duration_ms=None)

    assert result_table([ruled, replayed], plain, place, Extras(model=True, retries=True)) == (
        "COMMAND     CASE      MODEL  RESULT  PASSES  VERDICT  RETRIES  DURATION\n"
        "git/review  hardware  fast   pass       2/3  flaky          0      7 ms\n"
        "  1 of 3 runs failed\n"
        "  2 of 5 runs not needed: the verdict was certain\n"
        "  wrong\n"
        "    at tests/git/review/hardware.toml:3:1\n"
        "git/review  x         slow   pass                           0  replayed\n"
    )


def test_all_that_is_no_failure_is_counted_by_its_name() -> None:
    results = [
        result(),
        result(result="error", passes=0),
        result(result="xfail", failed_runs=1, xfail="known"),
        result(failed_runs=1),
        result(runs=3, failed_runs=1, planned=4, result="pass", verdict="flaky"),
    ]

    line = "5 cases: 2 passed, 1 failed, 1 without an answer, 1 failed as expected, 1 flaky, 1 run saved, in 2.5 s"
    assert summary(results, 2.5) == line
    assert summary(results) == line.removesuffix(", in 2.5 s")
    assert failures(results) == "1 of 5 cases failed, 1 of 5 cases got no answer"


def test_colours_do_not_disturb_the_alignment() -> None:
    table = result_table([result(), result(case="x", failed_runs=1)], coloured, place)

    assert "\x1b[32mpass  \x1b[0m" in table
    assert "\x1b[31mfail  \x1b[0m" in table
    bare = table.replace("\x1b[32m", "").replace("\x1b[31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert bare == result_table([result(), result(case="x", failed_runs=1)], plain, place)


@pytest.mark.parametrize(
    ("failed", "passed", "line", "short"),
    [
        (0, 1, "1 case: 1 passed, in 2.5 s", ""),
        (1, 2, "3 cases: 2 passed, 1 failed, in 2.5 s", "1 of 3 cases failed"),
        (2, 0, "2 cases: 0 passed, 2 failed, in 2.5 s", "2 of 2 cases failed"),
    ],
)
def test_the_whole_is_summed_up(failed: int, passed: int, line: str, short: str) -> None:
    results = [result(failed_runs=1)] * failed + [result()] * passed

    assert summary(results, 2.5) == line
    assert failures(results) == short


@pytest.mark.parametrize(
    ("duration_ms", "shown"), [(0, "0 ms"), (999, "999 ms"), (1000, "1.00 s"), (61_204, "61.20 s")]
)
def test_durations_are_readable(duration_ms: int, shown: str) -> None:
    assert result_table([result(duration_ms=duration_ms)], plain, place).endswith(f" {shown}\n")
