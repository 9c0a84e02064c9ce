"""A case file: what a command is given, and what is expected of the answer."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from math import ceil
from typing import Any, ClassVar, Final

from attrs import Factory, frozen

from gekko.errors import Problem
from gekko.specs.rules import all_words, at_most, distinct, not_blank, not_empty, positive, positive_share
from gekko.specs.structure import ruled

EXPECT: Final[tuple[str, ...]] = ("expect",)
"""The table of a case that counts for every model for which no other does."""

MOST_RUNS: Final = 10_000
"""Runs of one case; a rule that asks for more is a slip, and would go on for days."""


@frozen
class FileInput:
    """An input that stands in a file next to the case."""

    file: str = ruled(not_empty, doc="The name of a file next to the case.")


@frozen(kw_only=True)
class Repeat:
    """How often a case runs, and how many of its runs must pass."""

    TOGETHER: ClassVar[Mapping[str, Any]] = {"oneOf": [{"required": ["min_pass"]}, {"required": ["min_rate"]}]}

    runs: int = ruled(positive, at_most(MOST_RUNS), doc="How often the case runs; `--repeat` replaces this number.")
    min_pass: int | None = ruled(positive, default=None, doc="At least so many of the runs must pass.")
    min_rate: float | None = ruled(
        positive_share, default=None, doc="At least this share of the runs must pass, above 0 and up to 1."
    )

    def needed(self, runs: int) -> int:
        """Return how many of *runs* runs must pass."""
        if self.min_pass is not None:
            return self.min_pass
        # 0.7 * 10 is a little more than 7, and would ask for 8; and of no share is none enough.
        return max(1, ceil(round((self.min_rate or 0) * runs, 9)))


@frozen(kw_only=True)
class ForModels:
    """What is different for some models."""

    TOGETHER: ClassVar[Mapping[str, Any]] = {"minProperties": 1}

    expect: Mapping[str, object] | None = ruled(
        default=None, doc="What is expected of the answers of these models, in the place of `[expect]`."
    )
    xfail: str | None = ruled(
        not_blank, default=None, doc="Why these models are known to fail the case; if they pass, the case fails."
    )


@frozen(kw_only=True)
class Case:
    """The content of a case file. What it expects stays raw: only the registry knows what the keys mean."""

    input: str | FileInput = ruled(doc="What the command is given: a text, or the name of a file next to the case.")
    expect: Mapping[str, object] = ruled(doc="What is expected of the answer; it may be empty.")
    args: Mapping[str, str | int] = ruled(default=Factory(dict), doc="Arguments of the command, by name.")
    tags: tuple[str, ...] = ruled(all_words, distinct, default=(), doc="Words by which `--tag` selects the case.")
    repeat: Repeat | None = ruled(default=None, doc="How often the case runs, and how many of its runs must pass.")
    model: Mapping[str, ForModels] = ruled(
        default=Factory(dict), doc="What is different for some models: by id, or by a pattern such as `gpu-*`."
    )

    def for_model(self, model: str) -> str | None:
        """Return which key of `model` counts for a model: its very id, else the first pattern that fits it."""
        if model in self.model:
            return model
        return next((pattern for pattern in self.model if fnmatchcase(model, pattern)), None)


def contradictions(case: Case) -> list[Problem]:
    """Return what in a case can never hold, or says nothing."""
    found: list[Problem] = []
    if case.repeat is not None:
        found += (problem.below("repeat") for problem in _impossible(case.repeat))
    for pattern, different in case.model.items():
        if different.expect is None and different.xfail is None:
            hint = "accepted here: expect and xfail"
            found.append(Problem("says nothing that is different for these models", hint, ("model", pattern)))
    return found


def _impossible(rule: Repeat) -> list[Problem]:
    if (rule.min_pass is None) == (rule.min_rate is None):
        found = "found neither" if rule.min_pass is None else "found both"
        return [Problem(f"expected either 'min_pass' or 'min_rate', {found}")]
    if rule.min_pass is not None and rule.min_pass > rule.runs:
        return [Problem(f"{rule.min_pass} of {rule.runs} runs can never pass", f"at most {rule.runs}", ("min_pass",))]
    return []
