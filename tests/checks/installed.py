"""Made-up distributions, installed in a folder of a test and nowhere else."""

import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

from gekko.checks.registry import GROUP, Registry, registry_of


def install(site: Path, name: str, entries: Mapping[str, str] | str, version: str = "1.0") -> Path:
    """Write what an installer leaves of a distribution that registers *entries*; return the folder of its metadata."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = entries if isinstance(entries, str) else "\n".join(f"{key} = {target}" for key, target in entries.items())
    (folder / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")
    return folder


def entries_in(*sites: Path) -> list[EntryPoint]:
    """Return what the distributions in *sites* register, in the order of the folders."""
    found = (dist for site in sites for dist in distributions(path=[str(site)]))
    return [entry for dist in found for entry in dist.entry_points if entry.group == GROUP]


def registry_in(*sites: Path) -> Registry:
    """Return the registry of an environment that has *sites* alone."""
    return registry_of(entries_in(*sites))


def module(site: Path, name: str, source: str) -> None:
    """Write a module that can be imported once *site* is on the path."""
    site.mkdir(exist_ok=True)
    (site / f"{name}.py").write_text(source)
    sys.modules.pop(name, None)
