"""What a suite came to on each model: verdicts counted, the median duration, and tokens where they are known."""

from typing import Any

import pytest

from gekko.record.entries import ErrorEntry, RunEntry
from gekko.report.by_model import ByModel
from gekko.report.table import coloured, plain
from tests.report.results import result


def run(model: str = "fast", **facts: Any) -> RunEntry:
    """Return a run of 7 ms on a model, of 10 + 3 tokens, but for *facts*."""
    known: dict[str, Any] = {"duration_ms": 7.0, "prompt_tokens": 10, "completion_tokens": 3}
    return RunEntry(
        command="git/review",
        case="hardware",
        model=model,
        run=0,
        result="pass",
        exit_code=0,
        request="r",
        definition="d",
        timestamp_ms=0,
        **{**known, **facts},
    )


def error(model: str = "fast") -> ErrorEntry:
    return ErrorEntry(
        command="git/review", case="x", model=model, run=0, message="no", timestamp_ms=0, duration_ms=9000.0
    )


def test_each_model_has_a_row_in_the_order_of_the_report() -> None:
    by_model = ByModel.of([run("slow", duration_ms=1520.4), run(), run(duration_ms=9.0), run(duration_ms=8.4)])

    table = by_model.table([result(model="slow"), result(), result(failed_runs=1), result()], plain)

    assert table == (
        "MODEL  PASS  FAIL  MEDIAN  PROMPT  COMPLETION\n"
        "slow      1     0  1.52 s      10           3\n"
        "fast      2     1    8 ms      30           9\n"
    )


def test_errors_and_known_failures_have_columns_where_there_are_any() -> None:
    by_model = ByModel.of([run("slow")])
    failed = result(result="xfail", failed_runs=1, xfail="known")

    assert by_model.table([result(model="slow", result="error"), failed], plain) == (
        "MODEL  PASS  FAIL  ERROR  XFAIL  MEDIAN  PROMPT  COMPLETION\n"
        "slow      0     0      1      0    7 ms      10           3\n"
        "fast      0     0      0      1       -       -           -\n"
    )


@pytest.mark.parametrize(
    ("durations", "median"),
    [((3.0,), "3 ms"), ((9.0, 3.0), "3 ms"), ((9.0, 3.0, 4.0), "4 ms"), ((4.0, 1.0, 3.0, 2.0), "2 ms")],
)
def test_the_median_is_the_duration_of_a_run(durations: tuple[float, ...], median: str) -> None:
    table = ByModel.of([run(duration_ms=each) for each in durations]).table([result()], plain)

    assert table.splitlines()[1].split()[3:5] == median.split()


def test_what_is_unknown_is_no_zero() -> None:
    replayed = run(duration_ms=0.0, replayed=True, completion_tokens=None)
    by_model = ByModel.of([replayed, error(), run(duration_ms=5.0, prompt_tokens=None, completion_tokens=None)])

    assert by_model.table([result()], plain).splitlines()[1] == "fast      1     0    5 ms      10           -"


def test_a_model_whose_answers_were_all_replayed_has_no_duration() -> None:
    table = ByModel.of([run(replayed=True, duration_ms=0.0)]).table([result()], plain)

    assert table.splitlines()[1] == "fast      1     0       -      10           3"


def test_the_head_is_bold_on_a_terminal() -> None:
    head, row = ByModel().table([result()], coloured).splitlines()

    assert head == "\x1b[1mMODEL  PASS  FAIL  MEDIAN  PROMPT  COMPLETION\x1b[0m"
    assert "\x1b" not in row


def test_what_another_model_answered_is_none_of_its_figures() -> None:
    fallen = run(duration_ms=900.0, model_answered="slow", first_failure="no connection")
    table = ByModel.of([fallen, run(duration_ms=5.0)]).table([result(), result()], plain)

    assert table.splitlines()[1] == "fast      2     0    5 ms      10           3"
