"""The expectation `contains`: strings that must stand in a text."""

from typing import ClassVar

from attrs import frozen

from gekko import Checker, Format, Fragment, Judging, Mismatch, Outcome, Place, shown


@frozen
class Contains(Checker):
    """Each of these strings stands in the text, letter by letter.

    [expect]
    contains = ["feat:", "#42"]
    """

    api: ClassVar[int] = 1
    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    formats: ClassVar[frozenset[Format]] = frozenset({"text"})
    fragment: ClassVar[Fragment] = {
        "type": "array",
        "minItems": 1,
        "items": {"type": "string", "minLength": 1},
    }
    parts: tuple[str, ...]

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield a mismatch for each string that is missing, or one for a value that is no string."""
        if not isinstance(value, str):
            yield Mismatch(f"a string that contains {', '.join(map(shown, self.parts))}", value)
            return
        for part in self.parts:
            if part not in value:
                yield Mismatch(f"a text that contains {shown(part)}", value)
