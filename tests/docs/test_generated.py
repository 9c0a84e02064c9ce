"""What the pages take from the code is what the code says: generated parts, and tables of keys."""

from difflib import unified_diff
from pathlib import Path
from typing import Any

import attrs
import pytest

from gekko.record.entries import CaseEntry, EndEntry, ErrorEntry, Invocation, RunEntry, SuiteEntry
from gekko.specs.argument import RESERVED as RESERVED_ARGUMENTS
from gekko.specs.argument import Argument
from gekko.specs.backend import Embedded, Engine, Operation, Server, Timeouts
from gekko.specs.case import Case
from gekko.specs.command import RESERVED, FrontMatter, Input, Output, Turn
from gekko.specs.model import CONTROLLED, Generation, Model
from gekko.specs.runtime import DockerRuntime, ProcessRuntime
from tests.docs.generate import PARTS, regenerated
from tests.docs.markdown import PAGES, ROOT, tables

CONFIGURATION = ROOT / "docs" / "reference" / "configuration.md"

CASE_FILES = ROOT / "docs" / "reference" / "case-files.md"

RECORDS = ROOT / "docs" / "reference" / "records.md"

RUNTIMES = ROOT / "docs" / "runtimes.md"

TABLES = [
    pytest.param(CONFIGURATION, "A server", Server, id="server"),
    pytest.param(CONFIGURATION, "`[operations.NAME]`", Operation, id="operation"),
    pytest.param(CONFIGURATION, "`[timeouts]`", Timeouts, id="timeouts"),
    pytest.param(CONFIGURATION, "The embedded model", Embedded, id="embedded"),
    pytest.param(CONFIGURATION, "`[engine]`", Engine, id="engine"),
    pytest.param(CONFIGURATION, "Models", Model, id="model"),
    pytest.param(CONFIGURATION, "`[generation]`", Generation, id="generation"),
    pytest.param(CONFIGURATION, "Commands", FrontMatter, id="command"),
    pytest.param(CONFIGURATION, "`[args.NAME]`", Argument, id="argument"),
    pytest.param(CONFIGURATION, "`[input]`", Input, id="input"),
    pytest.param(CONFIGURATION, "`[[examples]]`", Turn, id="example"),
    pytest.param(CONFIGURATION, "`[output]`", Output, id="output"),
    pytest.param(CASE_FILES, "Keys", Case, id="case"),
    pytest.param(RECORDS, "Lines of type `suite`", SuiteEntry, id="suite"),
    pytest.param(RECORDS, "`invocation`", Invocation, id="invocation"),
    pytest.param(RECORDS, "Lines of type `case`", CaseEntry, id="case-line"),
    pytest.param(RECORDS, "Lines of type `run`", RunEntry, id="run"),
    pytest.param(RECORDS, "Lines of type `error`", ErrorEntry, id="error"),
    pytest.param(RECORDS, "Lines of type `end`", EndEntry, id="end"),
    pytest.param(RUNTIMES, "A process", ProcessRuntime, id="process"),
    pytest.param(RUNTIMES, "A container", DockerRuntime, id="container"),
]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_generated_parts_are_fresh(path: Path) -> None:
    """Where this fails, `python -m tests.docs.generate` writes the parts anew."""
    page = path.read_text()

    diff = unified_diff(page.splitlines(), regenerated(page).splitlines(), "as written", "as generated", lineterm="")

    assert "\n".join(diff) == ""


def test_every_part_that_can_be_generated_is_on_some_page() -> None:
    pages = "".join(path.read_text() for path in PAGES)

    assert [name for name in PARTS if f"<!-- generated: {name} -->" not in pages] == []


@pytest.mark.parametrize(("path", "section", "wanted"), TABLES)
def test_a_table_of_keys_has_every_key_with_its_default(path: Path, section: str, wanted: type[Any]) -> None:
    rows = {row[0].strip("`"): row[1].strip("`") for row in tables(path.read_text())[section]}

    assert rows == {field.name: default(field) for field in supported(wanted)}


@pytest.mark.parametrize("words", [RESERVED, RESERVED_ARGUMENTS, CONTROLLED], ids=["commands", "arguments", "extra"])
def test_every_reserved_word_is_told(words: tuple[str, ...]) -> None:
    page = CONFIGURATION.read_text()

    assert [word for word in words if f"`{word}`" not in page] == []


def supported(wanted: type[Any]) -> list["attrs.Attribute[Any]"]:
    """Return the keys that a file can have."""
    return [field for field in attrs.fields(wanted) if field.init]


def default(field: "attrs.Attribute[Any]") -> str:
    """Return how a table writes the default of a key."""
    match field.default:
        case attrs.NOTHING:
            return "required"
        case bool():
            return str(field.default).lower()
        case str() if field.default:
            return f'"{field.default}"'
        case int() | float():
            return str(field.default)
        case _:
            return "—"
