"""Files that a process locks as long as it writes them: whether one still does, or was killed over it."""

import os
from contextlib import suppress
from pathlib import Path

from gekko.run.locks import lock_now


def is_being_written(path: Path) -> bool:
    """Return whether a living process writes the file at *path*; False where the file system has no locks."""
    try:
        descriptor = lock_now(path)
    except OSError:
        return False
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def delete_abandoned(path: Path) -> None:
    """Delete the file at *path*, unless a living process writes it; one that cannot be deleted stays."""
    with suppress(OSError):
        descriptor = lock_now(path)
        if descriptor is None:
            return
        try:
            path.unlink()
        finally:
            os.close(descriptor)
