"""What authors run on their own checkers: one call that shows whether a class keeps the promises of the API.

    from gekko.testkit import Example, check_checker

    def test_max_keeps_the_promises() -> None:
        check_checker(Max, key="max", examples=[Example(0.9, holds=[0.9, -1], fails=[0.91, "0.9", None])])

It needs hypothesis, which comes with the extra gko[testkit].
"""

from importlib.util import find_spec

if find_spec("hypothesis") is None:
    raise ImportError("gekko.testkit needs the package hypothesis; install gko[testkit]")

from gekko.testkit.context import Context
from gekko.testkit.examples import Example
from gekko.testkit.kit import check_checker
from gekko.testkit.promises import BrokenPromise, Promise

__all__ = ["BrokenPromise", "Context", "Example", "Promise", "check_checker"]
