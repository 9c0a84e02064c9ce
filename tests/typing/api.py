"""A third party's checkers, written against every public name: what stops passing the type checker breaks the API."""

from collections.abc import Sequence
from typing import ClassVar, Self, assert_type

from attrs import frozen

from gekko import (
    COMPARISONS,
    MISSING,
    Ask,
    AskCommand,
    AskModel,
    AskReply,
    BindContext,
    BindError,
    Checker,
    Comparisons,
    Format,
    Fragment,
    Judging,
    KeyPath,
    Message,
    Mismatch,
    NoSuchPlace,
    Outcome,
    Place,
    PointerError,
    Problem,
    __version__,
    build_pointer,
    collect,
    did_you_mean,
    equal,
    is_number,
    non_empty_lines,
    parse_pointer,
    resolve,
    shown,
    unfit,
)
from gekko.testkit import BrokenPromise, Context, Example, Promise, check_checker


@frozen
class Between(Checker):
    """The value is a number from the first to the second."""

    places: ClassVar[frozenset[Place]] = frozenset({Place.VALUE})
    fragment: ClassVar[Fragment] = {"type": "object", "properties": {"low": {"type": "number"}}}
    low: float
    high: float = 1.0

    def judge(self, value: object, outcome: Outcome) -> Judging:
        if not is_number(value):
            yield Mismatch("a number", value)
        elif not self.low <= assert_type(value, int | float) <= self.high:
            yield Mismatch(expected=f"from {self.low} to {self.high}", found=value, at="")


@frozen
class Everything(Checker):
    """Every hook is overridden, and everything is used that a checker is given."""

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    formats: ClassVar[frozenset[Format]] = frozenset({"json"})
    fragment: ClassVar[Fragment] = COMPARISONS
    inner: Comparisons
    golden: str
    tokens: tuple[str, ...]

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        at: KeyPath = ("golden", 0)
        if context.place is Place.VALUE or context.format == "text":
            raise BindError(
                f"not under '{context.key}'", did_you_mean("pint", ["print"]), at, Problem("nor here", "", ())
            )
        if (misfit := unfit(value)) is not None:
            raise BindError(misfit[1], at=misfit[0])
        try:
            tokens = parse_pointer(context.structure("/a~1b", str))
        except PointerError as error:
            raise BindError(str(error)) from error
        assert_type(context.structure(value, Between, at), Between)
        assert_type(context.output_schema, object)
        assert_type(context.is_registered("min"), bool)
        assert_type(context.read_bytes("golden.bin", at), bytes)
        return cls(context.comparisons(value, at=("is",)), context.read_text("golden.txt"), tokens)

    @property
    def expected_exit_code(self) -> int | None:
        return None

    @property
    def needs_output(self) -> bool:
        return False

    @property
    def sees_missing(self) -> bool:
        return True

    @property
    def models_asked(self) -> tuple[str, ...]:
        return ("judge",)

    @property
    def commands_asked(self) -> tuple[str, ...]:
        return ("git/review",)

    def judge(self, value: object, outcome: Outcome) -> Judging:
        if value is MISSING:
            yield Mismatch(f"{non_empty_lines(self.golden)} lines, from gko {__version__}")
            return
        try:
            there = resolve(value, self.tokens)
        except NoSuchPlace as missing:
            yield Mismatch(str(missing), missing.value, build_pointer(missing.place))
            return
        if not equal(there, self.golden):
            yield Mismatch(shown(self.golden, 40), there, build_pointer(self.tokens))
        yield from self._opinions(there)
        missed = yield from collect(self.inner.judge(there, outcome))
        assert_type(missed, list[Mismatch])
        yield from missed

    def _opinions(self, there: object) -> Judging:
        question: Sequence[Message] = (Message("system", "Be strict."), Message("user", shown(there)))
        opinion = yield Ask(AskModel("judge", tuple(question)))
        assert_type(opinion, AskReply)
        review = yield Ask(AskCommand("git/review", "text", {"kind": "ticket"}))
        if review.exit_code or opinion.output != review.output:
            yield Mismatch("; ".join(review.reasons))


def facts(outcome: Outcome) -> tuple[object, ...]:
    """What an outcome tells."""
    assert_type(outcome.exit_code, int)
    assert_type(outcome.format, Format)
    assert_type(outcome.output, object)
    assert_type(outcome.written, str | None)
    assert_type(outcome.reasons, tuple[str, ...])
    assert_type(outcome.finish_reason, str | None)
    assert_type(outcome.model_requested, str)
    assert_type(outcome.model_answered, str | None)
    assert_type(outcome.duration_ms, float)
    assert_type(outcome.prompt_tokens, int | None)
    return (outcome.completion_tokens,)


def kept() -> Promise | None:
    """The kit takes a class, and everything else by name."""
    context: BindContext = Context(
        "between", Place.VALUE, "json", files={"golden.txt": "x"}, comparisons={"b": Between}
    )
    example = Example(
        {"low": 0}, [0.5], fails=(2, MISSING), key="/a", output_schema={}, files={"a": b""}, replies=[AskReply("yes")]
    )
    try:
        check_checker(Between, key="between", examples=[example], refused=[1], comparisons={"b": Between}, draws=10)
    except BrokenPromise as error:
        assert_type(error.reason, str)
        return error.promise
    assert_type(Everything.bind({}, context), Everything)
    return None
