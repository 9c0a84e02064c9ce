"""What a server says of when it will have time again."""

import time
from email.utils import formatdate

import pytest

from gekko.run.transient import retry_after_secs

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"


@pytest.mark.parametrize(
    ("said", "secs"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0.5", 0.5),
        ("9" * 5000, float("inf")),
        ("Sun, 06 Nov 1994 08:49:40 GMT", 3.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:49:38 1994", 1.0),
        ("Sun, 06 Nov 1994 08:49:40 -0000", 3.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
    ],
)
def test_seconds_and_dates_are_understood(said: str, secs: float) -> None:
    assert retry_after_secs({"retry-after": said, "date": DATE}) == secs


@pytest.mark.parametrize(
    "said", ["", "soon", "-1", "1e3", "nan", "٣", "Sun, 99 Nov 1994 08:49:37 GMT", f"1 Jan {'9' * 30} 00:00:00 GMT"]
)
def test_anything_else_says_nothing(said: str) -> None:
    assert retry_after_secs({"retry-after": said, "date": DATE}) is None


def test_a_server_need_not_say_anything() -> None:
    assert retry_after_secs({}) is None


@pytest.mark.parametrize("date", [{}, {"date": "at noon"}])
def test_a_date_is_held_against_the_clock_here_where_the_server_does_not_tell_the_time(date: dict[str, str]) -> None:
    secs = retry_after_secs({**date, "retry-after": formatdate(time.time() + 30, usegmt=True)})

    assert secs == pytest.approx(29.5, abs=1.5)
