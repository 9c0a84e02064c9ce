"""What is built and installed: the contents of both distributions, and the installed program with and without plug-ins.

All after the build happens in a fresh environment that holds what the wheel asks for, and nothing of this checkout.
"""

import json
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest
from attrs import frozen

import gekko
from tests.installed import dependencies
from tests.project import FRONT, JSON_OUTPUT, Finished, Project
from tests.stub_server import StubServer

# The environment is made once, and by one worker.
pytestmark = pytest.mark.xdist_group("packaging")

ROOT = Path(__file__).parent.parent
PLUGIN = ROOT / "tests/plugin"
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@frozen
class Built:
    """The distributions, as they would be published."""

    sdist: Path
    wheel: Path
    plugin: Path


@frozen
class Environment:
    """A virtual environment without pip; the one that runs the tests installs into it."""

    folder: Path

    @property
    def site(self) -> Path:
        """Where its packages are."""
        return next(self.folder.glob("lib/python3*/site-packages"))

    def pip(self, *args: str | Path) -> None:
        """Have pip do something here, without asking a registry."""
        python_module("pip", "--disable-pip-version-check", "--python", self.folder, *args)

    def distribution(self, name: str) -> Distribution:
        """Return what is installed here under this name."""
        (found,) = distributions(name=name, path=[str(self.site)])
        return found

    def provide(self, name: str) -> None:
        """Link what an installed distribution depends on from the environment of the tests."""
        for dependency in dependencies(self.distribution(name)):
            for part in {file.parts[0] for file in dependency.files or ()} - {"..", "__pycache__"}:
                link = self.site / part
                if not link.exists():
                    link.symlink_to(str(dependency.locate_file(part)))

    def gko(self, project: Project, *args: str) -> Finished:
        """Run the program that is installed here in a project."""
        done = subprocess.run(
            [self.folder / "bin/gko", *args],
            cwd=project.folder,
            env=project.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr.decode())

    @contextmanager
    def without_entries(self, *keys: str) -> Iterator[None]:
        """Take these expectations out of what the installer wrote about gko, for as long as this lasts."""
        (path,) = self.site.glob("gko-*.dist-info/entry_points.txt")
        written = path.read_text()
        path.write_text("".join(line for line in written.splitlines(True) if line.partition(" = ")[0] not in keys))
        try:
            yield
        finally:
            path.write_text(written)

    @contextmanager
    def with_plugin(self, wheel: Path) -> Iterator[None]:
        """Have the plug-in installed, for as long as this lasts."""
        self.pip("install", "--quiet", "--no-deps", "--no-index", wheel)
        try:
            self.pip("check")
            yield
        finally:
            self.pip("uninstall", "--quiet", "--yes", "gko-expectations-extra")


