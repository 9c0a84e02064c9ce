"""Imports point one way, and each library has one owner: `pyproject.toml` says so, and some is beyond its contracts."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gekko

ROOT = Path(__file__).parent.parent
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

# One import for each contract that breaks it.
BREACHES = {
    "Imports point one way": ("gekko/specs/case.py", "import gekko.plan.suite"),
    "The test kit needs no plan and runs nothing": ("gekko/testkit/context.py", "import gekko.plan.catalog"),
    "The contract with checkers knows no file": ("gekko/checks/outcome.py", "import gekko.sources.files"),
    "The engine knows no checker by name": ("gekko/plan/suite.py", "import expectations.exit_code"),
    "The built-in checkers use the public API alone": ("expectations/min.py", "from gekko import jsontext"),
    "Only run and suites wait, and the command line starts them": ("gekko/plan/job.py", "import asyncio"),
    "One owner of aiohttp and yarl": ("gekko/run/execute.py", "from aiohttp import ClientError"),
    "One owner of cattrs": ("gekko/specs/backend.py", "from cattrs import Converter"),
    "One owner of click": ("gekko/report/table.py", "import click"),
    "One owner of hypothesis": ("gekko/checks/checker.py", "import hypothesis"),
    "One owner of jsonpointer": ("expectations/pointer.py", "import jsonpointer"),
    "One owner of jsonschema and referencing": ("gekko/plan/recipes.py", "from referencing import Registry"),
    "One owner of mcp": ("gekko/mcp/calls.py", "from mcp import types"),
    "One owner of tomlkit": ("gekko/sources/document.py", "import tomlkit"),
    "One owner of xllamacpp": ("gekko/run/engine.py", "import xllamacpp"),
}

MAY_READ_METADATA = {"gekko/checks/registry.py", "gekko/sources/weights.py"}


def lint(folder: Path) -> dict[str, str]:
    """Return the verdict of every contract on the packages in *folder*."""
    done = subprocess.run([LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)
    lines = (line.rpartition(" ") for line in done.stdout.splitlines())
    return {name: verdict for name, _, verdict in lines if verdict in {"KEPT", "BROKEN"}}


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of both packages with their contracts."""
    for package in ("gekko", "expectations"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_contract_is_kept() -> None:
    assert lint(ROOT) == dict.fromkeys(BREACHES, "KEPT")


def test_every_contract_notices_its_breach(copied: Path) -> None:
    for name, line in BREACHES.values():
        with (copied / name).open("a") as file:
            file.write(f"\n{line}\n")

    assert lint(copied) == dict.fromkeys(BREACHES, "BROKEN")


def test_a_new_module_must_be_given_its_layer(copied: Path) -> None:
    (copied / "gekko/newcomer.py").touch()

    assert lint(copied)["Imports point one way"] == "BROKEN"


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a file imports, wherever in it: the module, and the name taken from it, if any."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_two_modules_read_the_metadata_of_installed_distributions() -> None:
    # The linter sees a library of Python's own as one module: `importlib`.
    readers = {
        path.relative_to(ROOT).as_posix()
        for package in ("gekko", "expectations")
        for path in (ROOT / package).rglob("*.py")
        for module, name in imported(path)
        if f"{module}.{name}".startswith("importlib.metadata")
    }

    assert readers == MAY_READ_METADATA


def test_what_the_built_in_checkers_import_is_promised() -> None:
    taken = {
        name
        for path in (ROOT / "expectations").glob("*.py")
        for module, name in imported(path)
        if module.partition(".")[0] == "gekko"
    }

    assert taken <= set(gekko.__all__)
