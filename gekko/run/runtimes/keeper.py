"""What can be done with a server that was started, whatever family it is of."""

from typing import Protocol

from gekko.run.runtimes.records import Mark


class Keeper(Protocol):
    """Watches one server, and ends it."""

    @property
    def mark(self) -> Mark:
        """How the server is known again."""
        ...

    async def is_alive(self) -> bool:
        """Return whether it runs. Raises BackendError where that cannot be found out."""
        ...

    async def fate(self) -> str:
        """Say how a server that is not alive ended, and what its log says."""
        ...

    async def end(self) -> None:
        """End it: asked first, forced where it does not comply; whatever is left of it is cleared away.

        Raises:
            BackendError: it lives on.
        """
        ...

    def kill(self) -> None:
        """End it at once, without a chance to say goodbye: gko itself has to end."""
        ...

    async def log_tail(self, lines: int) -> bytes:
        """Return the last lines that it wrote."""
        ...
