"""Driving a checker's generator: mismatches are kept, questions are answered."""

from collections.abc import Awaitable, Callable, Generator, Iterator
from contextvars import ContextVar
from enum import Enum
from functools import partial
from typing import Final, TypeAlias, TypeVar

from attrs import frozen

from gekko.checks.checker import Ask, AskReply, Checker, Judging, Mismatch
from gekko.checks.outcome import Outcome
from gekko.checks.registry import BUGS, Claim, raised
from gekko.limits import MISMATCHES, QUESTIONS

T = TypeVar("T")

Answerer: TypeAlias = Callable[[Ask], Awaitable[AskReply]]
"""Performs the request of an Ask; raises AskError where it may not be asked, and whatever else ends the judging."""

AND_MORE: Final = Mismatch(f"no mismatch after these {MISMATCHES}", "more, which are not listed")


class HookError(Exception):
    """A checker's hook raised, or answered in another type than it promises."""


class AskError(Exception):
    """A checker asked for something that it may not ask for."""


class JudgingError(BaseException):
    """A checker broke its promise while judging: a bug of that checker, never a verdict. *culprit* is that checker.

    No Exception: a checker around the culprit, through which it passes, must not catch it and make a pass of it.
    """

    def __init__(self, reason: str, culprit: "Bound") -> None:
        super().__init__(reason)
        self.culprit = culprit


@frozen
class Bound:
    """A checker that is ready to judge: the key as it is written, who answers for it, and what its hooks said."""

    key: str
    claim: Claim
    checker: Checker
    expected_exit_code: int | None
    needs_output: bool
    sees_missing: bool
    models_asked: tuple[str, ...]
    commands_asked: tuple[str, ...]

    @classmethod
    def of(cls, key: str, claim: Claim, checker: Checker) -> "Bound":
        """Return *checker* with what its hooks say.

        Raises:
            HookError: a hook breaks its promise.
        """
        try:
            bound = cls(
                key,
                claim,
                checker,
                expected_exit_code=checker.expected_exit_code,
                needs_output=checker.needs_output,
                sees_missing=checker.sees_missing,
                models_asked=checker.models_asked,
                commands_asked=checker.commands_asked,
            )
            objection = next(_objections(bound), None)
        except BUGS as error:
            raise HookError(f"a hook {raised(error)}") from error
        if objection:
            raise HookError(objection)
        return bound


async def drive(bound: Bound, value: object, outcome: Outcome, answer: Answerer) -> list[Mismatch]:
    """Let a checker judge, and return what it found. It may do as it likes with *value*.

    Raises:
        JudgingError: the checker did not return a generator, raised, yielded something else, or asked without end.
    """
    met: list[JudgingError] = []
    token = _met.set(met)
    try:
        judging = collect(guarded(bound, value, outcome))
        try:
            return await _verdict(judging, bound, answer)
        finally:
            judging.close()
    finally:
        _met.reset(token)
        if met:  # the first counts, even where a checker around the culprit caught it
            raise met[0]


def guarded(bound: Bound, value: object, outcome: Outcome) -> Judging:
    """Judge, and put whatever is raised down to the checker that raised it, not to one around it.

    Raises:
        JudgingError: the checker did not return a generator, or raised, be it when it is closed.
    """
    judging: object = _blamed(bound, partial(bound.checker.judge, value, outcome))
    if not isinstance(judging, Generator):
        raise _bug(f"judge() must be a generator, but returned {type(judging).__name__}", bound)
    reply: AskReply | None = None
    try:
        # No `yield from`: it could not tell a GeneratorExit that the checker raises from one that closes it.
        while (step := _blamed(bound, partial(_advanced, judging, reply))) is not _End.END:
            reply = yield step
    finally:
        _blamed(bound, judging.close)


def collect(judging: Judging) -> Generator[Ask, AskReply, list[Mismatch]]:
    """Run a nested judging inside another and return its mismatches instead of yielding them.

    For checkers that turn the verdict of others around: `missed = yield from collect(inner.judge(value, outcome))`.
    Of a great many mismatches it returns the first, and one that says so.
    """
    mismatches: list[Mismatch] = []
    reply: AskReply | None = None
    try:
        while len(mismatches) <= MISMATCHES:
            step = next(judging) if reply is None else judging.send(reply)
            reply = None
            if isinstance(step, Mismatch):
                mismatches.append(step)
            else:
                reply = yield step
    except StopIteration:
        return mismatches
    finally:
        judging.close()
    return [*mismatches[:MISMATCHES], AND_MORE]


_met: Final[ContextVar[list[JudgingError]]] = ContextVar("bugs that were met")


def _objections(bound: Bound) -> Iterator[str]:
    code: object = bound.expected_exit_code
    if code is not None and type(code) is not int:
        yield f"expected_exit_code is {code!r}, which is neither None nor an int"
    for hook in ("needs_output", "sees_missing"):
        if type(answer := getattr(bound, hook)) is not bool:
            yield f"{hook} is {answer!r}, which is neither True nor False"
    for hook in ("models_asked", "commands_asked"):
        names = getattr(bound, hook)
        if not isinstance(names, tuple) or not all(isinstance(name, str) and name for name in names):
            yield f"{hook} is {names!r}, which is no tuple of names"


async def _verdict(judging: Generator[Ask, AskReply, list[Mismatch]], bound: Bound, answer: Answerer) -> list[Mismatch]:
    try:
        step = next(judging)
        for _ in range(QUESTIONS):
            step = judging.send(await answer(_question(step, bound)))
        raise JudgingError(f"judge() asked more than {QUESTIONS} times", bound)
    except StopIteration as done:
        found: list[Mismatch] = done.value
        return found
    except AskError as error:
        raise JudgingError(str(error), bound) from error


def _question(step: object, bound: Bound) -> Ask:
    if not isinstance(step, Ask):
        raise JudgingError(f"judge() must yield Mismatch or Ask, but yielded {type(step).__name__}", bound)
    return step


class _End(Enum):
    END = "a generator has nothing more to yield"


def _advanced(judging: Judging, reply: AskReply | None) -> Mismatch | Ask | _End:
    try:
        return next(judging) if reply is None else judging.send(reply)
    except StopIteration:
        return _End.END


def _blamed(bound: Bound, act: Callable[[], T]) -> T:
    """Run a checker's code; it is to blame for whatever comes out, but for the bug of a checker inside it."""
    try:
        return act()
    except JudgingError:
        raise
    except BUGS as error:
        raise _bug(f"judge() {raised(error)}", bound) from error


def _bug(reason: str, bound: Bound) -> JudgingError:
    bug = JudgingError(reason, bound)
    _met.get([]).append(bug)
    return bug
