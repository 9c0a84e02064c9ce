"""Where gko keeps what outlives a run and is nobody's configuration: logs, and what was said once."""

from collections.abc import Mapping
from pathlib import Path


def state_folder(environ: Mapping[str, str], home: Path) -> Path:
    """Return `$XDG_STATE_HOME/gekko`, or `~/.local/state/gekko` where that variable is unset or no absolute path."""
    base = Path(environ.get("XDG_STATE_HOME", ""))
    return (base if base.is_absolute() else home / ".local" / "state") / "gekko"
