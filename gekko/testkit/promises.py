"""What a checker class promises, and how the kit says that a promise is broken."""

from enum import Enum


class Promise(Enum):
    """The promises of a checker class, in the order in which they are looked at."""

    DECLARATION = "the class declares what the registry asks for"
    FRAGMENT = "the fragment is a JSON Schema of draft-07 and refers to nothing but COMPARISONS"
    DOCUMENTATION = "the docstring says what holds, and shows it in a TOML example that can be bound"
    ACCEPTANCE = "fragment and bind() accept the value of every example"
    REFUSAL = "fragment or bind() refuses every value that is listed as refused"
    BINDING = "bind() returns an instance or raises a BindError that gives a reason and its place, and nothing else"
    EQUALITY = "binding one value twice gives two equal checkers"
    HOOKS = "the hooks answer in the promised types, and always the same"
    GENERATOR = "judge() is a generator that yields only Mismatch and Ask, and ends"
    ROBUSTNESS = "judge() raises nothing, whatever stands in the output"
    DETERMINISM = "judge() yields the same for the same value, outcome and replies"
    PURITY = "bind() and judge() change nothing that they are given"
    MISMATCHES = "a mismatch says what was expected, and what JSON value was found at a place of the judged value"
    ASKING = "judge() asks nobody but the models and commands that the hooks name"
    VERDICT = "what holds yields no mismatch, and what fails yields at least one"


class BrokenPromise(AssertionError):  # noqa: N818 (a failed test, not an error of the program)
    """A checker class does not keep *promise*; *reason* says what it did instead."""

    def __init__(self, promise: Promise, reason: str) -> None:
        super().__init__(f"{promise.name}: {promise.value}; but {reason}")
        self.promise = promise
        self.reason = reason
