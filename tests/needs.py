"""What a test needs from outside Python: `@pytest.mark.needs_program("openssl", "openssl")` names it and its package.

Where it is missing, the test is skipped with the line that installs it. Where `GKO_NO_SKIPS` is set, as in CI, a marked
test that is skipped, for whatever reason, has failed.
"""

import os
import shutil
from collections.abc import Generator

import pytest

MARKER = "needs_program(program, package): the test runs a program that Debian's package brings"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs_program"):
        program, package = mark.args
        if shutil.which(program) is None:
            pytest.skip(f"needs the program {program}: apt-get install {package}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("GKO_NO_SKIPS") and item.get_closest_marker("needs_program") is not None:
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"skipped, which GKO_NO_SKIPS forbids: {reason}"
    return report
