"""The order in which the files of a scope come to be changes nothing."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gekko.checks.registry import discover
from gekko.errors import ConfigurationError
from gekko.plan.catalog import load_catalog
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite, plan_suite
from gekko.sources.scopes import Scope
from tests.project import FRONT, JSON_OUTPUT, PROMPT


def configuration() -> Mapping[str, str]:
    """Return the files of a scope with everything in it, by their names."""
    case = 'input = { file = "a.txt" }\n[expect]\n"/a" = { is = { min = 1, equals = 2 } }\n'
    return {
        "backends/one.toml": backend("one"),
        "backends/two.toml": backend("two"),
        "models/fast.toml": 'id = "fast"\nbackend = "one"\noperation = "chat"\nmodel = "m"\nfallback = "slow"\n',
        "models/slow.toml": 'id = "slow"\nbackend = "two"\noperation = "chat"\nmodel = "m"\n',
        "commands/git/review.md": f"---\n{FRONT}{JSON_OUTPUT}---\n{PROMPT}\n",
        "commands/git/b/c.md": f"---\n{FRONT}{JSON_OUTPUT}---\n{PROMPT}\n",
        "commands/git2.md": f"---\n{FRONT}{JSON_OUTPUT}---\n{PROMPT}\n",
        "tests/git/review/a.toml": case,
        "tests/git/review/a.txt": "a",
        "tests/git/review/b.toml": case,
        "tests/git/b/c/a.toml": case,
        "tests/git/b/c/a.txt": "a",
        "tests/git2/a.toml": 'input = ""\n[expect]\nexit_code = 4\n',
    }


MISTAKES: Final = {
    "commands/broken.md": "no front matter",
    "tests/broken/a.toml": "",
    "tests/git2/A.toml": 'input = ""\n[expect]\n',
    "tests/git2/z.toml": 'input = ""\n[expect]\nlines = 1\n"/~" = 1\nexit_code = 3\n',
    "tests/homeless.toml": "",
    "tests/unknown/a.toml": 'input = ""\n[expect]\n',
}

BROKEN_MODELS: Final = {
    "backends/again.toml": 'id = "two"',
    "models/a.toml": 'id = "fast"\nbackend = "one"\noperation = "chat"\nmodel = "m"\n',
    "models/z.toml": "id = 1\n",
}


def backend(name: str) -> str:
    return (
        f'id = "{name}"\ntype = "openai-compatible"\nbase_url = "http://127.0.0.1:1"\n'
        '[operations.chat]\npath = "/v1/chat/completions"\n'
    )


def planned(root: Path, files: list[tuple[str, str]]) -> Suite | str:
    """Return the suite of files that are created in this order, or what is wrong with it."""
    shutil.rmtree(root, ignore_errors=True)
    for name, text in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    try:
        return plan_suite(load_catalog([Scope("project", root)]), discover(), Selection(), {})
    except ConfigurationError as error:
        return str(error)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: it lists its files newest first, where a disk may have its own order."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@pytest.mark.parametrize("mistakes", [{}, MISTAKES, BROKEN_MODELS], ids=["sound", "mistakes", "broken-models"])
def test_the_order_of_files_in_a_scope_changes_nothing(folder: Path, mistakes: Mapping[str, str]) -> None:
    root = folder / ".gekko"
    files = sorted({**configuration(), **mistakes}.items())
    first = planned(root, files)

    @settings(max_examples=15, deadline=None)
    @given(st.permutations(files))
    def check(shuffled_files: list[tuple[str, str]]) -> None:
        assert planned(root, shuffled_files) == first

    check()
    assert isinstance(first, str) == bool(mistakes)
