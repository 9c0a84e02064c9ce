"""What the shells complete: asked directly, and with the tab key in real ones."""

import subprocess

import pytest

from gekko.cli.root import BUILT_IN
from tests.cli.shells import environment, shell
from tests.project import GKO, Project

FRONT = """\
description = '''Review a diff,
quickly.

And more of it.'''
model = "fast"
[args.depth]
type = "enum"
values = ["low", "very high"]
description = "How far to go"
[args.notes]
type = "file"
[args.count]
type = "integer"
min = 1
max = 90
default = 3
"""

SHELLS = [
    pytest.param("bash", marks=pytest.mark.needs_program("bash", "bash")),
    pytest.param("zsh", marks=pytest.mark.needs_program("zsh", "zsh")),
]

TABLE = [
    ("gko git rev", ["gko", "git", "review"]),
    ("gko doc", ["gko", "doctor"]),
    ("gko config exp", ["gko", "config", "expectations"]),
    ("gko git review --dep", ["gko", "git", "review", "--depth"]),
    ("gko git review --depth l", ["gko", "git", "review", "--depth", "low"]),
    ("gko git review --depth ve", ["gko", "git", "review", "--depth", "very high"]),
    ("gko git review --depth=ve", ["gko", "git", "review", "--depth=very high"]),
    ("gko git review --model fa", ["gko", "git", "review", "--model", "fast"]),
    ("gko git review --model=fa", ["gko", "git", "review", "--model=fast"]),
    ("gko git review --model big:7", ["gko", "git", "review", "--model", "big:7b"]),
    ("gko git review --model=big:7", ["gko", "git", "review", "--model=big:7b"]),
    ("gko git review --notes dia", ["gko", "git", "review", "--notes", "diary.txt"]),
    ("gko read dia", ["gko", "read", "diary.txt"]),
    ("gko --config-dir oth", ["gko", "--config-dir", "other"]),
    ("gko --config-dir other far", ["gko", "--config-dir", "other", "faraway"]),
    ("gko config test git r", ["gko", "config", "test", "git", "review"]),
    ("gko config test --case har", ["gko", "config", "test", "--case", "hardware"]),
    ("gko config test --tag sm", ["gko", "config", "test", "--tag", "smoke"]),
    ("gko config test tests/case-1", ["gko", "config", "test", "tests/case-1.toml"]),
    ("gko completion z", ["gko", "completion", "zsh"]),
    ("gko --verbose i", ["gko", "--verbose", "info"]),
]


@pytest.fixture
def project(project: Project) -> Project:
    """The project with commands, models and files to complete."""
    project.model(id="big:7b")
    project.command("git/review", FRONT, "{{ input }}")
    project.command("read", 'description = "Read a file"\nmodel = "fast"\n[input]\nmode = "file"\n', "{{ input }}")
    project.case("git/review/hardware", given='tags = ["smoke", "slow"]\ninput = ""')
    project.case("read/software")
    (project.folder / "tests").mkdir()
    (project.folder / "tests/case-1.toml").touch()
    (project.folder / "diary.txt").touch()
    (project.folder / "other/commands").mkdir(parents=True)
    (project.folder / "other/commands/faraway.md").write_text('---\nmodel = "fast"\n---\n{{ input }}')
    return project


def offered(project: Project, *words: str, shell: str = "zsh") -> list[str]:
    """Return what gko offers where the cursor is at the end of the last word; nothing is said on stderr."""
    run = project.gko(environ={"_GKO_COMPLETE": shell, "_GKO_WORDS": "\n".join(("gko", *words))})
    assert (run.exit_code, run.stderr) == (0, "")
    return run.stdout.decode().splitlines()


def words_of(lines: list[str]) -> list[str]:
    return [line.split("\t")[1] for line in lines]


