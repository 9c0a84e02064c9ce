"""A test that needs a program is skipped by name where the program is missing, and CI lets no such skip pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

TESTS = """
import pytest

@pytest.mark.needs_program("no-such-program", "the-package")
def test_missing(): ...

@pytest.mark.needs_program("sh", "dash")
def test_there(): ...

@pytest.mark.needs_program("sh", "dash")
def test_that_gives_up():
    pytest.skip("not today")

def test_unmarked():
    pytest.skip("runs elsewhere")
"""


@pytest.mark.parametrize(
    ("environ", "summary"),
    [
        pytest.param({}, "1 passed, 3 skipped", id="at-home"),
        pytest.param({"GKO_NO_SKIPS": "1"}, "1 failed, 1 passed, 1 skipped, 1 error", id="in-CI"),
    ],
)
def test_a_marked_test_may_be_skipped_at_home_alone(tmp_path: Path, environ: dict[str, str], summary: str) -> None:
    (tmp_path / "test_made_up.py").write_text(TESTS)
    kept = {name: value for name, value in os.environ.items() if name not in {"GKO_NO_SKIPS", "PYTEST_ADDOPTS"}}

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-ra", "-p", "tests.needs", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )

    assert summary in done.stdout
    assert "no-such-program: apt-get install the-package" in done.stdout
