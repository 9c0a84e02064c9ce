"""How the interpreter was started makes no difference to a verdict."""

from tests.project import Project
from tests.stub_server import StubServer


def test_an_interpreter_that_drops_docstrings_changes_no_verdict(project: Project, server: StubServer) -> None:
    project.command("git/review")
    project.case("git/review/first", "lines = 1")
    server.say("one line")

    run = project.gko("config", "test", environ={"PYTHONOPTIMIZE": "2"})

    assert (run.exit_code, run.stderr) == (0, "")
