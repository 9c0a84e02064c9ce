"""The commands of the page, configured: one that answers with JSON, and one that answers with a text."""

import pytest

from tests.project import JSON_OUTPUT, Project
from tests.seed.page import ANSWER
from tests.stub_server import StubServer

REVIEW = f'description = "Classify a ticket"\nmodel = "fast"\n[args.kind]\nrequired = true\n{JSON_OUTPUT}'
MESSAGE = 'description = "Write the message of a commit"\nmodel = "fast"\n'


@pytest.fixture
def page(project: Project, server: StubServer) -> Project:
    """A project with `gko git review` (JSON; needs `--kind`) and `gko git message` (text); `server` says ANSWER."""
    project.command("git/review", REVIEW)
    project.command("git/message", MESSAGE, "Write a message: {{ input }}")
    server.say(ANSWER)
    return project
