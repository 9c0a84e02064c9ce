"""The kit that authors run on their checkers: it passes what is sound, and names the promise that is not kept."""

import random
from collections.abc import Iterator
from datetime import date
from itertools import count
from typing import Any, ClassVar, Self

import pytest
from attrs import field, frozen

from gekko import (
    COMPARISONS,
    MISSING,
    Ask,
    AskModel,
    AskReply,
    BindContext,
    BindError,
    Checker,
    Format,
    Fragment,
    Judging,
    Message,
    Mismatch,
    Outcome,
    Place,
    is_number,
)
from gekko.testkit import BrokenPromise, Context, Example, Promise, check_checker

EXAMPLES = [Example(3, holds=[3, 2.5], fails=[4, "3", None])]


@frozen
class AtMost(Checker):
    """The number is at most this.

    [expect]
    "/confidence" = { is = { at_most = 3 } }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = {"type": "number"}
    bound: float

    def judge(self, value: object, outcome: Outcome) -> Judging:
        if not is_number(value) or value > self.bound:
            yield Mismatch(f"a number of at most {self.bound}", value)


def check(checker_class: type[Checker], **changes: Any) -> None:
    """Check *checker_class* as a checker of the key `at_most`."""
    check_checker(checker_class, **{"key": "at_most", "examples": EXAMPLES, "refused": ["3", True], **changes})


def broken(checker_class: type[Checker], **changes: Any) -> BrokenPromise:
    """Return the promise that *checker_class* does not keep, and how."""
    with pytest.raises(BrokenPromise) as caught:
        check(checker_class, **changes)
    return caught.value


def described(checker_class: type[Checker]) -> type[Checker]:
    """Give a broken variant the sound one's docstring, so that it breaks one promise alone."""
    checker_class.__doc__ = AtMost.__doc__
    return checker_class


def test_a_sound_checker_keeps_every_promise() -> None:
    check(AtMost)


def test_the_failure_is_an_assertion_that_names_the_promise_and_what_was_done_instead() -> None:
    error = broken(AtMost, examples=[Example(3, holds=[4], fails=[5])])

    assert isinstance(error, AssertionError)
    assert error.promise is Promise.VERDICT
    assert str(error).startswith("VERDICT: ")
    assert "4" in error.reason


# Declaration, fragment, documentation


def test_another_version_of_the_api() -> None:
    @described
    @frozen
    class Future(AtMost):
        api = 2

    error = broken(Future)

    assert error.promise is Promise.DECLARATION
    assert "2" in error.reason


def test_a_place_that_is_none() -> None:
    @described
    @frozen
    class Everywhere(AtMost):
        places = frozenset({"everywhere"})  # type: ignore[arg-type]

    assert broken(Everywhere).promise is Promise.DECLARATION


@pytest.mark.parametrize(
    "fragment",
    [
        pytest.param({"type": "float"}, id="no-such-type"),
        pytest.param({"minimum": date(2026, 1, 1)}, id="nothing-that-json-can-hold"),
        pytest.param({"properties": {"a": {"$ref": "#/definitions/mine"}}}, id="a-reference-of-its-own"),
        pytest.param({"anyOf": [{"$ref": "https://example.org/schema"}]}, id="a-reference-elsewhere"),
        pytest.param({"definitions": {"comparisons": {}}}, id="definitions"),
        pytest.param({"pattern": "("}, id="a-pattern-that-does-not-compile"),
    ],
)
def test_a_fragment_that_is_no_schema_or_leads_elsewhere(fragment: dict[str, object]) -> None:
    lawless = described(frozen(type("Lawless", (AtMost,), {"fragment": fragment})))

    assert broken(lawless).promise is Promise.FRAGMENT


@pytest.mark.parametrize(
    "docstring",
    [
        pytest.param("The number is at most this.", id="no-example"),
        pytest.param("The number is at most this.\n\n[expect]\nat_most = = 3", id="no-toml"),
        pytest.param("The number is at most this.\n\n[expect]\nlines = 3", id="another-key"),
        pytest.param("The number is at most this.\n\n[expect]\nat_most = 3", id="another-place"),
        pytest.param('The number is at most this.\n\n[expect]\n"/a" = { is = { at_most = "3" } }', id="refused"),
    ],
)
def test_a_docstring_whose_example_shows_nothing_that_works(docstring: str) -> None:
    undocumented = frozen(type("Undocumented", (AtMost,), {"__doc__": docstring}))

    assert broken(undocumented).promise is Promise.DOCUMENTATION


# Binding


