"""What an expectation may ask is checked before any request."""

import pytest

from tests.plugins import plug_in
from tests.project import Project
from tests.stub_server import StubServer

ASKS = """
models_asked = property(lambda self: tuple(self.given.get("models", ())))
commands_asked = property(lambda self: tuple(self.given.get("commands", ())))

@classmethod
def bind(cls, value, context):
    return cls(value)

def judge(self, value, outcome):
    yield from ()
"""

BINARY = 'model = "ears"\n[input]\nmode = "binary"\n'


@pytest.mark.parametrize(
    ("given", "named"),
    [
        pytest.param('{ models = ["ears"] }', "the model 'ears', which speaks 'transcriptions'", id="another-protocol"),
        pytest.param('{ models = ["fats"] }', "'fats', which is not configured; did you mean 'fast'?", id="no-model"),
        pytest.param('{ commands = ["hear"] }', "the command 'hear', whose input is uploaded", id="recording"),
        pytest.param(
            '{ commands = ["hera"] }', "'hera', which is not configured; did you mean 'hear'?", id="no-command"
        ),
    ],
)
def test_what_cannot_be_asked_is_a_malformed_case(project: Project, server: StubServer, given: str, named: str) -> None:
    plug_in(project, "asks", ASKS)
    project.model(id="ears", operation="speech")
    project.command("hear", BINARY, "")
    project.command("say", 'model = "fast"\n', "{{ input }}")
    project.case("say/a", f"asks = {given}")

    run = project.gko("config", "test")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "tests/say/a.toml:4:1: expect.asks: it asks " in run.stderr
    assert named in run.stderr
