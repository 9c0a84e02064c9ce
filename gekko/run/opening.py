"""Everything that a run needs while it lasts, opened together and closed together."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from gekko.plan.access import Accesses
from gekko.run.asking import LiveAsker
from gekko.run.backends import Backends
from gekko.run.execute import Executor
from gekko.run.retrying import PacedAsker


@asynccontextmanager
async def executor(
    accesses: Accesses, state: Path, warn: Callable[[str], None], *, waits: bool = True, paces: bool = False
) -> AsyncIterator[Executor]:
    """Yield an executor for the backends of *accesses*; connections and engines end with the block.

    *state* is the folder for logs and for the places at busy backends; *warn* is told where it cannot hold a log. An
    executor that *paces* finds out by itself how much each backend can do, and sends again what got lost on its way.
    """
    # The HTTP client is the heaviest import of all: whoever only checks files does without.
    from gekko.run.http import HttpTransport

    async with HttpTransport() as transport, Backends(accesses, state, warn) as backends:
        asker = LiveAsker(transport, backends, waits)
        yield Executor(PacedAsker(asker) if paces else asker)