def test_an_example_that_is_refused() -> None:
    assert broken(AtMost, examples=[*EXAMPLES, Example("4")]).promise is Promise.ACCEPTANCE


def test_a_malformed_value_that_is_accepted() -> None:
    assert broken(AtMost, refused=[3.5]).promise is Promise.REFUSAL


def test_a_bind_that_raises_something_else() -> None:
    @described
    @frozen
    class Raises(AtMost):
        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            # Neither nan nor an infinity has an integer, and the fragment cannot refuse them.
            return cls(int(context.structure(value, object)))  # type: ignore[call-overload]

    error = broken(Raises)

    assert error.promise is Promise.BINDING
    assert "ValueError" in error.reason


def test_a_bind_that_returns_something_else() -> None:
    @described
    @frozen
    class Returns(AtMost):
        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            return context.structure(value, float)  # type: ignore[return-value]

    assert broken(Returns).promise is Promise.BINDING


@pytest.mark.parametrize("problem", [BindError(""), BindError("wrong", at=("somewhere", "else"))])
def test_a_refusal_without_a_reason_or_with_a_place_outside_of_the_value(problem: BindError) -> None:
    @described
    @frozen
    class Mumbles(AtMost):
        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            if value == 1:
                raise problem
            return super().bind(value, context)

    assert broken(Mumbles, refused=[1]).promise is Promise.BINDING


def test_a_bind_that_changes_the_value() -> None:
    @described
    @frozen
    class Consumes(AtMost):
        fragment: ClassVar[Fragment] = {"type": ["number", "array"]}

        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            return cls(context.structure(value.pop(), float) if isinstance(value, list) and value else 3)

    assert broken(Consumes, examples=[*EXAMPLES, Example([3])], refused=[]).promise is Promise.PURITY


def test_two_bindings_of_one_value_that_are_not_equal() -> None:
    @described
    @frozen
    class Unequal(AtMost):
        identity: object = field(factory=object, init=False)

        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            return cls(context.structure(value, float))

    assert broken(Unequal).promise is Promise.EQUALITY


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("expected_exit_code", 3),
        ("expected_exit_code", 4),  # and yet it needs an output
        ("expected_exit_code", False),
        ("needs_output", 1),
        ("sees_missing", None),
        ("models_asked", "judge"),
        ("models_asked", ["judge"]),
        ("commands_asked", ("",)),
    ],
)
def test_a_hook_that_answers_in_another_type(hook: str, answer: object) -> None:
    hooked = described(frozen(type("Hooked", (AtMost,), {hook: property(lambda _: answer)})))

    error = broken(hooked)

    assert error.promise is Promise.HOOKS
    assert hook in error.reason


def test_a_hook_that_changes_its_answer() -> None:
    answers: Iterator[int] = count()

    @described
    @frozen
    class Fickle(AtMost):
        @property
        def models_asked(self) -> tuple[str, ...]:
            return (f"judge-{next(answers)}",)

    assert broken(Fickle).promise is Promise.HOOKS


# Judging


