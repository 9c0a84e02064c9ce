"""What a run waits for: told far below the place where the run is known, for whoever watches."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Literal, TypeAlias

Wait: TypeAlias = Literal["place", "engine", "answer", "retry"]
"""A place at a busy backend, the start of an engine, the answer, or the time to send a request again."""

Hear: TypeAlias = Callable[[Wait], None]


def _ignore(_: Wait) -> None:
    """Nobody wants to know."""


# Each worker of a suite is a task, with a context of its own; its runs come one after the other.
_hear: ContextVar[Hear] = ContextVar("hear", default=_ignore)


def hear_waits(hear: Hear) -> None:
    """Tell *hear* what is waited for in this task from now on, and nobody else any more."""
    _hear.set(hear)


def waits_for(what: Wait) -> None:
    """Tell whoever listens what is waited for."""
    _hear.get()(what)
