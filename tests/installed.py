"""What is installed where the tests run, and a Python that has only some of it."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from attrs import frozen
from packaging.requirements import Requirement

from tests.project import Finished, Project


def dependencies(asking: Distribution) -> Iterator[Distribution]:
    """Yield what a distribution needs without any extra, directly or not, as it is installed where the tests run."""
    for requirement in map(Requirement, asking.requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            needed = distribution(requirement.name)
            yield needed
            yield from dependencies(needed)


@frozen
class Bare:
    """A Python that knows no installed package but gko, what that depends on, and what else was linked."""

    folder: Path

    def link(self, found: Distribution) -> None:
        """Have an installed distribution here as well."""
        for part in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            self.link_path(Path(str(found.locate_file(part))))

    def link_path(self, path: Path) -> None:
        """Have a package here as well."""
        link = self.folder / path.name
        if not link.exists():
            link.symlink_to(path)

    def gko(self, project: Project, *args: str) -> Finished:
        """Run `gko` by this Python."""
        done = subprocess.run(
            [sys.executable, "-S", "-m", "gekko", *args],
            cwd=project.folder,
            env=project.environment({"PYTHONPATH": str(self.folder)}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr.decode())
