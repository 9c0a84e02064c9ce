"""Which tools are offered, and what they say of themselves."""

import json

import pytest

from tests.mcp.speaking import stderr, tools
from tests.project import JSON_OUTPUT, Project

TICKET = {
    "type": "object",
    "properties": {"category": {"$ref": "category.json"}},
    "required": ["category"],
}


def test_a_command_is_a_tool_under_its_path_joined_with_an_underscore(project: Project) -> None:
    project.command("git/review")

    (tool,) = tools(project).values()

    assert (tool.name, tool.title, tool.description) == ("git_review", "git review", "Classify a ticket")
    assert tool.output_schema is None
    assert stderr(project) == ""


def test_each_argument_is_a_property_of_its_type(project: Project) -> None:
    project.command(
        "review",
        'model = "fast"\n'
        '[args.kind]\nrequired = true\ndescription = "What it is"\n'
        '[args.level]\ntype = "enum"\nvalues = ["low", "high"]\ndefault = "low"\n'
        '[args.lines]\ntype = "integer"\nmin = 1\nmax = 9\ndefault = "3"\n'
        '[args.most]\ntype = "integer"\n'
        '[args.style]\ntype = "file"\ndefault = "style.md"\ndescription = "How to write."\n',
        "{{ args.kind }} {{ input }}",
    )

    (tool,) = tools(project).values()

    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "mcp.input": {"type": "string", "description": "The text to work on."},
            "kind": {"type": "string", "description": "What it is"},
            "level": {"type": "string", "enum": ["low", "high"], "default": "low"},
            "lines": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "most": {"type": "integer"},
            "style": {"type": "string", "minLength": 1, "description": "How to write. The path of a text file."},
        },
        "required": ["mcp.input", "kind"],
        "additionalProperties": False,
    }


def test_a_prompt_without_input_takes_none(project: Project) -> None:
    project.command("say", 'model = "fast"\n', "Say hello.")

    (tool,) = tools(project).values()

    assert tool.input_schema["properties"] == {}


def test_a_binary_command_takes_the_path_of_a_file(project: Project) -> None:
    project.model(id="ear", operation="speech")
    project.command("listen", 'model = "ear"\n[input]\nmode = "binary"\n', "")

    (tool,) = tools(project).values()

    assert tool.input_schema["required"] == list(tool.input_schema["properties"]) == ["mcp.file"]


class TestOutputSchemas:
    @pytest.fixture(autouse=True)
    def _schemas(self, project: Project) -> None:
        project.write("schemas/ticket.json", json.dumps(TICKET))
        project.write("schemas/category.json", '{"enum": ["hardware", "software"]}')
        project.write("schemas/list.json", '{"type": "array"}')

    def test_hold_every_file_that_they_need(self, project: Project) -> None:
        project.command("sort", f'model = "fast"\n{JSON_OUTPUT}schema = "ticket"\n', "{{ input }}")

        (tool,) = tools(project).values()

        assert tool.output_schema == {
            "type": "object",
            "properties": {"category": {"$ref": "#/$defs/category"}},
            "required": ["category"],
            "$defs": {"category": {"enum": ["hardware", "software"]}},
        }

    def test_are_those_of_whole_objects_alone(self, project: Project) -> None:
        outputs = {
            "another_root": 'schema = "list"',
            "an_extracted_part": 'schema = "ticket"\nextract = "/category"',
            "no_schema": "",
        }
        for path, output in outputs.items():
            project.command(path, f'model = "fast"\n{JSON_OUTPUT}{output}\n', "{{ input }}")

        offered = tools(project)

        assert offered.keys() == outputs.keys()
        assert {tool.output_schema for tool in offered.values()} == {None}


class TestACommandThatCannotRun:
    def test_is_left_out_with_a_reason_and_breaks_no_other(self, project: Project) -> None:
        project.backend("http://127.0.0.1:1", '[headers]\nX-Key = "{{ env.NO_KEY }}"', id="locked")
        project.model(id="secret", backend="locked")
        reasons = {
            "lost": ('model = "lost"\n', "lost.md:2:1: model: "),
            "slip": ('model = "fast"\ndescriptoin = "Slip"\n', "slip.md:3:1: descriptoin: "),
            "unset": ('model = "fast"\nsystem = "{{ env.NOWHERE }}"\n', "'NOWHERE'"),
            "secret": ('model = "secret"\n', "'NO_KEY'"),
            "übersetze": ('model = "fast"\n', "'übersetze'"),
            "a" * 129: ('model = "fast"\n', "128"),
            "mcp/serve": ('model = "fast"\n', "'mcp'"),
            "schemaless": (f'model = "fast"\n{JSON_OUTPUT}schema = "nowhere"\n', "schemaless.md:5:1: output.schema: "),
        }
        for path, (front, _) in reasons.items():
            project.command(path, front, "Say hello.")
        project.command("sound")

        assert list(tools(project)) == ["sound"]
        told = {line.split("'")[1]: line for line in stderr(project).splitlines()}
        assert told.keys() == {path.replace("/", " ") for path in reasons}
        for path, (_, reason) in reasons.items():
            assert reason in told[path.replace("/", " ")]

    def test_is_told_of_as_json_where_that_is_asked_for(self, project: Project) -> None:
        project.command("lost", 'model = "lost"\n', "")

        run = project.gko("mcp", "serve", "--error-format", "json")

        said = json.loads(run.stderr)
        assert (run.exit_code, run.stdout, said["kind"]) == (0, b"", "warning")
        assert "'lost'" in said["message"]


class TestNothingIsServed:
    def test_where_two_commands_would_be_one_tool(self, project: Project) -> None:
        project.command("git/review")
        project.command("git_review")

        run = project.gko("mcp", "serve")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert ".gekko/commands/git/review.md" in run.stderr
        assert ".gekko/commands/git_review.md" in run.stderr
        assert "'git_review'" in run.stderr

    def test_where_a_model_is_broken(self, project: Project) -> None:
        project.command("sound")
        project.write("models/broken.toml", "id = ")

        run = project.gko("mcp", "serve")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "broken.toml:1:6" in run.stderr
