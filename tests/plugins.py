"""Expectations made up for one test, installed where only the processes of its project see them."""

from tests.checks.installed import install, module
from tests.project import Project

IMPORTS = """\
import time
from pathlib import Path
from typing import ClassVar

from gekko import Ask, AskModel, Checker, Message, Mismatch, Place
"""


def plug_in(project: Project, key: str, methods: str) -> None:
    """Install the expectation *key* of `gko-made-up 3.2`: a checker for `[expect]` with these methods."""
    site = project.folder / "site"
    body = "\n".join(f"    {line}" for line in methods.strip().splitlines())
    module(site, "made_up", f"{IMPORTS}\nclass MadeUp(Checker):\n    places = frozenset({{Place.EXPECT}})\n\n{body}\n")
    install(site, "gko-made-up", {key: "made_up:MadeUp"}, "3.2")
    project.environ["PYTHONPATH"] = str(site)
