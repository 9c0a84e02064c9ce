"""What a run left behind is nobody's to change: whoever looks at a document gets one of their own."""

from collections import OrderedDict
from typing import Any

import pytest
from attrs import evolve

from gekko import MISSING, Outcome
from gekko.checks.outcome import copied


def nested(levels: int) -> object:
    value: object = "inside"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize(
    "output",
    [
        "text",
        MISSING,
        None,
        True,
        10**999,
        [],
        {"": [1, 2.5, None, True, "ß\ud800", {"a": {}}]},
        nested(200),
    ],
    ids=lambda output: repr(output)[:20],
)
def test_the_output_is_what_was_given(output: object) -> None:
    outcome = Outcome(0, "json", output, "written")

    assert outcome.output == output
    assert (outcome, outcome.written) == (Outcome(0, "json", output=output, written="written"), "written")
    assert evolve(outcome, exit_code=4).output == output
    assert evolve(outcome, output="another").output == "another"


def test_what_is_done_to_it_changes_nothing() -> None:
    outcome = Outcome(0, "json", output={"tags": ["a"], "limits": {"most": 1}})

    document: Any = outcome.output
    document["tags"].append("b")
    document["limits"].clear()
    del document["tags"]

    assert outcome.output == {"tags": ["a"], "limits": {"most": 1}}


@pytest.mark.parametrize("value", [[{1, 2}, object], OrderedDict(a=[1]), nested(300), {"a": OrderedDict()}])
def test_what_is_no_json_is_copied_as_well(value: Any) -> None:
    around: Any = copied([value])
    copy = around[0]

    assert type(copy) is type(value)
    assert repr(copy) == repr(value)
    assert copy is not value
