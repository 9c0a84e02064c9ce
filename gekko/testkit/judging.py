"""What a checker class promises of judge()."""

from collections.abc import Coroutine, Iterator, Sequence
from itertools import cycle
from typing import Any, TypeVar

from attrs import define, field

from gekko.checks.checker import Ask, AskCommand, AskModel, AskReply, Mismatch, Place
from gekko.checks.judging import Bound, JudgingError, drive
from gekko.checks.outcome import MISSING
from gekko.jsontext import unfit
from gekko.pointers import NoSuchPlace, PointerError, parse, resolve
from gekko.testkit.binding import brief
from gekko.testkit.context import Context
from gekko.testkit.examples import Subject
from gekko.testkit.promises import BrokenPromise, Promise

T = TypeVar("T")

MOST_ASKS = 100


def judge(bound: Bound, subject: Subject, context: Context, replies: Sequence[AskReply]) -> list[Mismatch]:
    """Return what the engine would report for *subject*.

    Raises:
        BrokenPromise: judge() did what it must not.
    """
    if foregone := _without_asking(bound, subject, context.place):
        return [foregone]
    first, second = (_judge_once(bound, subject, replies) for _ in range(2))
    if repr(first) != repr(second):
        reason = f"for {brief(subject.value)}, {brief(bound.checker)} gave {brief(first)} and {brief(second)}"
        raise BrokenPromise(Promise.DETERMINISM, reason)
    for mismatch in first:
        if objection := _objection(mismatch, _judged_value(subject, context)):
            raise BrokenPromise(Promise.MISMATCHES, f"for {brief(subject.value)}, it was {objection}")
    return first


def _without_asking(bound: Bound, subject: Subject, place: Place) -> Mismatch | None:
    """Return what the engine finds by itself, going by the checker's hooks."""
    expected = bound.expected_exit_code or 0
    if subject.outcome.exit_code != expected:
        return Mismatch(f"exit code {expected}", subject.outcome.exit_code)
    wants_missing = bound.sees_missing if place is Place.VALUE else not bound.needs_output
    return Mismatch("a value") if subject.value is MISSING and not wants_missing else None


def _judge_once(bound: Bound, subject: Subject, replies: Sequence[AskReply]) -> list[Mismatch]:
    before = repr((subject, bound.checker))
    try:
        mismatches = _finished(drive(bound, subject.value, subject.outcome, _Answering(bound, cycle(replies))))
    except JudgingError as error:
        promise = Promise.ROBUSTNESS if error.__cause__ else Promise.GENERATOR
        raise BrokenPromise(promise, f"for {brief(subject.value)}, {error}") from error
    if repr((subject, bound.checker)) != before:
        raise BrokenPromise(Promise.PURITY, f"{before} became {subject, bound.checker!r}")
    return mismatches


@define
class _Answering:
    """Answers what is asked with the next of *replies*."""

    bound: Bound
    replies: Iterator[AskReply]
    asked: int = field(default=0, init=False)

    async def __call__(self, ask: Ask) -> AskReply:
        self.asked += 1
        if self.asked > MOST_ASKS:
            raise BrokenPromise(Promise.GENERATOR, f"it asked more than {MOST_ASKS} times")
        named: object = ask.request
        match named:
            case AskModel(model=name):
                announced = self.bound.models_asked
            case AskCommand(command=name):
                announced = self.bound.commands_asked
            case _:
                raise BrokenPromise(Promise.GENERATOR, f"it asked {brief(named)}")
        if name not in announced:
            raise BrokenPromise(Promise.ASKING, f"it asked {brief(name)}, and the hook names {brief(announced)}")
        return next(self.replies)


def _finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that waits for nothing, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("the kit's own answers never wait")


def _judged_value(subject: Subject, context: Context) -> object:
    if context.place is not Place.POINTER:
        return subject.value
    try:
        return resolve(subject.value, parse(context.key))
    except NoSuchPlace:
        return MISSING


def _objection(mismatch: Mismatch, value: object) -> str | None:
    if not mismatch.expected.strip():
        return f"expected {mismatch.expected!r}, which says nothing"
    if mismatch.found is not MISSING and (misfit := unfit(mismatch.found)):
        return f"found {brief(mismatch.found)}: {misfit[1]}"
    try:
        tokens = parse(mismatch.at)
        # The place may be missing, where that is the mismatch; the way to it may not.
        resolve(value, tokens[:-1])
    except (PointerError, NoSuchPlace, TypeError) as error:
        return f"at {mismatch.at!r}: {error}"
    return None
