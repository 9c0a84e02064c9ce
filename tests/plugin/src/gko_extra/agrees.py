"""The expectation `agrees`: another model's opinion of the output."""

from typing import ClassVar

from attrs import frozen

from gekko import Ask, AskModel, Checker, Fragment, Judging, Message, Mismatch, Outcome, Place, shown


@frozen
class Agrees(Checker):
    """The model answers the question about the output with a text that begins with "yes".

    [expect]
    agrees = { model = "judge", question = "Is this answer polite?" }
    """

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT, Place.VALUE})
    fragment: ClassVar[Fragment] = {
        "type": "object",
        "required": ["model", "question"],
        "additionalProperties": False,
        "properties": {
            "model": {"type": "string", "minLength": 1},
            "question": {"type": "string", "minLength": 1},
        },
    }
    model: str
    question: str

    @property
    def models_asked(self) -> tuple[str, ...]:
        """The model named, so that an unknown one is found before any request."""
        return (self.model,)

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Ask, and yield a mismatch for every reply but a yes."""
        text = value if isinstance(value, str) else shown(value, 10_000)
        asked = Message("user", f"{self.question}\nAnswer yes or no.\n\n{text}")
        reply = yield Ask(AskModel(self.model, (asked,)))
        if not isinstance(reply.output, str) or not reply.output.strip().casefold().startswith("yes"):
            answered = shown("; ".join(reply.reasons) if reply.exit_code else reply.output)
            yield Mismatch(f"a yes of the model '{self.model}' to {shown(self.question)}, which said {answered}", value)
