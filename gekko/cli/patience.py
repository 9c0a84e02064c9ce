"""Telling a person what a command waits for, before they take it for one that hangs."""

import asyncio
from collections.abc import Iterator
from typing import Final

from attrs import define, field

from gekko.cli.session import Session
from gekko.plan.targets import Target
from gekko.run.waiting import Wait
from gekko.specs.backend import Server
from gekko.wording import counted

PATIENCE_SECS: Final = 1.5
"""A shorter wait for a place at a busy backend is not worth a line."""


@define
class Patience:
    """Hears what one call waits for; *targets* are asked in this order."""

    _session: Session
    _targets: Iterator[Target]
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)

    def hear(self, what: Wait) -> None:
        """Tell of a wait for a place, unless it is over soon."""
        if self._timer is not None:
            self._timer.cancel()
        if what == "place" and (target := next(self._targets, None)) is not None:
            self._timer = asyncio.get_running_loop().call_later(PATIENCE_SECS, self._tell, target)

    def _tell(self, target: Target) -> None:
        server = target.backend.spec
        if isinstance(server, Server) and server.max_concurrent is not None:
            taken = counted(server.max_concurrent, "request")
            busy = f"backend '{server.id}' is busy: it takes {taken} at a time (max_concurrent)"
            self._session.note(f"{busy}; waiting for a place, which --no-wait does not")
