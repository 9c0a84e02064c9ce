"""Driving a checker's generator: mismatches are kept, questions are answered."""

from collections.abc import Awaitable, Callable, Generator, Iterator
from typing import Final, TypeAlias

from attrs import frozen

from gekko.checks.checker import Ask, AskReply, Checker, Judging, Mismatch
from gekko.checks.outcome import Outcome
from gekko.checks.registry import BUGS, Claim, raised
from gekko.limits import MISMATCHES, QUESTIONS

Answerer: TypeAlias = Callable[[Ask], Awaitable[AskReply]]
"""Performs the request of an Ask; raises AskError where it may not be asked, and whatever else ends the judging."""

AND_MORE: Final = Mismatch(f"no mismatch after these {MISMATCHES}", "more, which are not listed")


class HookError(Exception):
    """A checker's hook raised, or answered in another type than it promises."""


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
        except BUGS as error:
            raise HookError(f"a hook {raised(error)}") from error
        for objection in _objections(bound):
            raise HookError(objection)
        return bound


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


class AskError(Exception):
    """A checker asked for something that it may not ask for."""


class JudgingError(BaseException):
    """A checker broke its promise while judging: a bug of that checker, never a verdict. *culprit* is that checker.

    No Exception: a checker around the culprit, through which it passes, must not catch it and make a pass of it.
    """

    def __init__(self, reason: str, culprit: Bound) -> None:
        super().__init__(reason)
        self.culprit = culprit


async def drive(bound: Bound, value: object, outcome: Outcome, answer: Answerer) -> list[Mismatch]:
    """Let a checker judge, and return what it found.

    Raises:
        JudgingError: the checker did not return a generator, raised, yielded something else, or asked without end.
    """
    judging = collect(guarded(bound, value, outcome))
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
    finally:
        judging.close()


def _question(step: object, bound: Bound) -> Ask:
    if not isinstance(step, Ask):
        raise JudgingError(f"judge() must yield Mismatch or Ask, but yielded {type(step).__name__}", bound)
    return step


def guarded(bound: Bound, value: object, outcome: Outcome) -> Judging:
    """Judge, and put whatever is raised down to the checker that raised it, not to one around it.

    Raises:
        JudgingError: the checker did not return a generator, or raised.
    """
    try:
        judging: object = bound.checker.judge(value, outcome)
        if isinstance(judging, Generator):
            yield from judging
            return
    except (JudgingError, GeneratorExit):
        raise
    except BUGS as error:
        raise JudgingError(f"judge() {raised(error)}", bound) from error
    raise JudgingError(f"judge() must be a generator, but returned {type(judging).__name__}", bound)


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
