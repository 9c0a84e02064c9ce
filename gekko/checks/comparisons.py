"""Comparisons that stand together in a table, such as the `is` of a pointer: bound one by one, judging one value."""

from collections.abc import Callable

from attrs import frozen

from gekko.checks.checker import BindError, Judging, Mismatch
from gekko.checks.judging import Bound, guarded
from gekko.checks.outcome import MISSING, Outcome, copied
from gekko.errors import Problem
from gekko.locations import KeyPath
from gekko.wording import described


@frozen
class Together:
    """Bound comparisons that judge one value: implements Comparisons."""

    members: tuple[Bound, ...]

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield what each comparison yields; where the place is missing, ask only those that want to know.

        Each is given a copy, so that none can change what the next one sees, or whoever asked.
        """
        asked = [member for member in self.members if value is not MISSING or member.sees_missing]
        if len(asked) < len(self.members):
            yield Mismatch(expected="a value", found=MISSING)
        for member in asked:
            yield from guarded(member, copied(value), outcome)


def bind_together(table: object, at: KeyPath, bind_one: Callable[[str, object], Bound]) -> Together:
    """Bind each comparison of a table that stands at *at* inside a checker's value.

    Raises:
        BindError: it is not a table, it is empty, or some comparisons cannot be bound; with every reason.
    """
    if not isinstance(table, dict) or not table:
        raise BindError(f"expected a table of comparisons, found {described(table)}", "such as { min = 0.8 }", at)
    members: list[Bound] = []
    problems: list[Problem] = []
    for key, value in table.items():
        try:
            members.append(bind_one(key, value))
        except BindError as error:
            problems += (problem.below(*at, key) for problem in error.problems)
    if problems:
        raise BindError.of(problems)
    return Together(tuple(members))
