"""The parts of the pages that are written from the code: `python -m tests.docs.generate` writes them anew.

A part stands between two comments, `<!-- generated: NAME -->` and `<!-- end of NAME -->`; all around it is prose.
"""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gekko import errors, limits
from gekko.checks.checker import Checker, Place
from gekko.checks.registry import POINTERS, discover
from gekko.cli.exits import Exit
from gekko.cli.interrupts import CODES
from gekko.cli.root import BACKEND, BUILT_IN, CONFIG, MCP, REPORT
from tests.docs.markdown import PAGES, ROOT

PART: Final = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end of (?P=name) -->\n)", re.DOTALL)

DISTRIBUTION: Final = "gko"
"""Whose expectations are documented; whoever writes the pages may have others installed."""

PLACES: Final = {
    Place.EXPECT: "`[expect]`",
    Place.POINTER: "`[expect]`, as a key that begins with `/`",
    Place.VALUE: "`is`",
}

GROUPS: Final = {"backend": BACKEND, "config": CONFIG, "mcp": MCP, "report": REPORT}

LINE_CHARACTERS: Final = 100

LIMITS: Final = {
    "an input, a prompt, a partial, a schema file, a file that an argument names": limits.INPUT_BYTES,
    "a backend's answer": limits.ANSWER_BYTES,
    "a backend, model, command or case file": limits.SPEC_FILE_BYTES,
}


def expectations() -> str:
    """Return a section for each built-in expectation."""
    registry = discover()
    claims = [claim for claim in registry.claims if claim.distribution == DISTRIBUTION]
    return "\n".join("\n".join(_expectation(claim.key, registry.load(claim))) + "\n" for claim in claims)


def _expectation(key: str, checker: type[Checker]) -> Iterator[str]:
    prose, _, example = inspect.cleandoc(checker.__doc__ or "").partition("\n[expect]\n")
    example, _, more = example.partition("\n\n")
    formats = "text" if "json" not in checker.formats else "json"
    yield f"## {_title(key)}\n"
    yield f"{prose.strip()}\n"
    yield "| | |\n| --- | --- |"
    yield f"| stands in | {' and '.join(PLACES[place] for place in Place if place in checker.places)} |"
    yield f"| output format | {_formats(checker)} |\n"
    yield f"```toml case {formats}\n[expect]\n{example.rstrip()}\n```\n"
    if more:
        yield f"{more.strip()}\n"
    yield f"Its value, as a JSON Schema:\n\n```json\n{_fragment(checker)}\n```"


def _fragment(checker: type[Checker]) -> str:
    line = json.dumps(checker.fragment)
    return line if len(line) <= LINE_CHARACTERS else json.dumps(checker.fragment, indent=2)


def _title(key: str) -> str:
    return "Keys that begin with `/`" if key == POINTERS else f"`{key}`"


def _formats(checker: type[Checker]) -> str:
    if Place.EXPECT not in checker.places and Place.POINTER not in checker.places:
        return "JSON, as everything in `is`"
    names = " and ".join({"text": "text", "json": "JSON"}[each] for each in sorted(checker.formats, reverse=True))
    return f"{names}; in `is` always JSON" if Place.VALUE in checker.places else names


def exit_codes() -> str:
    """Return a table of all exit codes."""
    kinds = [each for each in vars(errors).values() if _is_kind(each)]
    signals = {code: name for name, code in CODES.items()}
    rows = [
        f"| {int(code)} | {' or '.join(f'`{each.kind}`' for each in kinds if each.exit_code == code)} "
        f"| {_meaning(code, [each for each in kinds if each.exit_code == code], signals)} |"
        for code in sorted(Exit)
    ]
    return "\n".join(["| code | kind | meaning |", "| ---: | --- | --- |", *rows]) + "\n"


def _is_kind(candidate: object) -> bool:
    is_error = isinstance(candidate, type) and issubclass(candidate, errors.GekkoError)
    return is_error and candidate is not errors.GekkoError


def _meaning(code: Exit, kinds: list[type[errors.GekkoError]], signals: Mapping[Exit, str]) -> str:
    if code in signals:
        return f"ended by {signals[code]}{', as by Ctrl-C' if code is Exit.INTERRUPTED else ''}"
    if not kinds:
        return "success"
    # What follows a semicolon is about the class.
    sentences = ((kind.__doc__ or "").splitlines()[0].partition(";")[0].rstrip(".") for kind in kinds)
    return "; ".join(f"{sentence[0].lower()}{sentence[1:]}" for sentence in sentences)


def command_help() -> str:
    """Return what every command of gko's own says of itself."""
    inner = (f"gko {group} {name}" for group, names in GROUPS.items() for name in names)
    commands = ["gko", *(f"gko {name}" for name in BUILT_IN), *inner]
    return "\n".join(f"## `{command}`\n\n```text\n{_help(command)}```\n" for command in sorted(commands))


def _help(command: str) -> str:
    _, *words = command.split()
    no_scope = {"GKO_SYSTEM_DIR": "/nowhere", "XDG_CONFIG_HOME": "/nowhere"}
    done = subprocess.run(
        [sys.executable, "-m", "gekko", *words, "--help"],
        cwd="/",
        env={**os.environ, **no_scope, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def hard_limits() -> str:
    """Return a table of all limits."""
    sizes = [f"| {what} | {size // limits.MIB} MiB |" for what, size in LIMITS.items()]
    rows = [
        *sizes,
        f"| nesting of a JSON text | {limits.JSON_DEPTH} levels |",
        f"| digits of one number in a JSON text | {limits.NUMBER_DIGITS} |",
        f"| a string, or a name, that a pattern of a schema is tried on | {limits.PATTERN_CHARACTERS} characters |",
        f"| evaluating a schema on one value | {limits.SCHEMA_SECS} s of processor time |",
        f"| a file whose problems are told with line and column | {limits.LOCATED_FILE_BYTES // 1024} KiB |",
    ]
    return "\n".join(["| what | at most |", "| --- | ---: |", *rows]) + "\n"


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "expectations": expectations,
    "exit-codes": exit_codes,
    "help": command_help,
    "limits": hard_limits,
}


def regenerated(page: str) -> str:
    """Return a page with its generated parts as they should be now."""
    return PART.sub(lambda match: f"{match[1]}\n{PARTS[match['name']]()}\n{match[3]}", page)


def main() -> None:
    """Write every page anew that is stale, and say which."""
    for path in PAGES:
        page = path.read_text()
        if (fresh := regenerated(page)) != page:
            path.write_text(fresh)
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
