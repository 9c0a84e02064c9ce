"""Every fenced block of the documentation: commands are run and compared, files are read as gko reads them.

A page is read from top to bottom on a machine of its own, in one project folder, so its blocks build on each other:

- A `console` block is run. Each line that begins with "$ " is a command, and what follows is its output on both
  streams; `stable.py` says what may differ.
- A block after a paragraph that begins with a file's name in backticks is written to that file. At the end of the page
  gko must find nothing wrong, but in files whose error the page shows.
- Any other `toml` block is an excerpt. Its info string says of what (`toml case`, see `excerpts.py`), and `refused`
  where it is there to show what is not accepted.
- A `sh` block installs something; `test_installing.py` is about those. A `text` block is neither run nor read.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest

from tests.docs.excerpts import kind_of, problems
from tests.docs.markdown import PAGES, ROOT, Block, blocks
from tests.docs.scratch import Scratch
from tests.docs.stable import stable

ERROR_IN = re.compile(r"^error: (?P<path>[^:\s]+\.(?:toml|md)):", re.MULTILINE)

LANGUAGES = frozenset({"", "console", "json", "markdown", "python", "sh", "text", "toml", "diff"})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_a_page_is_true(path: Path, tmp_path: Path) -> None:
    assert "\n".join(faults(str(path.relative_to(ROOT)), path.read_text(), tmp_path)) == ""


def faults(name: str, page: str, folder: Path) -> Iterator[str]:
    """Yield what is wrong with the blocks of a page, each told with its line."""
    if (indented := re.search(r"^ +```", page, re.MULTILINE)) is not None:
        yield f"{name}:{page.count(chr(10), 0, indented.start()) + 1}: an indented block is never checked"
    scratch = Scratch(folder / "home")
    scratch.prepare()
    wrong_as_shown: set[str] = set()
    own_keys = registered_keys(page)
    for block in blocks(page):
        where = f"{name}:{block.line}"
        if block.language not in LANGUAGES:
            yield f"{where}: a block in the language '{block.language}' is never checked"
        elif block.language == "console":
            yield from difference(where, block, scratch.transcript(block))
            wrong_as_shown |= {match["path"] for match in ERROR_IN.finditer(block.text)}
        elif block.path is not None:
            scratch.write(block)
            wrong_as_shown.discard(block.path)
        elif block.language == "toml":
            yield from excerpt_faults(where, block, own_keys, folder / f"excerpt-{block.line}")
        else:
            yield from syntax_faults(where, block)
    if (scratch.project / ".gekko").exists():
        yield from (f"{name}: at its end {message}" for message in left_wrong(scratch, wrong_as_shown))


def difference(where: str, block: Block, transcript: str) -> Iterator[str]:
    """Yield a unified diff where a run of *block* differs from what is written."""
    written, run = (stable(text).splitlines() for text in (block.text, transcript))
    if written != run:
        yield "\n".join(unified_diff(written, run, f"{where}, as written", f"{where}, as run", lineterm=""))


def excerpt_faults(where: str, block: Block, own_keys: frozenset[str], folder: Path) -> Iterator[str]:
    """Yield what is wrong with an excerpt; keys that the page itself registers are known to it alone."""
    kind = kind_of(block)
    data = tomllib.loads(block.text)
    if "project" in data or any(re.search(rf"\b{key} =", block.text) for key in own_keys):
        return
    if kind is None:
        yield f"{where}: the info string does not say of what this is an excerpt"
        return
    found = problems(block, kind, folder)
    if "refused" in block.words and not found:
        yield f"{where}: gko accepts what the page says is refused"
    elif "refused" not in block.words:
        yield from (f"{where}: {message}" for message in found)


def syntax_faults(where: str, block: Block) -> Iterator[str]:
    """Yield why a block that belongs to no file is not in its language."""
    try:
        if block.language == "json":
            json.loads(block.text)
        elif block.language == "python":
            ast.parse(block.text)
    except (ValueError, SyntaxError) as error:
        yield f"{where}: {error}"


def registered_keys(page: str) -> frozenset[str]:
    """Return the expectations that the page's own package registers."""
    tables = (tomllib.loads(block.text) for block in blocks(page) if block.language == "toml")
    projects = (table.get("project", {}) for table in tables)
    return frozenset(key for each in projects for key in each.get("entry-points", {}).get("gekko.expectations", {}))


def left_wrong(scratch: Scratch, excused: set[str]) -> Iterator[str]:
    """Yield what gko finds wrong with the project as the page leaves it; whether a server answers is not asked."""
    for row in json.loads(scratch.shell("gko config check --json 2>&1")):
        is_excused = any(path in row["message"] for path in excused)
        if row["kind"] == "config" and row["status"] != "ok" and not is_excused:
            yield f"{row['label']}: {row['message']}"
