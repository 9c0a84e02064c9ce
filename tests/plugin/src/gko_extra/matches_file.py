"""The expectation `matches_file`: the text of a file next to the case."""

from typing import ClassVar, Self

from attrs import frozen

from gekko import BindContext, Checker, Format, Fragment, Judging, Mismatch, Outcome, Place, shown


@frozen
class MatchesFile(Checker):
    """The text is that of this file next to the case, but for white space around it.

    [expect]
    matches_file = "expected.txt"
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    formats: ClassVar[frozenset[Format]] = frozenset({"text"})
    fragment: ClassVar[Fragment] = {"type": "string", "minLength": 1}
    name: str
    text: str

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        """Read the file while cases are checked, so that a missing one is found before any request."""
        name = context.structure(value, str)
        return cls(name, context.read_text(name).strip())

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for any other text, and for what is no text."""
        if not isinstance(value, str) or value.strip() != self.text:
            yield Mismatch(f"the text of {self.name}, {shown(self.text)}", value)