class TestAnswers:
    def test_commands_are_offered_with_one_line_about_each(self, project: Project) -> None:
        lines = offered(project, "")

        assert "plain\tgit\treview" in lines
        assert "plain\tread\tRead a file" in lines
        assert "plain\tdoctor\tThe same as `gko config check`." in lines
        assert words_of(lines) == sorted(words_of(lines))
        assert offered(project, "git", "") == ["plain\treview\tReview a diff, quickly."]

    def test_options_are_offered_where_a_dash_is_typed(self, project: Project) -> None:
        lines = offered(project, "git", "review", "--")

        assert "plain\t--depth\tHow far to go. One of 'low' or 'very high'." in lines
        assert {"--notes", "--model", "--dry-run", "--verbose", "--help"} <= set(words_of(lines))
        assert "--depth" not in words_of(offered(project, "git", "review", "--depth", "low", "--"))

    def test_models_are_offered_with_their_backend(self, project: Project) -> None:
        assert offered(project, "config", "test", "--model", "") == [
            "plain\tbig:7b\tof backend 'stub'",
            "plain\tfast\tof backend 'stub'",
        ]

    def test_what_is_to_be_known_of_a_value_is_said_beside_it(self, project: Project) -> None:
        project.command(
            "odd", 'model = "fast"\n[args.x]\ntype = "enum"\nvalues = ["a", "b"]\ndefault = "b"\n', "{{ input }}"
        )

        assert [line.split("\t")[1:] for line in offered(project, "odd", "--x", "")] == [
            ["a", ""],
            ["b", "the default"],
        ]
        assert [line.split("\t")[1:] for line in offered(project, "git", "review", "--count", "")] == [
            ["1", "the least"],
            ["90", "the most"],
            ["3", "the default"],
        ]
        assert "plain\t--count\tFrom 1 to 90. By default '3'." in offered(project, "git", "review", "--")

    def test_the_cases_of_a_command_path_are_selected_word_by_word(self, project: Project) -> None:
        assert words_of(offered(project, "config", "test", "")) == ["git", "read"]
        assert words_of(offered(project, "config", "test", "git", "")) == ["review"]
        assert offered(project, "config", "test", "git", "review", "") == []

    def test_cases_are_offered_of_the_words_that_stand_there(self, project: Project) -> None:
        assert offered(project, "config", "test", "--case", "") == [
            "plain\thardware\tof git/review",
            "plain\tsoftware\tof read",
        ]
        assert words_of(offered(project, "config", "test", "git", "--case", "")) == ["hardware"]
        assert words_of(offered(project, "config", "test", "--case", "git/")) == ["git/review/hardware"]

    def test_tags_are_offered_of_the_words_that_stand_there(self, project: Project) -> None:
        assert words_of(offered(project, "config", "test", "--tag", "")) == ["slow", "smoke"]
        assert offered(project, "config", "test", "read", "--tag", "") == []

    def test_case_files_are_left_to_the_shell_where_no_command_goes_on(self, project: Project) -> None:
        assert offered(project, "config", "test", ".gekko/te") == ["file\t\t"]
        assert offered(project, "config", "test", ".gekko/tests/read/software.toml", "") == ["file\t\t"]

    def test_records_are_left_to_the_shell_beside_the_commands(self, project: Project) -> None:
        assert offered(project, "report", "st")[0].startswith("plain\tstats\t")
        assert offered(project, "report", "dia") == ["file\t\t"]
        assert offered(project, "report", "diary.txt", "") == ["file\t\t"]
        assert "--json" in words_of(offered(project, "report", "--"))
        assert "--json" in words_of(offered(project, "report", "diary.txt", "--"))

    def test_a_commit_that_is_left_out_is_no_word(self, project: Project) -> None:
        assert words_of(offered(project, "config", "test", "--changed", "git", "")) == ["review"]

    @pytest.mark.parametrize("typed", ["'ver", '"ver', "ver", "very\\ "])
    def test_what_is_typed_may_be_quoted(self, project: Project, typed: str) -> None:
        assert words_of(offered(project, "git", "review", "--depth", typed)) == ["very high"]

    def test_a_value_that_a_shell_cannot_be_told_is_left_out(self, project: Project) -> None:
        project.command("odd", 'model = "fast"\n[args.x]\ntype = "enum"\nvalues = ["a\\nb", "ac"]\n', "{{ input }}")

        assert words_of(offered(project, "odd", "--x", "a")) == ["ac"]

    @pytest.mark.parametrize(
        ("pieces", "left"),
        [
            (["--model", "=", "fa"], "fast"),
            (["--model", "=", "big", ":", "7"], "7b"),
            (["--model", "big", ":", "7"], "7b"),
            (["--model", "big", ":"], "7b"),
            (["--model", "fa"], "fast"),
        ],
    )
    def test_bash_is_told_what_follows_its_last_break(self, project: Project, pieces: list[str], left: str) -> None:
        assert words_of(offered(project, "git", "review", *pieces, shell="bash")) == [left]

    def test_a_colon_of_before_is_no_part_of_an_option(self, project: Project) -> None:
        lines = offered(project, "git", "review", "--notes", "a", ":", "--dep", shell="bash")

        assert words_of(lines) == ["--depth"]

    def test_a_broken_configuration_still_completes_what_is_gkos_own(self, project: Project) -> None:
        project.write("backends/broken.toml", "id = ")

        assert words_of(offered(project, "")) == sorted(BUILT_IN)
        assert words_of(offered(project, "config", "te")) == ["test"]
        assert offered(project, "git", "") == []
        assert offered(project, "config", "test", "--model", "") == []

    def test_a_broken_command_is_offered_and_what_it_takes_is_not(self, project: Project) -> None:
        project.command("git/odd", "model = 7\n")

        assert words_of(offered(project, "git", "")) == ["odd", "review"]
        assert offered(project, "git", "odd", "--") == []

    @pytest.mark.parametrize(
        "words", [("nothing", ""), ("git", "review", "--modle", ""), ("--config-dir", "gone", "read")]
    )
    def test_nothing_is_offered_after_a_mistake(self, project: Project, words: tuple[str, ...]) -> None:
        assert offered(project, *words) == []


