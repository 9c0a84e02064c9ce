"""Driving a checker's generator: mismatches are kept, questions are answered."""

from collections.abc import Awaitable, Callable, Generator
from typing import TypeAlias

from attrs import frozen

from gekko.checks.checker import Ask, AskReply, Checker, Judging, Mismatch
from gekko.checks.outcome import Outcome
from gekko.checks.registry import Claim

Answerer: TypeAlias = Callable[[Ask], Awaitable[AskReply]]
"""Performs the request of an Ask; raises AskError where it may not be asked, and whatever else ends the judging."""


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


class AskError(Exception):
    """A checker asked for something that it may not ask for."""


class JudgingError(Exception):
    """A checker broke its promise while judging: a bug of that checker, never a verdict. *culprit* is that checker."""

    def __init__(self, reason: str, culprit: Bound) -> None:
        super().__init__(reason)
        self.culprit = culprit


async def drive(bound: Bound, value: object, outcome: Outcome, answer: Answerer) -> list[Mismatch]:
    """Let a checker judge, and return what it found.

    Raises:
        JudgingError: the checker did not return a generator, raised, or yielded something else.
    """
    mismatches: list[Mismatch] = []
    judging = guarded(bound, value, outcome)
    reply: AskReply | None = None
    try:
        while True:
            step: object = next(judging) if reply is None else judging.send(reply)
            reply = None
            if isinstance(step, Mismatch):
                mismatches.append(step)
            elif isinstance(step, Ask):
                reply = await answer(step)
            else:
                raise JudgingError(f"judge() must yield Mismatch or Ask, but yielded {type(step).__name__}", bound)
    except StopIteration:
        return mismatches
    except AskError as error:
        raise JudgingError(str(error), bound) from error
    finally:
        judging.close()


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
    except Exception as error:
        raise JudgingError(f"judge() raised {type(error).__name__}: {error}", bound) from error
    raise JudgingError(f"judge() must be a generator, but returned {type(judging).__name__}", bound)


def collect(judging: Judging) -> Generator[Ask, AskReply, list[Mismatch]]:
    """Run a nested judging inside another and return its mismatches instead of yielding them.

    For checkers that turn the verdict of others around: `missed = yield from collect(inner.judge(value, outcome))`.
    """
    mismatches: list[Mismatch] = []
    reply: AskReply | None = None
    while True:
        try:
            step = next(judging) if reply is None else judging.send(reply)
        except StopIteration:
            return mismatches
        reply = None
        if isinstance(step, Mismatch):
            mismatches.append(step)
        else:
            reply = yield step
