"""What a repository held at a commit: its files, as git would write them today, in a folder of their own."""

import os
import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

from attrs import field, frozen

from gekko.locations import shown_path
from gekko.wording import did_you_mean, joined, printable

LOCAL: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""A hook has these set, for the repository and the folder that it was called in."""

LINK: Final = b"120000"
"""How git calls a symbolic link."""

SUBMODULE: Final = b"160000"
"""How git calls the folder of another repository, of which it knows the commit alone."""

MOST_LINKS: Final = 40
"""As many links as Linux follows in one path."""


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

    def check_out(self, commit: str, into: Path) -> "Past":
        """Return the repository's folder as it was at *commit*, to be made in the folder *into*; nothing is in it yet.

        Raises:
            GitProblem: git cannot read or write something.
        """
        # An index of our own: neither the repository's nor a file of its folder is touched. Nor does it say of any
        # file that git need not look at it.
        own = {"GIT_INDEX_FILE": os.fspath(into.with_name(f"{into.name}.index"))}
        self.ask("read-tree", "--no-sparse-checkout", commit, more=own)
        entries = (entry.split(b"\t", 1) for entry in self.ask("ls-files", "-z", "--stage", more=own).split(b"\0"))
        return Past(into, self, own, {os.fsdecode(name): facts[:6] for facts, *names in entries for name in names})

    def _near(self, ref: str) -> str:
        names = self._run("for-each-ref", "--format=%(refname:short)").stdout.decode(errors="replace").split()
        if near := did_you_mean(ref, names):
            return near
        is_shallow = self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"
        return "the clone is shallow, and may have to be given more of the history: git fetch" if is_shallow else ""

    def ask(self, *args: str, more: Mapping[str, str] | None = None, given: bytes = b"") -> bytes:
        """Return what git prints; raises GitProblem where it fails. *more* is added to its environment."""
        done = self._run(*args, more=more, given=given)
        if done.returncode != 0:
            raise GitProblem(f"git {args[0]} failed: {_said(done)}")
        return done.stdout

    def _run(
        self, *args: str, more: Mapping[str, str] | None = None, given: bytes = b""
    ) -> "subprocess.CompletedProcess[bytes]":
        return _run(self._program, self.top, {**self.environ, **(more or {})}, *args, given=given)


@frozen
class Past:
    """A repository's folder as it was at a commit, in the folder *top*: whatever was asked for, and nothing else.

    So what git does not know the text of is missing, and nothing that depends on it is as it was.
    """

    top: Path
    _repository: Repository
    _own: Mapping[str, str] = field(repr=False)
    _kinds: Mapping[str, bytes] = field(repr=False)
    """What each path of the commit is."""
    _names: Sequence[str] = field(init=False, repr=False)
    _there: set[str] = field(factory=set, init=False, repr=False)

    @_names.default
    def _sorted(self) -> list[str]:
        return sorted(self._kinds)

    def bring(self, paths: Iterable[Path]) -> list[Path]:
        """Put files where *paths* below `top` lead, and all that is below those which lead to folders.

        Links among those are followed. Returned are the paths that led to nothing.

        Raises:
            GitProblem: git cannot read or write something.
        """
        missing: list[Path] = []
        waiting = list(paths)
        while waiting:
            found = {path: self._found(path) for path in waiting}
            missing += (path for path, names in found.items() if not names)
            fresh = set().union(*found.values()) - self._there
            self._write(fresh)
            waiting = [self.top / name for name in sorted(fresh) if self._kinds[name] == LINK]
        return missing

    def _found(self, path: Path) -> Sequence[str]:
        """Return the files that *path* leads to."""
        if not path.is_relative_to(self.top):
            return ()
        name = self._end(path.relative_to(self.top).parts)
        if name is None:
            return ()
        if name in self._kinds:
            return () if self._kinds[name] == SUBMODULE else (name,)
        if not name:
            below = self._names
        else:
            first = bisect_left(self._names, f"{name}/")
            below = self._names[first : bisect_left(self._names, f"{name}0", first)]  # "0" comes after "/"
        return [name for name in below if self._kinds[name] != SUBMODULE]

    def _end(self, steps: Sequence[str]) -> str | None:
        """Return where a path ends, its links followed as the system would; None where it leaves the folder."""
        at: list[str] = []
        waiting, links = [*reversed(steps)], 0
        while waiting:
            step = waiting.pop()
            if step == "..":
                if not at:
                    return None
                self._pass(at)
                at.pop()
                continue
            at.append(step)
            name = "/".join(at)
            if self._kinds.get(name) != LINK:
                continue
            target, links = self._target(name), links + 1
            if target.is_absolute() or links > MOST_LINKS:
                return name
            at.pop()
            waiting += reversed(target.parts)
        return "/".join(at)

    def _pass(self, folder: Sequence[str]) -> None:
        """Make a folder that a path goes into and out of again, for the system asks whether it is there."""
        if "/".join(folder) not in self._kinds:
            self.top.joinpath(*folder).mkdir(parents=True, exist_ok=True)

    def _target(self, name: str) -> PurePath:
        self._write({name} - self._there)
        with suppress(OSError):  # where links cannot be made, it is a file
            return (self.top / name).readlink()
        return self.top / name

    def _write(self, names: Collection[str]) -> None:
        if names:
            given = b"".join(os.fsencode(name) + b"\0" for name in names)
            self._repository.ask(
                "checkout-index", "-z", "--stdin", f"--prefix={self.top}/", more=self._own, given=given
            )
            self._there.update(names)


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


def _line(told: bytes) -> str:
    return os.fsdecode(told.removesuffix(b"\n"))


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the first line of what git complains of."""
    text = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    return printable(text.splitlines()[0].removeprefix("fatal: "))
