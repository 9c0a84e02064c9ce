"""What begins journals, and hears what they warn of."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gekko.sources.files import digest
from gekko.suites.journal import Journal
from tests.record.test_reading import CASE, SUITE

PROJECT = digest(b"project").sha256


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def begin(tmp_path: Path, told: list[str]) -> Callable[..., Journal]:
    """Begins journals in a state folder that is not there yet, each with a suite of one case."""

    def begin(project: str = PROJECT) -> Journal:
        begun = Journal.begin(tmp_path / "state", project, told.append)
        assert begun is not None
        begun.write([SUITE, CASE])
        return begun

    return begin
