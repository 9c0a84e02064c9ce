"""Why a recording has no answer to what is asked: which part of the request changed since, or what was never asked."""

from collections.abc import Iterable
from typing import ClassVar, Final

from gekko.plan.fingerprints import case_parts, changed_parts, command_parts, digest_of
from gekko.plan.inputs import InFile
from gekko.plan.targets import Target
from gekko.plan.trials import Trial
from gekko.record.recordings import Purpose, Recording
from gekko.run.asking import NoAnswerError
from gekko.sources.files import mode
from gekko.sources.listing import recording_path
from gekko.wording import counted, first_of, one_of

REMEDY: Final = "--replay=missing asks what is missing, --record asks everything anew"

OF_A_FALLBACK: Final = ("generation", "model", "operation")
"""The parts of a fallback that it does not share with the model that it stands in for."""


class NotRecordedError(NoAnswerError):
    """What was recorded has no answer to a request, and there is nobody else to ask."""

    has_asked: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message, 0.0)


def recorded_parts(trial: Trial) -> dict[str, str]:
    """Return a digest of each part that the requests of a trial's runs depend on.

    Of the environment there is one only where a template uses it: from the digest of a short value that stands alone
    the value could be guessed.
    """
    recipe = trial.job.recipe
    parts = command_parts(recipe)
    del parts["output"]
    if not recipe.command.env:
        del parts["environment"]
    if recipe.fallback is not None:
        other = command_parts(recipe.fallback)
        parts["fallback"] = digest_of([other[name] for name in OF_A_FALLBACK])
    parts |= case_parts(trial)
    if isinstance(trial.input, InFile) and recipe.command.takes_bytes:
        parts["input"] = digest_of([trial.input.path.name, parts["input"]])  # its name is sent as well
    return parts


def why_not_recorded(trial: Trial, index: int, known: Recording, purpose: Purpose, target: Target) -> str:
    """Return what the recording *known* lacks for the *index*-th run of *trial*, which asks *target* for something."""
    name, model = recording_path(trial.path).name, trial.model
    if not known:
        is_there = mode(recording_path(trial.path)) is not None
        return f"{name} has nothing but its first line" if is_there else f"there is no recording of it, {name}"
    if model not in known:
        return f"{name} has nothing of the model '{model}'; it has {one_of(sorted(known), conjunction='and')}"
    tape = known[model]
    changed = changed_parts(tape.parts, recorded_parts(trial))
    if index not in tape.runs and not changed:
        return f"{name} has {runs_in_words(tape.runs)} on the model '{model}', and not number {index + 1}"
    if purpose == "question":
        asked = f"what an expectation asks the model '{target.id}'"
        is_known = any(each.purpose == purpose and each.asked == target.id for each in tape.runs.get(index, ()))
        return f"{asked} has changed since {name} was recorded" if is_known else f"{name} has nothing of {asked}"
    if not changed:
        return f"{name} is of another request, though no part of it has changed: another version of gko made it"
    return f"{in_words(changed)} changed since {name} was recorded"


def runs_in_words(indices: Iterable[int]) -> str:
    """Return how many runs these are, and which ones where they are not the first, as people count: from 1."""
    numbers = [index + 1 for index in sorted(indices)]
    if not numbers:
        return "no run"
    count = counted(len(numbers), "run")
    return count if numbers[-1] == len(numbers) else f"{count}, number {first_of([*map(str, numbers)])},"


def in_words(parts: list[str]) -> str:
    """Return the names of parts as they stand before "changed"; nothing for none."""
    if not parts:
        return ""
    return f"{one_of(parts, conjunction='and')} {'has' if len(parts) == 1 else 'have'}"
