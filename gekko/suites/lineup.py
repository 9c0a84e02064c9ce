"""Who waits for whom: the trials of a suite in lanes, so that none of its workers stands before a busy backend."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from attrs import frozen

from gekko.plan.trials import Trial
from gekko.run.climbing import MOST
from gekko.specs.backend import Backend, Server

Jobs: TypeAlias = int | Literal["auto"]
"""So many trials at a time in all, or at each backend as many as it makes good use of."""


@frozen
class Lane:
    """Trials by position, in the order in which they are taken up, and how many of them may be under way at a time."""

    positions: tuple[int, ...]
    workers: int


def lanes(trials: Sequence[Trial], jobs: Jobs) -> list[Lane]:
    """Return the lanes of a suite: one for each backend, or one in all.

    A backend that takes fewer has no more workers than it takes, so that the others go on with the rest.
    """
    if jobs == 1:
        return [Lane(tuple(range(len(trials))), 1)]
    backends: dict[str, Backend] = {}
    positions: dict[str, list[int]] = {}
    for position, trial in enumerate(trials):
        backend = trial.job.recipe.target.backend.spec
        backends[backend.id] = backend
        positions.setdefault(backend.id, []).append(position)
    most = MOST if jobs == "auto" else jobs
    return [
        Lane(tuple(found), min(len(found), most, _places(backends[name]) or most)) for name, found in positions.items()
    ]


def _places(backend: Backend) -> int | None:
    """Return how many requests a backend takes at a time, None where there is no limit."""
    # The engine answers one request after the other; the time of the others would run meanwhile.
    return backend.max_concurrent if isinstance(backend, Server) else 1
