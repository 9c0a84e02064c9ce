"""A project whose server gko can start; it is ended with the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project import Project
from tests.runtimes.served import ServedProject


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedProject]:
    """A project with the model `fast`, whose backend is the little server."""
    served = ServedProject(Project(tmp_path))
    served.declare()
    yield served
    served.end_all()
