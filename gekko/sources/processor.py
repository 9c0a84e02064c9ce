"""Whether this machine can run the embedded engine."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from gekko.wording import one_of

PROCESSOR_FLAGS: Final = ("avx2", "fma", "f16c", "bmi2")
"""What the engine's build for x86-64 takes for granted."""


def engine_problem(cpuinfo: Path = Path("/proc/cpuinfo")) -> tuple[str, str] | None:
    """Return why no engine can run here and what would help, or None where nothing speaks against it."""
    if find_spec("xllamacpp") is None:
        return "the embedded engine is not installed", "install it with `pip install 'gko[local]'`"
    missing = missing_flags(cpuinfo)
    if missing:
        hint = "use a backend of type 'openai-compatible'"
        return f"this processor cannot run the embedded engine: it lacks {one_of(missing, conjunction='and')}", hint
    return None


def missing_flags(cpuinfo: Path) -> tuple[str, ...]:
    """Return the flags that an x86-64 processor lacks; other processors, and systems without the file, list none."""
    try:
        lines = cpuinfo.read_text("ascii", "replace").splitlines()
    except OSError:
        return ()
    flags = next((line.split() for line in lines if line.startswith("flags")), PROCESSOR_FLAGS)
    return tuple(flag for flag in PROCESSOR_FLAGS if flag not in flags)
