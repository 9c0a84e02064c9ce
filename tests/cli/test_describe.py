"""`gko describe` and `gko config models`: what programs are told of commands and models."""

import json
from typing import Any, Final

import pytest

from tests.project import Finished, Project

COMMAND: Final = """\
description = "Classify a ticket"
model = "fast"
system = "Today is {{ env.NEVER_SET_ANYWHERE }}."

[args.kind]
short = "k"
required = true
description = "What is being classified."

[args.tone]
type = "enum"
values = ["dry", "warm"]
default = "dry"

[args.age]
type = "integer"
min = 0
max = 150

[input]
mode = "stdin_or_file"

[output]
format = "json"
schema = "ticket"
extract = "/category"
strip_reasoning = true
"""

SCHEMA: Final = {"type": "object", "required": ["category"], "properties": {"category": {"$ref": "word.json"}}}

ARGUMENT: Final[dict[str, Any]] = {
    "name": "",
    "type": "string",
    "required": False,
    "default": None,
    "values": None,
    "min": None,
    "max": None,
    "short": None,
    "description": "",
    "positional": False,
    "repeated": False,
}


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a command of every kind of argument, and a model with a fallback."""
    project.model('fallback = "slow"')
    project.model(id="slow")
    project.command("git/review", COMMAND, "{{ args.kind }}: {{ input }}")
    project.write("schemas/ticket.json", json.dumps(SCHEMA))
    project.write("schemas/word.json", '{"type": "string"}')
    return project


def json_of(run: Finished) -> Any:
    """Return what a run that went well printed."""
    assert (run.exit_code, run.stderr) == (0, "")
    return json.loads(run.stdout)


class TestOneCommand:
    @pytest.mark.parametrize("path", [("git", "review"), ("git/review",)])
    def test_a_configured_one_is_told_whole(self, project: Project, path: tuple[str, ...]) -> None:
        description = json_of(project.gko("describe", *path))

        assert list(description.items()) == [
            ("name", "git/review"),
            ("kind", "configured"),
            ("description", "Classify a ticket"),
            ("model", "fast"),
            ("backend", "stub"),
            ("operation", "chat"),
            ("protocol", "chat"),
            ("fallback", "slow"),
            ("source", str(project.root / "commands/git/review.md")),
            ("input", {"mode": "stdin_or_file"}),
            (
                "args",
                [
                    {
                        **ARGUMENT,
                        "name": "kind",
                        "required": True,
                        "short": "k",
                        "description": "What is being classified.",
                    },
                    {**ARGUMENT, "name": "tone", "type": "enum", "values": ["dry", "warm"], "default": "dry"},
                    {**ARGUMENT, "name": "age", "type": "integer", "min": 0, "max": 150},
                ],
            ),
            (
                "output",
                {
                    "format": "json",
                    "schema": {
                        "name": "ticket",
                        "document": {
                            "type": "object",
                            "required": ["category"],
                            "properties": {"category": {"$ref": "#/$defs/word"}},
                            "$defs": {"word": {"type": "string"}},
                        },
                    },
                    "max_lines": None,
                    "allow_truncated": False,
                    "strip_reasoning": True,
                    "extract": "/category",
                },
            ),
        ]
        assert list(description["args"][0]) == list(ARGUMENT)

    def test_what_is_not_set_has_a_default_or_is_null(self, project: Project) -> None:
        project.command("plain", 'model = "slow"\n', "{{ input }}")

        description = json_of(project.gko("describe", "plain"))

        assert (description["fallback"], description["args"]) == (None, [])
        assert description["input"] == {"mode": "stdin"}
        assert description["output"] == {
            "format": "text",
            "schema": None,
            "max_lines": None,
            "allow_truncated": False,
            "strip_reasoning": False,
            "extract": None,
        }

    def test_a_built_in_one_tells_its_options_and_none_that_every_command_has(self, project: Project) -> None:
        description = json_of(project.gko("describe", "config", "test"))

        assert {key: description[key] for key in ("name", "kind", "model", "source", "input", "output")} == {
            "name": "config/test",
            "kind": "built-in",
            "model": None,
            "source": None,
            "input": None,
            "output": None,
        }
        arguments = {each["name"]: each for each in description["args"]}
        assert list(arguments)[:3] == ["WORDS", "case", "tag"]
        assert {"model", "repeat", "jobs", "json", "dry-run"} <= arguments.keys()
        assert arguments.keys().isdisjoint(("help", "verbose", "error-format", "config-dir"))
        assert (arguments["WORDS"]["positional"], arguments["WORDS"]["repeated"]) == (True, True)
        assert (arguments["repeat"]["type"], arguments["repeat"]["min"], arguments["repeat"]["default"]) == (
            "integer",
            1,
            None,
        )
        assert arguments["json"]["type"] == "flag"

    def test_the_words_that_a_built_in_one_accepts_are_its_values(self, project: Project) -> None:
        (kind,) = json_of(project.gko("describe", "config/schema"))["args"]

        assert kind == {
            **ARGUMENT,
            "name": "KIND",
            "type": "enum",
            "required": True,
            "values": ["backend", "model", "command", "test", "recording", "record"],
            "positional": True,
        }

    @pytest.mark.parametrize(
        ("name", "text", "culprit"),
        [
            ("commands/git/review.md", '---\nmodel = "fast"\ndesciption = "a"\n---\n', "review.md:3:1: desciption"),
            ("commands/git/review.md", '---\nmodel = "fats"\n---\na\n', "review.md:2:1: model"),
            ("schemas/word.json", "{", "word.json"),
            ("commands/git.md", '---\nmodel = "fast"\n---\na\n', "git.md"),
        ],
        ids=["file", "model", "schema", "command-and-group"],
    )
    def test_a_broken_one_is_an_error_that_says_why(self, project: Project, name: str, text: str, culprit: str) -> None:
        project.write(name, text)

        run = project.gko("describe", "git", "review")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert culprit in run.stderr

    @pytest.mark.parametrize(
        ("typed", "meant"), [("git reveiw", "git review"), ("config tset", "config test"), ("docter", "doctor")]
    )
    def test_one_that_is_not_there_is_an_error_with_the_nearest_name(
        self, project: Project, typed: str, meant: str
    ) -> None:
        run = project.gko("describe", *typed.split())

        assert (run.exit_code, run.stdout) == (2, b"")
        assert f"'{typed}'" in run.stderr
        assert f"did you mean '{meant}'?" in run.stderr


class TestTheIndex:
    def test_every_command_is_listed_configured_ones_first(self, project: Project) -> None:
        project.command("ask", 'model = "slow"\n', "{{ input }}")

        rows = json_of(project.gko("describe"))

        assert rows[:2] == [
            {
                "name": "ask",
                "kind": "configured",
                "description": "",
                "source": str(project.root / "commands/ask.md"),
            },
            {
                "name": "git/review",
                "kind": "configured",
                "description": "Classify a ticket",
                "source": str(project.root / "commands/git/review.md"),
            },
        ]
        assert {row["kind"] for row in rows[2:]} == {"built-in"}
        assert {"config/test", "config/models", "describe", "doctor"} <= {row["name"] for row in rows[2:]}

    def test_whatever_it_lists_can_be_described(self, project: Project) -> None:
        for row in json_of(project.gko("describe")):
            description = json_of(project.gko("describe", row["name"]))

            assert (description["name"], description["kind"]) == (row["name"], row["kind"])
            assert description["description"]

    @pytest.mark.parametrize(
        ("group", "names"),
        [("git", ["git/review"]), ("mcp", ["mcp/serve"])],
        ids=["configured", "built-in"],
    )
    def test_of_a_group_the_commands_below_are_listed(self, project: Project, group: str, names: list[str]) -> None:
        project.command("gitty", 'model = "fast"\n')

        assert [row["name"] for row in json_of(project.gko("describe", group))] == names

    def test_a_broken_command_is_marked_with_the_reason(self, project: Project) -> None:
        project.command("broken", 'model = "fast"\ndesciption = "a"\n')
        project.command("dangling", 'model = "fats"\ndescription = "b"\n', "{{ input }}")

        rows = {row["name"]: row for row in json_of(project.gko("describe"))}

        assert "broken.md:3:1: desciption" in rows["broken"]["problem"]
        assert (rows["dangling"]["description"], "'fats'" in rows["dangling"]["problem"]) == ("b", True)
        assert "problem" not in rows["git/review"]


class TestModels:
    def test_are_listed_as_a_table(self, project: Project) -> None:
        run = project.gko("config", "models")

        assert (run.exit_code, run.stderr) == (0, "")
        assert run.stdout.decode() == (
            "NAME  BACKEND  OPERATION  FALLBACK\nfast  stub     chat       slow\nslow  stub     chat       -\n"
        )

    def test_are_listed_as_rows(self, project: Project) -> None:
        rows = json_of(project.gko("config", "models", "--json"))

        assert [list(row.items()) for row in rows] == [
            [("name", "fast"), ("backend", "stub"), ("operation", "chat"), ("fallback", "slow")],
            [("name", "slow"), ("backend", "stub"), ("operation", "chat"), ("fallback", None)],
        ]

    def test_of_all_scopes_are_listed_sorted_by_name(self, project: Project) -> None:
        user = project.folder / "home/.config/gekko/models"
        user.mkdir(parents=True)
        (user / "mine.toml").write_text('id = "mine"\nbackend = "nowhere"\noperation = "chat"\nmodel = "m"\n')
        (user / "fast.toml").write_text('id = "fast"\nbackend = "nowhere"\noperation = "chat"\nmodel = "m"\n')

        rows = json_of(project.gko("config", "models", "--json"))

        assert [(row["name"], row["backend"]) for row in rows] == [
            ("fast", "stub"),
            ("mine", "nowhere"),
            ("slow", "stub"),
        ]
