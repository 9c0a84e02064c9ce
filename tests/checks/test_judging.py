"""How a checker's generator is driven, and whom a bug is put down to."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

import pytest
from attrs import frozen

from gekko import Ask, AskModel, AskReply, Checker, Judging, Message, Mismatch, Outcome, Place, collect
from gekko.checks.comparisons import Together
from gekko.checks.judging import AND_MORE, Bound, HookError, JudgingError, drive
from gekko.checks.registry import Claim
from gekko.limits import MISMATCHES, QUESTIONS

OUTCOME = Outcome(0, "text", output="done")
QUESTION = Ask(AskModel("judge", (Message("user", "Is this polite?"),)))


@frozen
class Scripted(Checker):
    """Judges as the test says."""

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})
    script: Callable[[object], Judging]

    def judge(self, value: object, outcome: Outcome) -> Judging:
        return self.script(value)


def bound(script: Callable[[object], object], key: str = "scripted") -> Bound:
    return Bound(
        key,
        Claim(key, ()),
        Scripted(script),  # type: ignore[arg-type]
        expected_exit_code=None,
        needs_output=True,
        sees_missing=False,
        models_asked=("judge",),
        commands_asked=(),
    )


def driven(script: Callable[[object], object], *replies: AskReply) -> list[Mismatch]:
    waiting = list(replies)

    async def answer(ask: Ask) -> AskReply:
        assert ask == QUESTION
        await asyncio.sleep(0)
        return waiting.pop(0)

    return asyncio.run(drive(bound(script), "done", OUTCOME, answer))


def test_mismatches_are_kept_in_order_and_silence_means_satisfied() -> None:
    def two(value: object) -> Judging:
        yield Mismatch("one", value)
        yield Mismatch("two", value)

    assert driven(two) == [Mismatch("one", "done"), Mismatch("two", "done")]
    assert driven(lambda _: (step for step in list[Mismatch]())) == []


def test_each_question_gets_the_reply_to_it() -> None:
    def asking(value: object) -> Judging:
        first = yield QUESTION
        yield Mismatch("between", first.output)
        second = yield QUESTION
        yield Mismatch("after", second.output)

    found = driven(asking, AskReply("yes"), AskReply("no"))

    assert found == [Mismatch("between", "yes"), Mismatch("after", "no")]


def test_a_nested_judging_is_collected_and_its_questions_pass_through() -> None:
    def inner(value: object) -> Judging:
        reply = yield QUESTION
        yield Mismatch("inside", reply.output)

    def outer(value: object) -> Judging:
        missed = yield from collect(inner(value))
        assert missed == [Mismatch("inside", "yes")]
        yield Mismatch("outside", len(missed))

    assert driven(outer, AskReply("yes")) == [Mismatch("outside", 1)]


def raising(value: object) -> Judging:
    yield Mismatch("seen", value)
    raise KeyError("confidence")


def exiting(value: object) -> Judging:
    yield Mismatch("seen", value)
    raise SystemExit(0)


def interrupting(value: object) -> Judging:
    yield Mismatch("seen", value)
    raise KeyboardInterrupt


def insisting(value: object) -> Judging:
    while True:
        yield QUESTION


def raising_stop(value: object) -> Judging:
    yield Mismatch("seen", value)
    raise StopIteration  # noqa: PLR1708 (the mistake itself)


@pytest.mark.parametrize(
    ("script", "culprit"),
    [
        pytest.param(lambda value: [Mismatch("a list", value)], "list", id="no-generator"),
        pytest.param(lambda _: None, "NoneType", id="nothing"),
        pytest.param(lambda _: (step for step in [None]), "NoneType", id="yields-none"),
        pytest.param(lambda _: (step for step in ["wrong"]), "str", id="yields-text"),
        pytest.param(lambda _: 1 // 0, "ZeroDivisionError", id="raises-at-once"),
        pytest.param(raising, "KeyError: 'confidence'", id="raises-later"),
        pytest.param(raising_stop, "StopIteration", id="stops-the-wrong-way"),
        pytest.param(exiting, r"sys\.exit\(0\)", id="ends-the-program"),
        pytest.param(interrupting, "KeyboardInterrupt", id="interrupts"),
        pytest.param(lambda value: (Mismatch(each) for each in [value, 3]), "'expected'.*int", id="expects-no-text"),
    ],
)
def test_a_broken_judge_is_a_bug_and_no_verdict(script: Callable[[object], object], culprit: str) -> None:
    with pytest.raises(JudgingError, match=culprit) as caught:
        driven(script)

    assert caught.value.culprit.key == "scripted"


def test_whoever_finds_no_end_is_stopped_and_has_missed() -> None:
    closed = []

    def endless(value: object) -> Judging:
        try:
            while True:
                yield Mismatch("more", value)
        finally:
            closed.append(value)

    def around(value: object) -> Judging:
        yield from (yield from collect(endless(value)))

    for script in (endless, around):
        found = driven(script)

        assert found == [Mismatch("more", "done")] * MISMATCHES + [AND_MORE]
    assert closed == ["done", "done"]


def test_exactly_as_many_as_are_kept_are_all_there_are() -> None:
    found = driven(lambda value: (Mismatch("one", value) for _ in range(MISMATCHES)))

    assert found == [Mismatch("one", "done")] * MISMATCHES


def test_a_checker_cannot_catch_the_bug_of_one_inside_it() -> None:
    inner = bound(raising, "inner")

    def tolerant(value: object) -> Judging:
        try:
            yield from Together((inner,)).judge(value, OUTCOME)
        except Exception:
            return

    with pytest.raises(JudgingError, match="confidence") as caught:
        driven(tolerant)

    assert caught.value.culprit is inner


def test_whoever_asks_without_end_has_a_bug() -> None:
    with pytest.raises(JudgingError, match=str(QUESTIONS)):
        driven(insisting, *[AskReply("yes")] * (QUESTIONS + 1))


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("expected_exit_code", []),
        ("expected_exit_code", True),
        ("needs_output", "no"),
        ("sees_missing", None),
        ("models_asked", "judge"),
        ("models_asked", ([],)),
        ("commands_asked", (3,)),
    ],
)
def test_a_hook_that_answers_in_another_type_is_told(hook: str, answer: object) -> None:
    hooked = type("Hooked", (Scripted,), {hook: property(lambda _: answer)})

    with pytest.raises(HookError, match=hook):
        Bound.of("scripted", Claim("scripted", ()), hooked(raising))


def test_a_hook_that_raises_is_told() -> None:
    hooked = type("Hooked", (Scripted,), {"needs_output": property(lambda _: 1 // 0)})

    with pytest.raises(HookError, match="ZeroDivisionError"):
        Bound.of("scripted", Claim("scripted", ()), hooked(raising))


def test_a_failing_request_ends_the_judging_and_lets_the_checker_clean_up() -> None:
    closed = []

    def asking(value: object) -> Judging:
        try:
            yield QUESTION
        finally:
            closed.append(value)

    async def answer(ask: Ask) -> AskReply:
        raise ConnectionError("the backend is gone")

    with pytest.raises(ConnectionError):
        asyncio.run(drive(bound(asking), "done", OUTCOME, answer))
    assert closed == ["done"]


def test_a_checker_cannot_catch_the_failure_of_its_request() -> None:
    def stubborn(value: object) -> Judging:
        try:
            yield QUESTION
        except Exception:
            yield Mismatch("it passed unseen")

    async def answer(ask: Ask) -> AskReply:
        raise ConnectionError("the backend is gone")

    with pytest.raises(ConnectionError):
        asyncio.run(drive(bound(stubborn), "done", OUTCOME, answer))