def python_module(name: str, *args: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", name, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    python_module("build", "--no-isolation", "--outdir", folder, ROOT)
    python_module("build", "--no-isolation", "--wheel", "--outdir", folder, PLUGIN)
    (sdist,), (wheel,), (plugin,) = (
        folder.glob(name) for name in ("gko-*.tar.gz", "gko-*.whl", "gko_expectations_extra-*.whl")
    )
    return Built(sdist, wheel, plugin)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel in it."""
    environment = Environment(tmp_path_factory.mktemp("installed") / "venv")
    venv.create(environment.folder, symlinks=True)
    environment.pip("install", "--quiet", "--no-deps", "--no-index", built.wheel)
    environment.provide("gko")
    environment.pip("check")
    return environment


@pytest.fixture
def text_project(project: Project) -> Project:
    """A project with a text command and a case that counts lines."""
    project.command("classify")
    project.case("classify/printer", "lines = 1")
    return project


def unpacked(wheel: Path) -> dict[str, str]:
    """Return the files of a wheel; what lies in the folder of metadata has a name without version."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        return {name.replace(metadata, "dist-info"): archive.read(name).decode() for name in names}


def test_the_wheel_holds_both_typed_packages_and_nothing_else(built: Built) -> None:
    files = unpacked(built.wheel)

    sources = {
        path.relative_to(ROOT).as_posix()
        for package in ("gekko", "expectations")
        for path in (ROOT / package).rglob("*")
        if path.suffix in {".py", ".typed"} or path.parent.name == "shells"
    }
    assert {name for name in files if not name.startswith("dist-info/")} == sources
    assert {"gekko/py.typed", "expectations/py.typed"} <= sources
    assert files["dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_text("utf-8")


def test_the_wheel_registers_what_the_project_declares(installed: Environment) -> None:
    entries = {(entry.group, entry.name, entry.value) for entry in installed.distribution("gko").entry_points}

    declared = {"console_scripts": DECLARED["scripts"], **DECLARED["entry-points"]}
    assert entries == {(group, *entry) for group, named in declared.items() for entry in named.items()}


def test_the_source_distribution_can_be_tested_and_built(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}

    expected = {
        "pyproject.toml",
        "Makefile",
        "README.md",
        "LICENSE",
        "tests/conftest.py",
        "tests/plugin/pyproject.toml",
    }
    assert expected <= files
    assert {name for name in files if name.startswith((".venv", ".git/")) or "__pycache__" in name} == set()


def test_the_program_tells_the_version_of_its_distribution(installed: Environment, project: Project) -> None:
    run = installed.gko(project, "--version")

    assert run == Finished(0, f"gko {gekko.__version__}\n".encode(), "")


def test_a_first_configuration_is_written_and_rehearsed(installed: Environment, tmp_path: Path) -> None:
    project = Project(tmp_path)

    written = installed.gko(project, "config", "init")
    rehearsed = installed.gko(project, "config", "test", "--dry-run", "--json")

    assert (written.exit_code, rehearsed.exit_code) == (0, 0), written.stderr + rehearsed.stderr
    assert [row["command"] for row in json.loads(rehearsed.stdout)] == ["contact"]


def test_an_expectation_whose_entry_is_gone_is_unknown(
    installed: Environment, text_project: Project, server: StubServer
) -> None:
    with installed.without_entries("lines"):
        run = installed.gko(text_project, "config", "test")
        schema = json.loads(installed.gko(text_project, "config", "schema", "test").stdout)

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "expect.lines" in run.stderr
    assert set(schema["properties"]["expect"]["properties"]) == {"contains", "exit_code"}
    assert set(schema["definitions"]["comparisons"]["properties"]) == {"contains", "equals", "min"}


@pytest.mark.parametrize(("answer", "exit_code"), [("{}", 0), ("no JSON", 4)])
def test_without_any_entry_a_rejected_answer_still_fails(
    installed: Environment, project: Project, server: StubServer, answer: str, exit_code: int
) -> None:
    project.command("classify", FRONT + JSON_OUTPUT)
    project.case("classify/printer")
    server.say(answer)

    with installed.without_entries(*DECLARED["entry-points"]["gekko.expectations"]):
        listed = installed.gko(project, "config", "expectations", "--json")
        run = installed.gko(project, "config", "test")

    assert json.loads(listed.stdout) == []
    assert run.exit_code == exit_code, run.stderr


def test_a_plug_in_is_there_as_soon_as_it_is_installed(
    installed: Environment, built: Built, project: Project, server: StubServer
) -> None:
    project.command("classify", FRONT + JSON_OUTPUT)
    project.case("classify/printer", '"/confidence" = { is = { min = 0.8, max = 0.9 } }')
    server.say('{"confidence": 0.97}')

    with installed.with_plugin(built.plugin):
        run = installed.gko(project, "config", "test", "--json")
        listed = installed.gko(project, "config", "expectations", "--json")
        schema = json.loads(installed.gko(project, "config", "schema", "test").stdout)

    (row,) = json.loads(run.stdout)
    assert (run.exit_code, row["result"]) == (4, "fail"), run.stderr
    assert "0.97" in row["message"]
    owners = {row["key"]: (row["distribution"], row["version"]) for row in json.loads(listed.stdout)}
    assert owners["max"] == ("gko-expectations-extra", "1.2.3")
    assert owners["min"] == ("gko", gekko.__version__)
    assert "max" in schema["definitions"]["comparisons"]["properties"]
    assert "max_ms" in schema["properties"]["expect"]["properties"]


def test_a_plug_in_that_was_uninstalled_leaves_nothing_behind(
    installed: Environment, built: Built, text_project: Project, server: StubServer
) -> None:
    text_project.case("classify/printer", "max_ms = 60000")
    server.say("hardware")

    with installed.with_plugin(built.plugin):
        before = installed.gko(text_project, "config", "test")
    after = installed.gko(text_project, "config", "test")
    schema = json.loads(installed.gko(text_project, "config", "schema", "test").stdout)

    assert (before.exit_code, after.exit_code, after.stdout) == (0, 2, b""), before.stderr
    assert "expect.max_ms" in after.stderr
    assert "plug-in" in after.stderr
    assert "max_ms" not in schema["properties"]["expect"]["properties"]
