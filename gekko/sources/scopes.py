"""Where configuration lives: the folders of the system, the user and the project, broadest first."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from attrs import frozen

from gekko.errors import ConfigurationError, Issue
from gekko.locations import Location, shown_path
from gekko.sources.files import dead_link, is_folder, mode
from gekko.wording import one_of

PROJECT_FOLDER: Final = ".gekko"


@frozen
class Scope:
    """A folder of configuration that exists, and whose it is."""

    name: Literal["system", "user", "project"]
    root: Path


def find_scopes(
    environ: Mapping[str, str], cwd: Path, home: Path, config_dir: Path | None = None, platform: str = sys.platform
) -> tuple[Scope, ...]:
    """Return the scopes that exist, broadest first; *config_dir* is the value of `--config-dir`.

    One folder is one scope: where two lead to the same, it counts as the more local.

    Raises:
        ConfigurationError: a scope's root is not a folder or a link that leads nowhere, or the one that was asked
            for does not exist.
    """
    scopes = [Scope("system", _system_root(environ, cwd, platform)), Scope("user", _user_root(environ, home, platform))]
    if (project := _named_root(environ, cwd, config_dir) or _nearest_root(cwd, home)) is not None:
        scopes.append(Scope("project", project))
    existing = [scope for scope in scopes if _is_scope(scope.root)]
    by_folder = {os.path.realpath(scope.root): scope for scope in existing}
    return tuple(scope for scope in existing if by_folder[os.path.realpath(scope.root)] is scope)


def skipped_scopes(environ: Mapping[str, str], cwd: Path, home: Path, platform: str = sys.platform) -> Iterator[str]:
    """Yield which scope is skipped although somebody may count on it, and why; that is no error."""
    system, user = _system_root(environ, cwd, platform), _user_root(environ, home, platform)
    if why := _unseen(system, is_named=bool(environ.get("GKO_SYSTEM_DIR"))):
        yield f"system, skipped: {shown_path(system)}: {why}"
    if why := _unseen(user, is_named=False):
        yield f"user, skipped: {shown_path(user)}: {why}"
    base = environ.get("XDG_CONFIG_HOME")
    if base and platform != "win32" and not Path(base).is_absolute():
        yield f"user, looked for in {shown_path(user)}: XDG_CONFIG_HOME is {one_of([base])}, which is no absolute path"


def _system_root(environ: Mapping[str, str], cwd: Path, platform: str) -> Path:
    if named := environ.get("GKO_SYSTEM_DIR"):
        return cwd / named
    if platform == "win32":
        return Path(environ.get("PROGRAMDATA") or "C:\\ProgramData", "gekko")
    return Path("/etc/gekko")


def _user_root(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    if platform == "win32":
        roaming = environ.get("APPDATA")
        return Path(roaming, "gekko") if roaming else home / "AppData" / "Roaming" / "gekko"
    # The XDG Base Directory Specification: "If an implementation encounters a relative path [...] it should
    # consider the path invalid and ignore it."
    base = Path(environ.get("XDG_CONFIG_HOME", ""))
    return (base if base.is_absolute() else home / ".config") / "gekko"


def _named_root(environ: Mapping[str, str], cwd: Path, config_dir: Path | None) -> Path | None:
    """Return the project scope that the flag or the variable names, in this order."""
    if config_dir is not None:
        root, source = cwd / config_dir, "--config-dir"
    elif named := environ.get("GKO_CONFIG_DIR"):
        root, source = cwd / named, "GKO_CONFIG_DIR"
    else:
        return None
    if not is_folder(root):
        found = "no such folder" if mode(root) is None else "not a folder"
        raise ConfigurationError([Issue(Location(root), f"{found}, but named by {source}")])
    return root


def _nearest_root(cwd: Path, home: Path) -> Path | None:
    """Return the nearest .gekko from *cwd* upwards, ending at a repository or at *home*, each looked into."""
    # The current folder is given with its links followed, the home folder often is not.
    last = {home, Path(os.path.realpath(home))}
    for folder in (cwd, *cwd.parents):
        if _is_scope(folder / PROJECT_FOLDER):
            return folder / PROJECT_FOLDER
        if folder in last or mode(folder / ".git") is not None:
            break
    return None


def _unseen(root: Path, *, is_named: bool) -> str:
    """Return why nothing can be seen at *root*; that it is missing is worth telling where somebody named it."""
    try:
        root.stat()
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        return "" if is_missing and not is_named else os.strerror(error.errno or 0)
    return ""


def _is_scope(root: Path) -> bool:
    """Return whether there is a folder; anything else by its name was meant to be one."""
    if mode(root) is None:
        # Without what it leads to, the scope would be missing unnoticed, and its cases with it.
        if (issue := dead_link(root)) is not None:
            raise ConfigurationError([issue])
        return False
    if is_folder(root):
        return True
    raise ConfigurationError([Issue(Location(root), "not a folder", "a scope is a folder of configuration files")])
