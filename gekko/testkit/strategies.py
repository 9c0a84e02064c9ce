"""Values that nobody thought of: whatever TOML can write and JSON can hold, and examples with one spot changed."""

from collections.abc import Callable, Sequence
from typing import Final

from attrs import evolve
from hypothesis import strategies as st

from gekko.checks.checker import Place
from gekko.checks.outcome import MISSING, Format
from gekko.limits import JSON_DEPTH
from gekko.testkit.examples import Subject, subjects

SCALARS: Final = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NOT_FINITE: Final = (float("nan"), float("inf"))
TOML_ONLY: Final = st.sampled_from(NOT_FINITE) | st.dates() | st.times() | st.datetimes()


def nested(leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Draw a leaf, or arrays and tables of them."""
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=8
    )


TOML: Final = nested(SCALARS | TOML_ONLY)
JSON: Final = nested(st.none() | SCALARS)


def toml_like(examples: Sequence[object]) -> st.SearchStrategy[object]:
    """Draw any TOML value, or an example with one spot replaced by such a value."""
    return TOML | st.sampled_from(examples).flatmap(lambda example: changed(example, TOML)) if examples else TOML


def json_like(examples: Sequence[object]) -> st.SearchStrategy[object]:
    """Draw any JSON value, or an example with one spot replaced by such a value."""
    return JSON | st.sampled_from(examples).flatmap(lambda example: changed(example, JSON)) if examples else JSON


@st.composite
def changed(draw: st.DrawFn, value: object, replacements: st.SearchStrategy[object]) -> object:
    """Draw *value* as it is, or with one spot replaced."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        name = draw(st.sampled_from(sorted(value)))
        return {**value, name: draw(changed(value[name], replacements))}
    if isinstance(value, list) and value and draw(st.booleans()):
        index = draw(st.integers(0, len(value) - 1))
        return [*value[:index], draw(changed(value[index], replacements)), *value[index + 1 :]]
    return draw(st.just(value) | replacements)


@st.composite
def anything(draw: st.DrawFn, place: Place, output_format: Format, examples: Sequence[object]) -> Subject:
    """Draw what `judge` can be given at *place*, with an outcome whose every detail is drawn too."""
    values = st.text() if output_format == "text" else DEEP | json_like(examples)
    [subject] = subjects([draw(values | st.just(MISSING))], place, output_format)
    count = st.none() | st.integers(0, 10**6)
    outcome = evolve(
        subject.outcome,
        finish_reason=draw(st.none() | st.sampled_from(["stop", "length", ""])),
        model_requested=draw(st.sampled_from(["fast", "slow"])),
        model_answered=draw(st.none() | st.text()),
        duration_ms=draw(st.floats(0, 10**7)),
        prompt_tokens=draw(count),
        completion_tokens=draw(count),
    )
    return evolve(subject, outcome=outcome)


def deep(shell: Callable[[object], object]) -> object:
    """Return a value that nests as deeply as an output can."""
    value: object = "at the bottom"
    for _ in range(JSON_DEPTH):
        value = shell(value)
    return value


DEEP: Final = st.sampled_from([deep(lambda inner: [inner]), deep(lambda inner: {"": inner})])
