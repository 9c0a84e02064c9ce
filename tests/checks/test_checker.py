"""What a checker gets from its base class."""

from typing import ClassVar

import attrs
import pytest
from attrs import frozen

from gekko import MISSING, BindError, Checker, Judging, Mismatch, Outcome, Place, Problem
from gekko.testkit import Context
from tests.checks import postponed


@frozen
class Silent(Checker):
    """Nothing is asked."""

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})

    def judge(self, value: object, outcome: Outcome) -> Judging:
        yield from ()


@frozen
class One(Silent):
    """One field takes the value."""

    limit: int = attrs.field(validator=attrs.validators.ge(0))


@frozen
class Many(Silent):
    """Several fields take a table."""

    model: str
    limit: int = attrs.field(default=3, validator=attrs.validators.ge(0))


@frozen(kw_only=True)
class Named(Silent):
    """One field that is given by name, and another that follows from it."""

    _limit: int
    doubled: int = attrs.field(init=False, default=attrs.Factory(lambda self: 2 * self._limit, takes_self=True))


@frozen
class Choosy(Silent):
    """Validators that say more than a sentence, and one that says nothing."""

    level: str = attrs.field(default="low", validator=attrs.validators.in_(["low", "high"]))
    limit: int = attrs.field(default=3)

    @limit.validator
    def _even(self, _: object, value: int) -> None:
        if value % 2 == 0:
            raise ValueError


CONTEXT = Context("key", Place.EXPECT)


def test_the_hooks_have_defaults() -> None:
    checker = Silent()

    assert checker.expected_exit_code is None
    assert checker.needs_output
    assert not checker.sees_missing
    assert checker.models_asked == checker.commands_asked == ()
    assert checker.api == 1
    assert sorted(checker.formats) == ["json", "text"]
    assert not checker.fragment


def test_one_field_takes_the_value_and_several_take_a_table() -> None:
    assert One.bind(4, CONTEXT) == One(4)
    assert Many.bind({"model": "fast"}, CONTEXT) == Many("fast", 3)


def test_a_field_that_is_not_given_does_not_count() -> None:
    bound = Named.bind(4, CONTEXT)

    assert bound == Named(limit=4)
    assert bound.doubled == 8


@pytest.mark.parametrize(
    ("value", "problem"), [({"level": "middle"}, "'level' must be in"), ({"limit": 2}, "ValueError")]
)
def test_what_a_validator_has_besides_its_sentence_is_no_hint(value: object, problem: str) -> None:
    with pytest.raises(BindError) as caught:
        Choosy.bind(value, CONTEXT)

    [told] = caught.value.problems
    assert problem in told.problem
    assert told.hint == ""


@pytest.mark.parametrize("at", [5, (None,), (1.5,)])
def test_a_place_that_no_value_has_is_refused_where_it_is_made(at: object) -> None:
    with pytest.raises(TypeError):
        BindError("wrong", at=at)  # type: ignore[arg-type]


def test_a_mismatch_is_made_of_texts() -> None:
    with pytest.raises(TypeError, match="expected"):
        Mismatch(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="at"):
        Mismatch("three", at=3)  # type: ignore[arg-type]


def test_postponed_annotations_are_read_as_types() -> None:
    assert postponed.Late.bind(4, CONTEXT) == postponed.Late(4)
    with pytest.raises(BindError):
        postponed.Late.bind("4", CONTEXT)


@pytest.mark.parametrize(
    ("checker_class", "value", "at"),
    [
        pytest.param(One, "4", (), id="another-type"),
        pytest.param(One, 4.0, (), id="a-float-for-an-integer"),
        pytest.param(One, True, (), id="a-boolean-for-an-integer"),
        pytest.param(One, -1, (), id="a-validator-of-the-only-field"),
        pytest.param(Many, "fast", (), id="no-table"),
        pytest.param(Many, {"model": 1}, ("model",), id="another-type-in-a-table"),
        pytest.param(Many, {"model": "fast", "limit": -1}, (), id="a-validator-in-a-table"),
        pytest.param(Many, {"model": "fast", "limits": 1}, ("limits",), id="an-unknown-key"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(
    checker_class: type[Checker], value: object, at: tuple[object, ...]
) -> None:
    with pytest.raises(BindError) as caught:
        checker_class.bind(value, CONTEXT)

    assert [problem.at for problem in caught.value.problems] == [at]
    assert all(problem.problem for problem in caught.value.problems)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(BindError, match="'model'"):
        Many.bind({"limit": 3}, CONTEXT)


def test_the_base_class_judges_nothing() -> None:
    with pytest.raises(NotImplementedError):
        Checker().judge("x", Outcome(0, "text", output="x"))


def test_an_error_can_carry_several_problems() -> None:
    error = BindError("first", "try this", ("a",), Problem("second", at=("b", 0)))

    assert error.problems == (Problem("first", "try this", ("a",)), Problem("second", "", ("b", 0)))
    assert str(error) == "first; second"


def test_a_place_that_is_not_there_is_not_null() -> None:
    assert Mismatch("a value").found is MISSING
    assert MISSING is not None
    assert repr(MISSING) == "MISSING"
