"""The expectation `exit_code`: how the run must end."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Fragment, Judging, Outcome, Place


@frozen
class ExitCode(Checker):
    """The run ends with this exit code: 0, or 4 for an answer that breaks the command's output contract.

    [expect]
    exit_code = 4
    """

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})
    fragment: ClassVar[Fragment] = {"enum": [0, 4]}
    # Bound as an integer, which `enum` alone does not say: in JSON, 4.0 equals 4.
    code: int

    @property
    def expected_exit_code(self) -> int:
        """The code itself: the engine does the rest, and fails the run on any other."""
        return self.code

    @property
    def needs_output(self) -> bool:
        """No: a rejected answer is what the code 4 is about."""
        return False

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield nothing: a run that ended otherwise has failed before this is asked."""
        yield from ()
