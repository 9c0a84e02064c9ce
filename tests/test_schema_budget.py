"""Evaluating a schema ends: what takes too long is given up, interrupted wherever it is, and leaves no trace."""

import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.jsonschemas import CannotEvaluate, fragment_validator
from gekko.jsonschemas.budget import OutOfTimeError, within
from gekko.jsontext import equal
from gekko.limits import PATTERN_CHARACTERS
from tests.json_values import VALUES
from tests.test_jsonschemas import DRAFTS, Folder

BUDGET_SECS = 0.2

BACKTRACKING = "^(a+)+$"
BAD = "a" * 60 + "b"

DEPTH = 60
DOUBLING = {
    "$ref": "#/$defs/0",
    "$defs": {
        **{str(level): {"allOf": [{"$ref": f"#/$defs/{level + 1}"}] * 2} for level in range(DEPTH)},
        str(DEPTH): {"type": "string"},
    },
}

pytestmark = pytest.mark.timeout(30)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Neither the timer nor its handler outlives an evaluation."""
    yield

    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL


def work_for_ever() -> None:
    while True:
        pass


# --- schemas


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"properties": {"a": {"pattern": BACKTRACKING}}}, {"a": BAD}, id="pattern"),
        pytest.param({"patternProperties": {BACKTRACKING: {}}}, {BAD: 1}, id="pattern-of-names"),
        pytest.param({"propertyNames": {"pattern": BACKTRACKING}}, {BAD: 1}, id="names"),
        pytest.param({"not": {"pattern": BACKTRACKING}}, BAD, id="pattern-that-must-not-match"),
        pytest.param({"pattern": "a*b"}, "a" * 200_000, id="pattern-tried-at-every-place"),
        pytest.param(DOUBLING, "x", id="doubling-references-that-hold"),
        pytest.param(DOUBLING, 1, id="doubling-references-that-do-not"),
    ],
)
def test_an_evaluation_that_takes_too_long_is_given_up(folder: Folder, schema: object, value: object) -> None:
    began = time.process_time()

    with pytest.raises(CannotEvaluate) as caught:
        folder.load(schema).violations(value, BUDGET_SECS)

    assert "0.2 s" in str(caught.value)
    assert time.process_time() - began < 3


def test_the_pattern_that_took_the_time_is_named_with_what_it_was_tried_on(folder: Folder) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        folder.load({"items": {"pattern": BACKTRACKING}}).violations(["a", BAD], BUDGET_SECS)

    assert f'"{BACKTRACKING}"' in str(caught.value)
    assert f'"{BAD}"' in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"pattern": "a"}, "b" * (PATTERN_CHARACTERS + 1), id="string"),
        pytest.param({"patternProperties": {"a": {}}}, {"b" * (PATTERN_CHARACTERS + 1): 1}, id="name"),
        pytest.param(
            {"additionalProperties": False, "patternProperties": {"a": {}}},
            {"b" * (PATTERN_CHARACTERS + 1): 1},
            id="name-that-is-additional",
        ),
    ],
)
def test_no_pattern_is_tried_on_a_string_that_is_too_long(folder: Folder, schema: object, value: object) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        folder.load(schema).violations(value)

    assert str(PATTERN_CHARACTERS) in str(caught.value)


def test_a_long_string_that_no_pattern_is_tried_on_is_accepted(folder: Folder) -> None:
    schema = folder.load({"properties": {"a": {"pattern": "a"}, "b": {"type": "string"}}})

    assert schema.violations({"a": "a" * PATTERN_CHARACTERS, "b": "b" * (PATTERN_CHARACTERS + 1)}) == []


def test_a_fragment_has_the_same_bounds() -> None:
    validate = fragment_validator({"type": "string", "pattern": BACKTRACKING}, BUDGET_SECS)

    assert validate("aaa") == []
    with pytest.raises(CannotEvaluate) as caught:
        validate(BAD)
    assert BACKTRACKING in str(caught.value)


# --- items that differ


def nested(value: object, depth: int) -> object:
    for _ in range(depth):
        value = [value]
    return value


OBJECTS: list[object] = [{"id": number} for number in range(10_000)]
NESTED = [nested(number * 7919 % 2003, 150) for number in range(2003)]


@pytest.mark.parametrize(
    ("draft", "items"),
    [*((draft, OBJECTS) for draft in DRAFTS), pytest.param(DRAFTS[-1], NESTED, id="nested-arrays")],
)
def test_many_items_are_compared_in_little_time(folder: Folder, draft: str, items: list[Any]) -> None:
    """The dialect is named, as a schema should: that must not lead back to what `jsonschema` does."""
    schema = folder.load({"$schema": draft, "properties": {"a": {"uniqueItems": True}}})

    assert schema.violations({"a": items}, 2) == []
    assert "items that all differ" in schema.violations({"a": [*items, items[0]]}, 2)[0]


@pytest.mark.parametrize(
    ("items", "differ"),
    [
        ([1, True, "1", None, [1], [True], {"a": 1}, {"a": True}, [], {}, ""], True),
        ([1, 1.0], False),
        ([[1], [1.0]], False),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], False),
        ([10**30, 1e30], True),
        ([["array", 1], ["array", 1, 2]], True),
        ([["boolean", True], True], True),
    ],
)
def test_items_differ_unless_they_are_equal_as_json(folder: Folder, items: list[Any], differ: bool) -> None:
    assert (folder.load({"uniqueItems": True}).violations(items) == []) is differ


@given(items=st.lists(VALUES, max_size=5))
def test_items_are_compared_as_all_of_gko_compares(tmp_path_factory: pytest.TempPathFactory, items: list[Any]) -> None:
    schema = Folder(tmp_path_factory.getbasetemp()).load({"uniqueItems": True})

    differ = not any(equal(left, right) for index, left in enumerate(items) for right in items[:index])

    assert (schema.violations(items) == []) is differ


@pytest.mark.parametrize("said", [False, None])
def test_equal_items_are_accepted_where_nobody_minds(folder: Folder, said: bool | None) -> None:
    assert folder.load({} if said is None else {"uniqueItems": said}).violations([1, 1]) == []


# --- the time itself


def test_what_ends_in_time_is_returned() -> None:
    assert within(1, lambda: "done") == "done"


def test_waiting_takes_no_processor_time() -> None:
    within(0.05, lambda: time.sleep(0.2))


def test_what_goes_wrong_in_time_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        within(1, lambda: 1 // 0)


def test_what_catches_every_exception_is_interrupted_all_the_same() -> None:
    def stubborn() -> None:
        while True:
            try:
                re.search(BACKTRACKING, BAD)
            except Exception:
                continue

    with pytest.raises(OutOfTimeError):
        within(BUDGET_SECS, stubborn)


class Deaf:
    """Loses what is raised while the interpreter takes it apart."""

    def __del__(self) -> None:
        work_for_ever()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_got_lost_is_repeated() -> None:
    def lose_it() -> None:
        Deaf()
        work_for_ever()

    with pytest.raises(OutOfTimeError):
        within(BUDGET_SECS, lose_it)


def test_a_timer_of_somebody_else_goes_on_afterwards() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGVTALRM, lambda number, _: heard.append(number))
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
    try:
        with pytest.raises(OutOfTimeError):
            within(BUDGET_SECS, work_for_ever)
        assert not heard

        began = time.process_time()
        while not heard and time.process_time() - began < 5:
            pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)

    assert heard == [signal.SIGVTALRM]


def test_the_inner_of_two_ends_first_and_the_outer_afterwards() -> None:
    def inner() -> None:
        with pytest.raises(OutOfTimeError) as caught:
            within(BUDGET_SECS, work_for_ever)
        assert caught.value.seconds == BUDGET_SECS
        work_for_ever()

    with pytest.raises(OutOfTimeError) as caught:
        within(2 * BUDGET_SECS, inner)

    assert caught.value.seconds == 2 * BUDGET_SECS


def test_another_thread_has_all_the_time_it_takes() -> None:
    """Signals reach the main thread alone."""
    found: list[str] = []

    def work() -> str:
        began = time.thread_time()
        while time.thread_time() - began < 2 * BUDGET_SECS:
            pass
        return "done"

    thread = Thread(target=lambda: found.append(within(BUDGET_SECS, work)))
    thread.start()
    thread.join()

    assert found == ["done"]


@pytest.mark.parametrize("work", [lambda: re.search(BACKTRACKING, BAD), work_for_ever])
def test_another_signal_is_heard_meanwhile(work: Callable[[], object]) -> None:
    class HeardError(BaseException):
        pass

    def hear(number: int, _: object) -> None:
        raise HeardError(number)

    before = signal.signal(signal.SIGPROF, hear)
    signal.setitimer(signal.ITIMER_PROF, 0.1)
    try:
        with pytest.raises(HeardError):
            within(5, work)
    finally:
        signal.signal(signal.SIGPROF, before)
