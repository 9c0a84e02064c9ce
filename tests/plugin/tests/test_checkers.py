"""Every checker of this distribution keeps the promises of gko's checker API."""

from gko_extra.absent import Absent
from gko_extra.agrees import Agrees
from gko_extra.each import Each
from gko_extra.matches_file import MatchesFile
from gko_extra.max import Max
from gko_extra.max_ms import MaxMs
from gko_extra.not_ import Not

from gekko import MISSING, AskReply, Outcome
from gekko.testkit import Example, check_checker


def test_max() -> None:
    example = Example(0.9, holds=[0.9, -1, 0], fails=[0.91, 10**400, "0.5", True, None, [], MISSING])

    check_checker(Max, key="max", examples=[example], refused=["0.9", True, float("nan"), float("inf")])


def test_not() -> None:
    example = Example({"equals": 3}, holds=[4, "3", None], fails=[3, 3.0, MISSING])

    check_checker(Not, key="not", examples=[example], refused=[3, {}, {"nobody": 3}])


def test_each() -> None:
    example = Example({"min": 0, "max": 1}, holds=[[], [0, 0.5]], fails=[[2], [0, -1], {"0": 0}, 0, MISSING])

    check_checker(Each, key="each", examples=[example], refused=[3, {}], comparisons={"max": Max})


def test_absent() -> None:
    examples = [
        Example(True, holds=[MISSING], fails=[None, 0, {}]),
        Example(False, holds=[None, 0, {}], fails=[MISSING]),
    ]

    check_checker(Absent, key="absent", examples=examples, refused=["true", 1])


def test_max_ms() -> None:
    quick = Outcome(0, "text", output="done", duration_ms=1500.0)
    slow = Outcome(0, "json", output=[], duration_ms=1500.1)

    check_checker(MaxMs, key="max_ms", examples=[Example(1500, holds=[quick], fails=[slow])], refused=[0, "1 s"])


def test_matches_file() -> None:
    example = Example(
        "expected.txt", holds=["one\ntwo", " one\ntwo\n"], fails=["one", 1], files={"expected.txt": "one\ntwo\n"}
    )

    check_checker(MatchesFile, key="matches_file", examples=[example], refused=["", 1, "other.txt", "../expected.txt"])


def test_agrees() -> None:
    asked = {"model": "judge", "question": "Is this answer polite?"}
    examples = [
        Example(asked, holds=["Good morning!", ["Hello"]], replies=[AskReply("Yes, it is.")]),
        Example(asked, fails=["Get lost."], replies=[AskReply("No.")]),
        Example(asked, fails=["Good morning!"], replies=[AskReply(MISSING, 4, ("the answer is empty",))]),
    ]

    check_checker(Agrees, key="agrees", examples=examples, refused=["judge", {"model": "judge"}])
