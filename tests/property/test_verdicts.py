"""What never changes a verdict, and what can never pass: no green without an answer that earned it."""

import asyncio
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gekko import Ask, AskReply, Format, Outcome
from gekko.checks.registry import GROUP, Registry, discover, registry_of
from gekko.jsontext import compact
from gekko.plan.binding import Binder, Expectations, Surroundings
from gekko.plan.catalog import load_catalog
from gekko.plan.selection import Selection
from gekko.plan.suite import plan_suite
from gekko.plan.trials import Trial
from gekko.sources.scopes import Scope
from gekko.suites.cases import judge
from tests.project import Project
from tests.property.strategies import EXPECT_OF_JSON, EXPECT_OF_TEXT, shuffled

SILENT: Final = EntryPoint("silent", "tests.property.silent:Silent", GROUP)

BUILT_IN: Final = [entry for entry in entry_points(group=GROUP) if entry.dist and entry.dist.name == "gko"]


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Format, Trial]:
    """A planned trial for each output format; the laws try other expectations on it."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.backend("http://127.0.0.1:1")
    project.model()
    formats: list[Format] = ["json", "text"]
    for name in formats:
        project.command(name, f'model = "fast"\n[output]\nformat = "{name}"\n', "{{ input }}")
        project.case(f"{name}/a")
    suite = plan_suite(load_catalog([Scope("project", project.root)]), discover(), Selection(), {})
    return dict(zip(formats, suite.trials, strict=True))


def bound(expect: Mapping[str, object], output_format: Format, registry: Registry) -> Expectations | None:
    """Return the expectations of a case, or None where it is malformed."""
    expectations, problems = Binder(registry).bind(expect, Surroundings(output_format, None, Path(), Path()))
    return None if problems else expectations


def reasons(trial: Trial, expectations: Expectations, outcome: Outcome) -> set[str]:
    """Return why the case fails; nothing where it passes."""
    found = asyncio.run(judge(evolve(trial, expectations=expectations), outcome, nobody))
    # Which of two checkers looks first at a text is no part of the verdict.
    return {str(reason) for reason in found}


async def nobody(ask: Ask) -> AskReply:
    raise AssertionError(ask)


def rejected(output_format: Format) -> Outcome:
    return Outcome(4, output_format, reasons=("the answer is not one JSON text",))


def accepted(output: object, output_format: Format) -> Outcome:
    written = str(output) if output_format == "text" else compact(output)
    return Outcome(0, output_format, written if output_format == "text" else output, written)


EXPECTED: Final[st.SearchStrategy[tuple[Format, dict[str, object]]]] = st.one_of(
    st.tuples(st.just("text"), EXPECT_OF_TEXT), st.tuples(st.just("json"), EXPECT_OF_JSON)
)
"""An output format, and expectations for it; some are malformed."""

OUTPUTS: Final[st.SearchStrategy[object]] = st.text(max_size=4) | st.dictionaries(
    st.sampled_from(["", "a", "~"]), st.sampled_from([0, 1, "a", [], {}, None]), max_size=3
)

HOOKS: Final = st.fixed_dictionaries(
    {},
    optional={
        "exit_code": st.sampled_from([0, 4]),
        "needs_output": st.booleans(),
        "sees_missing": st.booleans(),
    },
)
"""What `silent` answers when it is asked."""


@settings(max_examples=100, deadline=None)
@given(st.data(), EXPECTED, OUTPUTS)
def test_the_order_of_keys_never_changes_a_verdict(
    trials: Mapping[Format, Trial], data: st.DataObject, expected: tuple[Format, dict[str, object]], output: object
) -> None:
    output_format, expect = expected
    other = data.draw(shuffled(expect))

    one, two = (bound(table, output_format, registry_of(BUILT_IN)) for table in (expect, other))

    assert (one is None) == (two is None)
    if one is not None and two is not None:
        for outcome in (accepted(output, output_format), rejected(output_format)):
            trial = trials[output_format]
            assert reasons(trial, one, outcome) == reasons(trial, two, outcome)


@settings(max_examples=200, deadline=None)
@given(EXPECTED, st.none() | HOOKS, st.none() | HOOKS)
def test_a_rejected_answer_passes_only_where_exit_code_4_is_stated(
    trials: Mapping[Format, Trial],
    expected: tuple[Format, dict[str, object]],
    hooks: dict[str, object] | None,
    inner: dict[str, object] | None,
) -> None:
    output_format, expect = expected
    more: dict[str, object] = {} if hooks is None else {"silent": hooks}
    if inner is not None:
        more["/a"] = {"is": {"silent": inner}}
    expectations = bound({**expect, **more}, output_format, registry_of([*BUILT_IN, SILENT]))

    if expectations is not None:
        stated = [expect.get("exit_code"), (hooks or {}).get("exit_code"), (inner or {}).get("exit_code")]
        has_passed = not reasons(trials[output_format], expectations, rejected(output_format))
        assert has_passed == (4 in stated)


@settings(max_examples=100, deadline=None)
@given(EXPECTED, HOOKS, OUTPUTS)
def test_an_accepted_answer_never_passes_where_exit_code_4_is_stated(
    trials: Mapping[Format, Trial],
    expected: tuple[Format, dict[str, object]],
    hooks: dict[str, object],
    output: object,
) -> None:
    output_format, expect = expected
    expectations = bound({**expect, "silent": hooks}, output_format, registry_of([*BUILT_IN, SILENT]))

    if expectations is not None and 4 in (expect.get("exit_code"), hooks.get("exit_code")):
        assert reasons(trials[output_format], expectations, accepted(output, output_format))


@pytest.mark.parametrize("output_format", ["json", "text"])
def test_without_any_expectation_a_rejected_answer_still_fails(
    trials: Mapping[Format, Trial], output_format: Format
) -> None:
    nothing = bound({}, output_format, registry_of([]))

    assert nothing is not None
    [reason] = reasons(trials[output_format], nothing, rejected(output_format))
    assert "the answer is not one JSON text" in reason
