"""How a checker's generator is driven, and whom a bug is put down to."""

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any, ClassVar

import pytest
from attrs import frozen

from gekko import Ask, AskModel, AskReply, Checker, Judging, Message, Mismatch, Outcome, Place, collect
from gekko.checks.comparisons import Together
from gekko.checks.ending import Ending
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


def insisting(value: object) -> Judging:
    while True:
        yield QUESTION


@pytest.mark.parametrize(
    ("script", "culprit"),
    [
        pytest.param(lambda value: [Mismatch("a list", value)], "list", id="no-generator"),
        pytest.param(lambda _: None, "NoneType", id="nothing"),
        pytest.param(lambda _: (step for step in [None]), "NoneType", id="yields-none"),
        pytest.param(lambda _: (step for step in ["wrong"]), "str", id="yields-text"),
        pytest.param(lambda _: 1 // 0, "ZeroDivisionError", id="raises-at-once"),
        pytest.param(raising, "KeyError: 'confidence'", id="raises-later"),
        pytest.param(lambda value: (Mismatch(each) for each in [value, 3]), "'expected'.*int", id="expects-no-text"),
    ],
)
def test_a_broken_judge_is_a_bug_and_no_verdict(script: Callable[[object], object], culprit: str) -> None:
    with pytest.raises(JudgingError, match=culprit) as caught:
        driven(script)

    assert caught.value.culprit.key == "scripted"


class StrangeError(BaseException):
    """No Exception, and not even able to say what it is about."""

    def __str__(self) -> str:
        raise ValueError("unspeakable")


FAULTS = [
    pytest.param(GeneratorExit(), "GeneratorExit", id="generator-exit"),
    pytest.param(asyncio.CancelledError(), "CancelledError", id="cancelled"),
    pytest.param(StopIteration(), "StopIteration", id="stop"),
    pytest.param(StopAsyncIteration(), "StopAsyncIteration", id="async-stop"),
    pytest.param(KeyboardInterrupt(), "KeyboardInterrupt", id="interrupt"),
    pytest.param(SystemExit(0), r"sys\.exit\(0\)", id="exit"),
    pytest.param(BaseExceptionGroup("several", [KeyboardInterrupt()]), "several", id="group"),
    pytest.param(StrangeError(), "StrangeError.*unspeakable", id="strange"),
    pytest.param(RuntimeError("\x1b[2J" + "x" * 9999), r"\\u001b\[2Jx{900}", id="long-and-unprintable"),
]


def at_once(fault: BaseException) -> Callable[[object], Judging]:
    def script(value: object) -> Judging:
        raise fault

    return script


def before_anything(fault: BaseException) -> Callable[[object], Judging]:
    def script(value: object) -> Judging:
        if value:
            raise fault
        yield Mismatch("never")

    return script


def after_a_mismatch(fault: BaseException) -> Callable[[object], Judging]:
    def script(value: object) -> Judging:
        yield Mismatch("seen", value)
        raise fault

    return script


def at_a_reply(fault: BaseException) -> Callable[[object], Judging]:
    def script(value: object) -> Judging:
        yield QUESTION
        raise fault

    return script


def when_closed(fault: BaseException) -> Callable[[object], Judging]:
    def script(value: object) -> Judging:
        try:
            while True:
                yield Mismatch("more", value)
        finally:
            raise fault

    return script


MOMENTS = [at_once, before_anything, after_a_mismatch, at_a_reply, when_closed]


@pytest.mark.parametrize(
    ("script", "fault", "told"),
    [
        pytest.param(script, *each.values, id=f"{script.__name__}-{each.id}")
        for script in MOMENTS
        for each in FAULTS
        # A GeneratorExit is what a generator may raise when it is closed.
        if (script, each.id) != (when_closed, "generator-exit")
    ],
)
def test_whatever_is_raised_is_a_bug_and_no_verdict(
    script: Callable[[BaseException], Callable[[object], Judging]], fault: BaseException, told: str
) -> None:
    with pytest.raises(JudgingError, match=told) as caught:
        driven(script(fault), AskReply("yes"))

    assert caught.value.culprit.key == "scripted"
    assert len(str(caught.value)) < 1100


@pytest.mark.parametrize(("fault", "told"), FAULTS)
def test_whatever_a_hook_raises_is_told(fault: BaseException, told: str) -> None:
    def hook(_: object) -> bool:
        raise fault

    hooked = type("Hooked", (Scripted,), {"needs_output": property(hook)})

    with pytest.raises(HookError, match=told):
        Bound.of("scripted", Claim("scripted", ()), hooked(raising))


@pytest.mark.filterwarnings("ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning")
def test_whoever_refuses_to_be_closed_has_a_bug() -> None:
    def clinging(value: object) -> Judging:
        while True:
            with suppress(GeneratorExit):
                yield Mismatch("more", value)

    with pytest.raises(JudgingError, match="GeneratorExit") as caught:
        driven(clinging)

    # It refuses once more when it is thrown away, and that is to be now.
    del caught
    gc.collect()


def test_an_answer_whose_words_raise_is_told() -> None:
    class Unspeakable:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    hooked = type("Hooked", (Scripted,), {"needs_output": property(lambda _: Unspeakable())})

    with pytest.raises(HookError, match="KeyboardInterrupt"):
        Bound.of("scripted", Claim("scripted", ()), hooked(raising))


@pytest.mark.parametrize("script", MOMENTS)
def test_who_asks_the_program_to_end_meets_a_checker_without_its_fault(
    script: Callable[[BaseException], Callable[[object], Judging]],
) -> None:
    with pytest.raises(Ending):
        driven(script(Ending()), AskReply("yes"))


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


def catching_errors(comparisons: Together) -> Judging:
    try:
        yield from comparisons.judge("done", OUTCOME)
    except Exception:
        return


def catching_all(comparisons: Together) -> Judging:
    try:
        yield from comparisons.judge("done", OUTCOME)
    except BaseException:
        return


def returning_at_last(comparisons: Together) -> Judging:
    try:
        yield from comparisons.judge("done", OUTCOME)
    finally:
        return  # noqa: B012 (the mistake itself)


def raising_another(comparisons: Together) -> Judging:
    try:
        yield from comparisons.judge("done", OUTCOME)
    except BaseException as error:
        raise ValueError("something inside did not work") from error


def looking_no_further(comparisons: Together) -> Judging:
    for step in comparisons.judge("done", OUTCOME):
        assert isinstance(step, Mismatch)
        return
    yield Mismatch("something")


@pytest.mark.parametrize(
    ("around", "inside"),
    [
        *product((catching_errors, catching_all, returning_at_last, raising_another), (after_a_mismatch, when_closed)),
        (looking_no_further, when_closed),
    ],
)
@pytest.mark.filterwarnings("ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning")
def test_a_checker_cannot_catch_the_bug_of_one_inside_it(
    around: Callable[[Together], Judging], inside: Callable[[BaseException], Callable[[object], Judging]]
) -> None:
    inner = bound(inside(KeyError("confidence")), "inner")

    with pytest.raises(JudgingError, match="confidence") as caught:
        driven(lambda _: around(Together((inner,))))

    assert caught.value.culprit is inner


def test_a_bug_that_was_caught_is_no_bug_of_the_next_checker() -> None:
    inner = bound(raising, "inner")

    with pytest.raises(JudgingError):
        driven(lambda _: catching_all(Together((inner,))))

    assert driven(lambda value: (Mismatch(each, value) for each in ["one"])) == [Mismatch("one", "done")]


def test_a_comparison_cannot_change_what_the_next_one_sees_nor_whoever_asked() -> None:
    document = {"tags": ["a"], "limits": {"most": 1}}
    seen: list[object] = []

    def spoiling(value: Any) -> Judging:
        seen.append(str(value))
        value["tags"].append("b")
        del value["limits"]
        yield Mismatch("spoilt", value)

    def around(value: object) -> Judging:
        yield from Together((bound(spoiling), bound(spoiling))).judge(value, OUTCOME)
        seen.append(str(value))

    asyncio.run(drive(bound(around), document, OUTCOME, never_asked))

    assert seen == [str({"tags": ["a"], "limits": {"most": 1}})] * 3


async def never_asked(ask: Ask) -> AskReply:
    raise AssertionError


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


def test_a_bug_of_a_checker_that_cleans_up_after_a_failing_request_is_told() -> None:
    def asking(value: object) -> Judging:
        try:
            yield QUESTION
        finally:
            raise KeyError("culprit")

    async def answer(ask: Ask) -> AskReply:
        raise ConnectionError("the backend is gone")

    with pytest.raises(JudgingError, match="culprit") as caught:
        asyncio.run(drive(bound(asking), "done", OUTCOME, answer))

    assert isinstance(caught.value.__cause__, KeyError)


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
