"""Whether a checker class keeps its promises: each is looked at in turn, first by example, then with drawn values."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from attrs import evolve, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from gekko.checks.checker import AskReply, BindError, Checker, Mismatch, Place
from gekko.checks.judging import Bound
from gekko.checks.outcome import MISSING, Format, Outcome
from gekko.jsonschemas import CannotEvaluate
from gekko.testkit.binding import bind, brief, check_declaration, check_fragment, documented
from gekko.testkit.context import Context, refusals
from gekko.testkit.examples import Example, Subject, subjects
from gekko.testkit.judging import judge
from gekko.testkit.promises import BrokenPromise, Promise
from gekko.testkit.strategies import NOT_FINITE, anything, toml_like

REPLIES: Final = (AskReply("yes"), AskReply({"verdict": 1}), AskReply(MISSING, 4, ("the answer is not JSON",)))
"""Whoever asks must take whatever is replied."""

JSON: Final[Format] = "json"


def check_checker(
    checker_class: type[Checker],
    *,
    key: str,
    examples: Sequence[Example],
    refused: Sequence[object] = (),
    comparisons: Mapping[str, type[Checker]] | None = None,
    draws: int = 100,
) -> None:
    """Check that *checker_class*, registered under *key*, keeps every promise of the checker API.

    *examples* say what the key means, with at least one output that holds and one that fails; the values in *refused*
    are malformed. *comparisons* can be nested, besides those that are installed. *draws* values and outputs are drawn
    at each place, the same at every run.

    Raises:
        BrokenPromise: an AssertionError that says which promise is not kept, and what was done instead.
        ValueError: the examples show nothing that holds, nothing that fails, or an output that no command can have.
    """
    kit = _Kit(checker_class, key, tuple(examples), comparisons or {}, draws)
    kit.check_examples_say_something()
    check_declaration(checker_class, key)
    check_fragment(checker_class)
    kit.check_documentation()
    for example in examples:
        kit.check_example(example)
    for value in refused:
        kit.check_refusal(value)
    kit.check_drawn_values()


@frozen
class _Kit:
    checker_class: type[Checker]
    key: str
    examples: tuple[Example, ...]
    comparisons: Mapping[str, type[Checker]]
    draws: int

    def check_examples_say_something(self) -> None:
        if not any(example.holds for example in self.examples) or not any(example.fails for example in self.examples):
            raise ValueError("the examples need at least one output that holds and one that fails")

    def check_documentation(self) -> None:
        surroundings = self._contexts(self._whole())[0]
        for written, place, value in documented(self.checker_class, self.key):
            result = self._bind(value, evolve(surroundings, key=written, place=place))
            if isinstance(result, str):
                raise BrokenPromise(Promise.DOCUMENTATION, f"{brief(value)} in its example is refused: {result}")

    def check_example(self, example: Example) -> None:
        contexts = self._contexts(example)
        for output in (*example.holds, *example.fails):
            if not any(subjects([output], context.place, context.format) for context in contexts):
                raise ValueError(f"no command that '{self.key}' is for can have the output {brief(output)}")
        for context in contexts:
            result = self._bind(example.value, context)
            if isinstance(result, str):
                raise BrokenPromise(Promise.ACCEPTANCE, f"{brief(example.value)} is refused: {result}")
            _check_verdicts(example, result, context)

    def check_refusal(self, value: object) -> None:
        for context in self._contexts(self._whole()):
            if not isinstance(self._bind(value, context), str):
                raise BrokenPromise(Promise.REFUSAL, f"{brief(value)} is accepted")

    def check_drawn_values(self) -> None:
        whole = self._whole()
        for context in self._contexts(whole):
            for value in NOT_FINITE:  # numbers, which no fragment can refuse, and too rare among what is drawn
                self._bind(value, context)
            try:
                self._check_drawn(context, whole.replies or REPLIES)
            except Flaky as error:
                raise BrokenPromise(Promise.DETERMINISM, f"it fails one time and not another: {error}") from error

    def _check_drawn(self, context: Context, replies: Sequence[AskReply]) -> None:
        outputs = [output for example in self.examples for output in (*example.holds, *example.fails)]
        plain = [output for output in outputs if output is not MISSING and not isinstance(output, Outcome)]

        @settings(
            max_examples=self.draws,
            database=None,
            deadline=None,
            derandomize=True,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(
            toml_like([example.value for example in self.examples]),
            st.lists(anything(context.place, context.format, plain), min_size=1, max_size=3),
        )
        def look(value: object, drawn: list[Subject]) -> None:
            result = self._bind(value, context)
            if isinstance(result, Bound):
                for subject in drawn:
                    judge(result, subject, context, replies)

        look()

    def _bind(self, value: object, context: Context) -> Bound | str:
        """Return the bound checker, or the reason why fragment or bind() refuses the value."""
        try:
            problems = refusals(self.checker_class, value)
        except CannotEvaluate as error:
            raise BrokenPromise(Promise.FRAGMENT, f"for {brief(value)}, {error}") from error
        if problems:
            return problems[0].problem
        result = bind(self.checker_class, value, context)
        return str(result) if isinstance(result, BindError) else result

    def _contexts(self, example: Example) -> list[Context]:
        return [
            Context(
                self._written(example, place),
                place,
                output_format,
                example.output_schema,
                example.files,
                self.comparisons,
            )
            for place in Place
            if place in self.checker_class.places
            for output_format in ([JSON] if place is Place.VALUE else sorted(self.checker_class.formats))
        ]

    def _written(self, example: Example, place: Place) -> str:
        return (example.key or "/place") if place is Place.POINTER else self.key

    def _whole(self) -> Example:
        """Return the first example, with the files and replies of all."""
        files = dict(chain.from_iterable(example.files.items() for example in self.examples))
        replies = tuple(chain.from_iterable(example.replies for example in self.examples))
        return evolve(self.examples[0], files=files, replies=replies)


def _check_verdicts(example: Example, bound: Bound, context: Context) -> None:
    def found(subject: Subject) -> list[Mismatch]:
        return judge(bound, subject, context, example.replies or REPLIES)

    for subject in subjects(example.holds, context.place, context.format):
        if mismatches := found(subject):
            reason = f"{brief(example.value)} does not hold for {brief(subject.value)}: {brief(mismatches)}"
            raise BrokenPromise(Promise.VERDICT, reason)
    for subject in subjects(example.fails, context.place, context.format):
        if not found(subject):
            raise BrokenPromise(Promise.VERDICT, f"{brief(example.value)} holds for {brief(subject.value)}")
