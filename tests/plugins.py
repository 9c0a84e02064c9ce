"""Expectations made up for one test, installed where only the processes of its project see them."""

from textwrap import dedent, indent

from tests.checks.installed import install, module
from tests.project import Project

IMPORTS = """\
import time
from pathlib import Path
from typing import ClassVar

from attrs import frozen

from gekko import Ask, AskCommand, AskModel, Checker, Message, Mismatch, Place
"""


HEAD = """\
@frozen
class MadeUp(Checker):
    \"""Made up.\"""

    places: ClassVar = frozenset({Place.EXPECT})
    given: object
"""


def plug_in(project: Project, key: str, methods: str) -> None:
    """Install the expectation *key* of `gko-made-up 3.2`: a checker with these methods, its value in `self.given`."""
    site = project.folder / "site"
    module(site, "made_up", f"{IMPORTS}\n\n{HEAD}\n{indent(dedent(methods), '    ')}")
    install(site, "gko-made-up", {key: "made_up:MadeUp"}, "3.2")
    project.environ["PYTHONPATH"] = str(site)