@pytest.mark.parametrize("name", SHELLS)
def test_the_tab_key_completes_a_word(project: Project, name: str) -> None:
    with shell(name, project) as running:
        # zsh takes the slash of a folder away again when something else than a path follows.
        found = {typed: [word.rstrip("/") for word in running.completed(typed)] for typed, _ in TABLE}

    assert found == dict(TABLE)


@pytest.mark.parametrize("name", SHELLS)
def test_the_tab_key_of_a_broken_configuration_disturbs_nobody(project: Project, name: str) -> None:
    project.write("backends/broken.toml", "id = ")

    with shell(name, project) as running:
        assert running.completed("gko git re") == ["gko", "git", "re"]
        assert running.completed("gko doc") == ["gko", "doctor"]


@pytest.mark.needs_program("fish", "fish")
@pytest.mark.parametrize(("typed", "words"), TABLE)
def test_fish_completes_a_word(project: Project, typed: str, words: list[str]) -> None:
    script = 'gko completion fish | source; complete --do-complete "$argv[1]"'
    done = subprocess.run(
        ["fish", "--no-config", "--command", script, "--", typed],
        cwd=project.folder,
        env=environment(project),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stderr == ""
    assert [line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()] == [words[-1]]


def test_the_script_of_an_unknown_shell_is_a_usage_error(project: Project) -> None:
    run = project.gko("completion", "zhs")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "SHELL: expected 'bash', 'zsh' or 'fish', found 'zhs'; did you mean 'zsh'?" in run.stderr


@pytest.mark.parametrize(
    ("name", "check"),
    [
        pytest.param("bash", ["bash", "-n"]),
        pytest.param("zsh", ["zsh", "-n"], marks=pytest.mark.needs_program("zsh", "zsh")),
        pytest.param("fish", ["fish", "--no-execute"], marks=pytest.mark.needs_program("fish", "fish")),
    ],
)
def test_the_scripts_are_sound(project: Project, name: str, check: list[str]) -> None:
    script = project.gko("completion", name)

    (project.folder / "script").write_bytes(script.stdout)

    assert (script.exit_code, script.stderr) == (0, "")
    subprocess.run([*check, "script"], cwd=project.folder, check=True)
    assert GKO.name in script.stdout.decode()
