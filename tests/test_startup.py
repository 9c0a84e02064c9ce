"""What each way to call the program imports: nothing heavy before it is used."""

import subprocess
import sys

import pytest

from tests.project import FRONT, GKO, JSON_OUTPUT, Project

LIBRARIES = {
    "aiohttp",
    "attr",
    "attrs",
    "cattrs",
    "click",
    "jsonpointer",
    "jsonschema",
    "referencing",
    "tomlkit",
    "yarl",
}


def imported(project: Project, *command: str) -> set[str]:
    """Return the names of the modules that Python imports to run *command*, beyond those of every start."""
    return _modules(project, *command) - _modules(project, "-c", "pass")


def _modules(project: Project, *command: str) -> set[str]:
    # Where coverage is measured, it would import some of them.
    environ = {name: value for name, value in project.environment().items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        cwd=project.folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def test_the_version_is_told_without_any_library(project: Project) -> None:
    modules = imported(project, str(GKO), "--version")

    assert "gekko.cli.app" in modules
    assert modules & (LIBRARIES | {"asyncio", "importlib.metadata", "json"}) == set()


def test_importing_the_api_imports_nothing_else(project: Project) -> None:
    modules = imported(project, "-c", "import gekko; gekko.__version__")

    assert "gekko._version" in modules
    assert modules & (LIBRARIES | {"asyncio", "importlib.metadata", "gekko.checks.checker"}) == set()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param((), id="all"),
        pytest.param(("config",), id="group"),
        pytest.param(("config", "test"), id="built-in"),
        pytest.param(("tickets", "classify"), id="configured"),
    ],
)
def test_help_waits_for_nothing_and_asks_nobody(project: Project, command: tuple[str, ...]) -> None:
    project.command("tickets/classify", FRONT + JSON_OUTPUT)

    modules = imported(project, str(GKO), *command, "--help")

    assert "click" in modules
    assert modules & {"aiohttp", "asyncio", "importlib.metadata", "jsonschema", "referencing", "tomlkit"} == set()


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(("config", "test", "--dry-run"), id="suite"),
        pytest.param(("classify", "--dry-run"), id="command"),
    ],
)
def test_a_dry_run_opens_no_transport(project: Project, args: tuple[str, ...]) -> None:
    project.command("classify")
    project.case("classify/printer")

    modules = imported(project, str(GKO), *args)

    assert "gekko.plan.job" in modules
    assert modules & {"aiohttp", "gekko.run.http", "jsonschema", "tomlkit"} == set()
