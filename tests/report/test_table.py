"""The table of a suite: aligned for every script, coloured on demand, each reason where it belongs."""

from pathlib import Path

import pytest

from gekko.locations import Location
from gekko.report.table import coloured, failures, plain, result_table, summary, width
from gekko.run.events import CaseResult, Reason


def result(
    command: str = "git/review",
    case: str = "hardware",
    duration_ms: int = 7,
    runs: int = 1,
    failed_runs: int = 0,
    reasons: tuple[Reason, ...] = (),
) -> CaseResult:
    path = Path("tests") / command / f"{case}.toml"
    return CaseResult(command, case, path, failed_runs == 0, duration_ms, runs, failed_runs, 1, reasons)


def place(result: CaseResult, key: str | None) -> Location:
    return Location(result.path, () if key is None else ("expect", key), 5 if key else 3, 1)


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    results = [result("a", "b"), result("übersetze/größe", "長い", 85), result("e\u0301", "c", 123_456)]

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
    reasons = (Reason("lines: expected 3, found 1\nand more", "lines"), Reason("expected exit code 0, found 4"))

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
    table = result_table([result(runs=3, failed_runs=2, reasons=(Reason("wrong", "min"),))], plain, place)

    assert "\n  2 of 3 runs failed\n  wrong\n" in table


def test_colours_do_not_disturb_the_alignment() -> None:
    table = result_table([result(), result(case="x", failed_runs=1)], coloured, place)

    assert "\x1b[32mpass  \x1b[0m" in table
    assert "\x1b[31mfail  \x1b[0m" in table
    bare = table.replace("\x1b[32m", "").replace("\x1b[31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert bare == result_table([result(), result(case="x", failed_runs=1)], plain, place)


@pytest.mark.parametrize(
    ("failed", "passed", "line", "short"),
    [
        (0, 1, "1 case: 1 passed, in 2.5 s", "0 of 1 case failed"),
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
