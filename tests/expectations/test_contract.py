"""Every built-in expectation is registered like anybody else's and keeps the promises of the checker API."""

from datetime import date
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import pytest

import expectations
from gekko import MISSING, Outcome
from gekko.checks.registry import discover
from gekko.testkit import Example, check_checker

REJECTED: Final = Outcome(4, "text", reasons=("the answer has 2 lines",))
ACCEPTED: Final = Outcome(0, "text", output="done", written="done")

DOCUMENT: Final = {"category": "hardware", "confidence": 0.9, "tags": ["a", "b"], "": 0, "a/b~": None}

EXAMPLES: Final[dict[str, list[Example]]] = {
    "exit_code": [
        Example(0, holds=[ACCEPTED], fails=[REJECTED, MISSING]),
        Example(4, holds=[REJECTED, MISSING], fails=[ACCEPTED]),
    ],
    "/pointer": [
        Example("hardware", key="/category", holds=[DOCUMENT], fails=[{}, [], "hardware", {"category": "Hardware"}]),
        Example({"min": 0.8}, key="/confidence", holds=[DOCUMENT], fails=[{"confidence": 0.79}, {"confidence": "1"}]),
        Example({"min": 0.8, "max": 1}, key="/0", holds=[[{"max": 1.0, "min": 0.8}]], fails=[[0.9], [{"min": 0.8}]]),
        Example({"is": {"equals": "b", "lines": 1}}, key="/tags/1", holds=[DOCUMENT], fails=[{"tags": ["b", "a"]}]),
        Example(0, key="/", holds=[DOCUMENT, {"": 0.0}], fails=[{"": False}, {}]),
    ],
    "min": [
        Example(0.8, holds=[0.8, 1, 10**400], fails=[0.79, -(10**400), "1", True, None, [1], MISSING]),
        Example(2**53 + 1, holds=[2**53 + 1, 2.0**54], fails=[2.0**53, 2**53]),
    ],
    "equals": [
        Example(1, holds=[1, 1.0], fails=[True, "1", None, [1], 1.5, MISSING]),
        Example({"a": [1, {"b": "é"}]}, holds=[{"a": [1.0, {"b": "é"}]}], fails=[{"a": [{"b": "é"}, 1]}, {"a": 1}]),
    ],
    "lines": [
        Example(0, holds=["", " \n\t\r\n"], fails=["a"]),
        Example(2, holds=["a\n\nb", "a\r\nb"], fails=["a", "a\rb", 2, ["a", "b"], MISSING]),
    ],
    "contains": [
        Example(["feat:", "#4"], holds=["feat: add #42", "#4 feat:"], fails=["Feat: #4", "", ["feat:", "#4"]])
    ],
}

REFUSED: Final[dict[str, list[object]]] = {
    "exit_code": [1, 3, -4, 0.0, 4.0, True, False, "0", [0], {}],
    "/pointer": [{"min": "x"}, {"min": True}, {"is": 1}, {"is": {}}, {"is": []}, {"is": {"mim": 1}}, date(2026, 1, 1)],
    "min": ["1", True, [1], {}, float("nan"), float("inf"), date(2026, 1, 1)],
    "equals": [date(2026, 1, 1), [float("nan")], {"a": {"b": float("-inf")}}],
    "lines": [-1, 1.0, 1.5, True, "1", [1], {}],
    "contains": [[], [""], ["a", ""], "a", [1], {"a": 1}],
}


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_built_in_expectation_keeps_every_promise(key: str) -> None:
    registry = discover()
    claim = registry.find(key)

    assert claim is not None

    check_checker(registry.load(claim), key=key, examples=EXAMPLES[key], refused=REFUSED[key])


def test_every_module_of_the_package_is_registered_by_this_distribution() -> None:
    modules = {path.stem for path in Path(next(iter(expectations.__path__))).glob("[!_]*.py")}

    registered = [
        entry for entry in entry_points(group="gekko.expectations") if entry.dist and entry.dist.name == "gko"
    ]

    assert {entry.name for entry in registered} == EXAMPLES.keys()
    assert {entry.module for entry in registered} == {f"expectations.{module}" for module in modules}
