"""What a repository held at a commit: its files, as git would write them today, in a folder of their own."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

from attrs import field, frozen

from gekko.locations import shown_path
from gekko.wording import did_you_mean, joined, printable

LOCAL: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""A hook has these set, for the repository and the folder that it was called in."""


class GitProblem(Exception):  # noqa: N818 - one layer up it becomes an error that says who asked
    """Git is not there, or has not what it was asked for."""


@frozen
class Repository:
    """A repository with files of its own on disk, below *top*."""

    top: Path
    environ: Mapping[str, str] = field(repr=False)
    _program: str

    def commit(self, ref: str) -> str:
        """Return the id of the commit that *ref* names.

        Raises:
            GitProblem: it names none.
        """
        if ref and not ref.startswith("-"):  # which git would take for an option
            found = self._run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
            if found.returncode == 0:
                return _line(found.stdout)
        raise GitProblem(joined(f"'{printable(ref)}' names no commit of {self.top}", self._near(ref)))

    def check_out(self, commit: str, roots: Sequence[PurePath], into: Path) -> None:
        """Make of the folder *into* what the repository's folder was at *commit*, as far as anybody will look.

        Whole are the folders *roots*, whose paths begin at `top`. Of what lies outside of them, files that changed
        since are as they were, and all others are links to the very files: a repository can be large.

        Raises:
            GitProblem: git cannot read or write something.
        """
        # An index of our own: neither the repository's nor a file of its folder is touched.
        own = {"GIT_INDEX_FILE": os.fspath(into.with_name(f"{into.name}.index"))}
        self._ask("read-tree", "--no-sparse-checkout", commit, more=own)
        inside = _names(self._ask("ls-files", "-z", "--", *map(os.fspath, roots), more=own)) if roots else []
        # What was added since is left out; nothing that is older can name it.
        options = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--diff-filter=a", "--ignore-submodules=all")
        changed = _names(self._ask("diff", *options, commit, "--"))
        outside = [name for name in changed if not _is_below(PurePath(name), roots)]
        wanted = b"".join(os.fsencode(name) + b"\0" for name in (*inside, *outside))
        self._ask("checkout-index", "-z", "--stdin", f"--prefix={into}/", more=own, given=wanted)
        for root in roots:
            if not os.path.lexists(into / root):
                (into / root).mkdir(parents=True)
        self._link_the_rest(into, [*roots, *map(PurePath, outside)], roots)

    def _link_the_rest(self, into: Path, there: Iterable[PurePath], roots: Sequence[PurePath]) -> None:
        """Put links beside what is *there*, so that a path which leads out of a root finds something."""
        for folder in {parent for path in there for parent in path.parents}:
            if _is_below(folder, roots):
                continue
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.top / folder) as entries:
                for entry in entries:
                    link = into / folder / entry.name
                    if not os.path.lexists(link):
                        link.symlink_to(entry.path)

    def _near(self, ref: str) -> str:
        names = self._run("for-each-ref", "--format=%(refname:short)").stdout.decode(errors="replace").split()
        if near := did_you_mean(ref, names):
            return near
        is_shallow = self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"
        return "the clone is shallow, and may have to be given more of the history: git fetch" if is_shallow else ""

    def _ask(self, *args: str, more: Mapping[str, str] | None = None, given: bytes = b"") -> bytes:
        done = self._run(*args, more=more, given=given)
        if done.returncode != 0:
            raise GitProblem(f"git {args[0]} failed: {_said(done)}")
        return done.stdout

    def _run(
        self, *args: str, more: Mapping[str, str] | None = None, given: bytes = b""
    ) -> "subprocess.CompletedProcess[bytes]":
        return _run(self._program, self.top, {**self.environ, **(more or {})}, *args, given=given)


def find_repository(folder: Path, environ: Mapping[str, str]) -> Repository:
    """Return the repository that *folder* is in.

    Raises:
        GitProblem: it is in none, or there is no git.
    """
    program = shutil.which("git", path=environ.get("PATH"))
    if program is None:
        raise GitProblem("there is no program 'git' on the PATH")
    # Git would else write down in its index what it saw of each file.
    own = {name: value for name, value in environ.items() if name not in LOCAL} | {"GIT_OPTIONAL_LOCKS": "0"}
    found = _run(program, folder, own, "rev-parse", "--show-toplevel")
    if found.returncode != 0:
        raise GitProblem(f"{shown_path(folder)} is in no git repository: {_said(found)}")
    return Repository(Path(_line(found.stdout)), {**own, "GIT_LITERAL_PATHSPECS": "1"}, program)


def _run(
    program: str, folder: Path, environ: Mapping[str, str], *args: str, given: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(  # noqa: S603 - the arguments are our own, and a name that is no option
        [program, *args], cwd=folder, env=environ, input=given, capture_output=True, check=False
    )


def _is_below(path: PurePath, roots: Iterable[PurePath]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _names(listed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _line(told: bytes) -> str:
    return os.fsdecode(told.removesuffix(b"\n"))


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the first line of what git complains of."""
    text = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    return printable(text.splitlines()[0].removeprefix("fatal: "))
