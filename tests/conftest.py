"""What every test can ask for: a stub server, and a project whose backend it is."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project import Project
from tests.stub_server import StubServer

# Started by `nohup`, or in the background of a script, the tests ignore these, and so would every program they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture
def server() -> Iterator[StubServer]:
    """A server that answers as it is told."""
    with StubServer() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, server: StubServer) -> Project:
    """A project with the backend `stub`, which is `server`, and the model `fast`."""
    project = Project(tmp_path)
    project.backend(server.url)
    project.model()
    return project
