"""Where configuration lives: the folders of the system, the user and the project, broadest first."""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from attrs import frozen

from gekko.errors import ConfigurationError, Issue
from gekko.locations import Location

PROJECT_FOLDER = ".gekko"


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
        ConfigurationError: a scope's root is not a folder, or the one that was asked for does not exist.
    """
    scopes = [Scope("system", _system_root(environ, cwd, platform)), Scope("user", _user_root(environ, home, platform))]
    if (project := _named_root(environ, cwd, config_dir) or _nearest_root(cwd, home)) is not None:
        scopes.append(Scope("project", project))
    existing = [scope for scope in scopes if _is_folder(scope.root)]
    by_folder = {os.path.realpath(scope.root): scope for scope in existing}
    return tuple(scope for scope in existing if by_folder[os.path.realpath(scope.root)] is scope)


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
    if (mode := _mode(root)) is None or not stat.S_ISDIR(mode):
        found = "no such folder" if mode is None else "not a folder"
        raise ConfigurationError([Issue(Location(root), f"{found}, but named by {source}")])
    return root


def _nearest_root(cwd: Path, home: Path) -> Path | None:
    """Return the nearest .gekko from *cwd* upwards, ending at a repository or at *home*, each looked into."""
    # The current folder is given with its links followed, the home folder often is not.
    last = {home, Path(os.path.realpath(home))}
    for folder in (cwd, *cwd.parents):
        if _is_folder(folder / PROJECT_FOLDER):
            return folder / PROJECT_FOLDER
        if folder in last or _mode(folder / ".git") is not None:
            break
    return None


def _is_folder(root: Path) -> bool:
    mode = _mode(root)
    if mode is None or stat.S_ISDIR(mode):
        return mode is not None
    raise ConfigurationError([Issue(Location(root), "not a folder", "a scope is a folder of configuration files")])


def _mode(path: Path) -> int | None:
    """Return the type and permissions of what is at *path*, None where nothing is, or nothing can be seen."""
    try:
        return path.stat().st_mode
    except OSError:
        return None