def test_a_judge_that_is_no_generator() -> None:
    @described
    @frozen
    class Lists(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            return list(super().judge(value, outcome))  # type: ignore[return-value]

    assert broken(Lists).promise is Promise.GENERATOR


def test_a_judge_that_yields_text() -> None:
    @described
    @frozen
    class Talks(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            if value == 4:
                yield "too large"  # type: ignore[misc]
            yield from super().judge(value, outcome)

    assert broken(Talks).promise is Promise.GENERATOR


def test_a_judge_that_never_stops_asking() -> None:
    @described
    @frozen
    class Insists(AtMost):
        @property
        def models_asked(self) -> tuple[str, ...]:
            return ("judge",)

        def judge(self, value: object, outcome: Outcome) -> Judging:
            while (yield Ask(AskModel("judge", (Message("user", "Is it?"),)))).output != "never":
                pass

    assert broken(Insists).promise is Promise.GENERATOR


def test_a_judge_that_raises_for_a_value_that_no_example_has() -> None:
    @described
    @frozen
    class Trusts(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            if not isinstance(value, list):
                yield from super().judge(value, outcome)
            elif value[0] > self.bound:
                yield Mismatch("smaller", value)

    error = broken(Trusts)

    assert error.promise is Promise.ROBUSTNESS
    assert "IndexError" in error.reason or "TypeError" in error.reason


def test_a_judge_that_raises_for_the_deepest_document() -> None:
    @described
    @frozen
    class Descends(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            if self.depth(value) > 150:
                raise RecursionError
            yield from super().judge(value, outcome)

        def depth(self, value: object) -> int:
            inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
            return 1 + max((self.depth(each) for each in inner), default=0)

    assert broken(Descends).promise is Promise.ROBUSTNESS


def test_a_judge_that_cannot_do_without_what_the_server_may_leave_out() -> None:
    @described
    @frozen
    class Frugal(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            if outcome.model_answered is not None and (outcome.completion_tokens or 0) < 0:
                yield Mismatch("tokens", value)
            if outcome.model_answered and outcome.prompt_tokens + 1 < 0:  # type: ignore[operator]
                yield Mismatch("tokens", value)
            yield from super().judge(value, outcome)

    assert broken(Frugal).promise is Promise.ROBUSTNESS


def test_a_judge_that_leaves_it_to_chance() -> None:
    @described
    @frozen
    class Gambles(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            yield Mismatch("luck", random.random())

    assert broken(Gambles, examples=[Example(3, fails=[4]), Example(3, holds=[3])]).promise is Promise.DETERMINISM


def test_a_judge_that_remembers_what_it_saw() -> None:
    @described
    @frozen
    class Remembers(AtMost):
        seen: list[object] = field(factory=list, init=False)

        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            return cls(context.structure(value, float))

        def judge(self, value: object, outcome: Outcome) -> Judging:
            self.seen.append(value)
            yield from super().judge(value, outcome)

    assert broken(Remembers).promise is Promise.PURITY


def test_a_judge_that_changes_the_output() -> None:
    @described
    @frozen
    class Sorts(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            if isinstance(value, list):
                value.append(3)
            yield from super().judge(value, outcome)

    assert broken(Sorts).promise is Promise.PURITY


@pytest.mark.parametrize(
    "mismatch",
    [
        pytest.param(Mismatch(""), id="nothing-expected"),
        pytest.param(Mismatch("a set", {1, 2}), id="found-what-json-cannot-hold"),
        pytest.param(Mismatch("less", float("nan")), id="found-nan"),
        pytest.param(Mismatch("less", 1, "somewhere"), id="no-pointer"),
        pytest.param(Mismatch("less", 1, "/a/b"), id="a-place-to-which-nothing-leads"),
    ],
)
def test_a_mismatch_that_says_nothing_that_can_be_shown(mismatch: Mismatch) -> None:
    @described
    @frozen
    class Blurts(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            if value == 4:
                yield mismatch
            else:
                yield from super().judge(value, outcome)

    assert broken(Blurts).promise is Promise.MISMATCHES


def test_a_judge_that_asks_whom_no_hook_names() -> None:
    @described
    @frozen
    class Whispers(AtMost):
        def judge(self, value: object, outcome: Outcome) -> Judging:
            yield Ask(AskModel("secret", (Message("user", "Is it?"),)))
            yield from super().judge(value, outcome)

    error = broken(Whispers)

    assert error.promise is Promise.ASKING
    assert "secret" in error.reason


def test_a_verdict_that_the_examples_do_not_foresee() -> None:
    assert broken(AtMost, examples=[Example(3, holds=[3], fails=[2])]).promise is Promise.VERDICT
    assert broken(AtMost, examples=[Example(3, holds=[3, 4], fails=[4])]).promise is Promise.VERDICT


# What the engine decides by the hooks alone, the kit decides as well


@frozen
class Nothing(Checker):
    """Nothing is there.

    [expect]
    nothing = true
    "/error" = { is = { nothing = true } }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    formats: ClassVar[frozenset[Format]] = frozenset({"json"})
    fragment: ClassVar[Fragment] = {"const": True}
    wanted: bool

    @property
    def sees_missing(self) -> bool:
        return True

    def judge(self, value: object, outcome: Outcome) -> Judging:
        if value is not MISSING:
            yield Mismatch("nothing", value)


def test_a_missing_place_is_shown_only_to_who_wants_to_see_it() -> None:
    asked_for = [Example(True, fails=[1])]

    with pytest.raises(BrokenPromise) as caught:
        check_checker(Nothing, key="nothing", examples=[*asked_for, Example(True, holds=[MISSING])])

    # In [expect], MISSING is a rejected answer, which fails a case that does not expect it.
    assert caught.value.promise is Promise.VERDICT
    inside = frozen(type("Inside", (Nothing,), {"places": frozenset({Place.VALUE}), "__doc__": Nothing.__doc__}))
    check_checker(inside, key="nothing", examples=[*asked_for, Example(True, holds=[MISSING])])
    blind = frozen(type("Blind", (inside,), {"sees_missing": False, "__doc__": Nothing.__doc__}))
    with pytest.raises(BrokenPromise):
        check_checker(blind, key="nothing", examples=[*asked_for, Example(True, holds=[MISSING])])


@pytest.mark.parametrize(
    "examples",
    [
        pytest.param([], id="none"),
        pytest.param([Example(3, holds=[3])], id="nothing-fails"),
        pytest.param([Example(3, fails=[4])], id="nothing-holds"),
    ],
)
def test_examples_that_prove_nothing_are_the_authors_slip(examples: list[Example]) -> None:
    with pytest.raises(ValueError, match="at least one output"):
        check(AtMost, examples=examples)


def test_an_output_that_no_command_can_have_is_the_authors_slip() -> None:
    text_only = {"places": frozenset({Place.EXPECT}), "formats": frozenset({"text"}), "fragment": {}}
    docstring = "Anything.\n\n[expect]\nat_most = 3"
    texts = frozen(type("Texts", (AtMost,), {**text_only, "__doc__": docstring}))

    with pytest.raises(ValueError, match="can have the output 4"):
        check(texts, examples=[Example(3, holds=["3"], fails=[4])], refused=[])


# The context


def test_nested_comparisons_are_those_given_and_those_installed() -> None:
    context = Context("outer", comparisons={"at_most": AtMost})
    outcome = Outcome(0, "json", output=4)

    found = list(context.comparisons({"at_most": 3, "min": 5}).judge(4, outcome))

    assert found == [Mismatch("a number of at most 3", 4), Mismatch("a number of at least 5", 4)]


@pytest.mark.parametrize(
    ("table", "places"),
    [
        pytest.param(3, [("is",)], id="no-table"),
        pytest.param({}, [("is",)], id="an-empty-table"),
        pytest.param({"at_most": "3", "nobody": 1}, [("is", "at_most"), ("is", "nobody")], id="every-reason"),
        pytest.param({"exit_code": 0}, [("is", "exit_code")], id="no-comparison"),
    ],
)
def test_nested_comparisons_are_refused_as_in_a_case(table: object, places: list[tuple[str, ...]]) -> None:
    with pytest.raises(BindError) as caught:
        Context("outer", comparisons={"at_most": AtMost}).comparisons(table, at=("is",))

    assert [problem.at for problem in caught.value.problems] == places


def test_registered_is_what_can_be_nested_and_what_is_installed() -> None:
    context = Context("outer", comparisons={"at_most": AtMost})

    assert [context.is_registered(key) for key in ("at_most", "min", "nobody", "/name")] == [True, True, False, False]


def test_files_are_those_given() -> None:
    context = Context("key", files={"a.txt": "\ufeffé", "b.bin": b"\xff"})

    assert context.read_text("a.txt") == "é"
    assert context.read_bytes("b.bin") == b"\xff"
    for name in ("b.bin", "c.txt"):
        with pytest.raises(BindError, match=name):
            context.read_text(name, at=("file",))


def test_replies_are_given_in_turn() -> None:
    @frozen
    class Polls(Checker):
        """Most of three answers are yes.

        [expect]
        polls = "judge"
        """

        places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})
        fragment: ClassVar[Fragment] = {"type": "string", "minLength": 1}
        model: str

        @property
        def models_asked(self) -> tuple[str, ...]:
            return (self.model,)

        def judge(self, value: object, outcome: Outcome) -> Judging:
            votes = 0
            for number in ("first", "second", "third"):
                reply = yield Ask(AskModel(self.model, (Message("user", number),)))
                votes += reply.output == "yes"
            if votes < 2:
                yield Mismatch(f"at least 2 of 3 votes ({votes} were given)", value)

    yes, no = AskReply("yes"), AskReply("no")

    examples = [Example("judge", holds=["x", "y"], replies=[yes, no, yes]), Example("judge", fails=["x"], replies=[no])]

    check_checker(Polls, key="polls", examples=examples)


def test_comparisons_inside_are_written_with_the_shared_fragment() -> None:
    @frozen
    class Some(Checker):
        """The value passes the comparisons inside.

        [expect]
        "/a" = { is = { some = { at_most = 3 } } }
        """

        places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
        fragment: ClassVar[Fragment] = COMPARISONS
        inner: object

        @classmethod
        def bind(cls, value: object, context: BindContext) -> Self:
            return cls(context.comparisons(value))

        def judge(self, value: object, outcome: Outcome) -> Judging:
            yield from self.inner.judge(value, outcome)  # type: ignore[attr-defined]

    examples = [Example({"at_most": 3}, holds=[3], fails=[4, MISSING])]

    check_checker(Some, key="some", examples=examples, refused=[{}, {"nobody": 3}], comparisons={"at_most": AtMost})
