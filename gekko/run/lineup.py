"""Who waits for whom: the trials of a suite in lanes, so that none of its workers stands before a busy backend."""

from collections.abc import Sequence

from attrs import frozen

from gekko.plan.trials import Trial
from gekko.specs.backend import Backend, Server


@frozen
class Lane:
    """Trials by position, in the order in which they are taken up, and how many of them may be under way at a time."""

    positions: tuple[int, ...]
    workers: int


def lanes(trials: Sequence[Trial], jobs: int) -> list[Lane]:
    """Return the lanes of a suite that runs *jobs* trials at a time: one for each backend, or one in all.

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
    return [
        Lane(tuple(found), min(len(found), jobs, _places(backends[name]) or jobs)) for name, found in positions.items()
    ]


def _places(backend: Backend) -> int | None:
    """Return how many requests a backend takes at a time, None where there is no limit."""
    # The engine answers one request after the other; the time of the others would run meanwhile.
    return backend.max_concurrent if isinstance(backend, Server) else 1
