"""Sentence 30: a command that takes bytes."""

import json

import pytest

from tests.project import Project
from tests.seed.page import results
from tests.stub_server import StubServer, answer_json

MEMO = b"RIFF\x24\x00\x00\x00WAVEfmt \xff\xfe\x00\r\n--\x80"


@pytest.fixture
def dictation(project: Project, server: StubServer) -> Project:
    """A project with `gko dictate`, which writes down what is said."""
    project.model(id="ears", operation="speech")
    project.command("dictate", 'model = "ears"\n[input]\nmode = "binary"\n', "Printers")
    server.answer(answer_json({"text": "The printer is on fire"}))
    return project


def test_a_binary_command_takes_a_file_next_to_the_case_as_bytes(dictation: Project, server: StubServer) -> None:
    dictation.case("dictate/memo", 'contains = ["printer"]', 'input = { file = "memo.wav" }')
    dictation.write("tests/dictate/memo.wav", MEMO)

    run = dictation.gko("config", "test", "--json")

    assert (run.exit_code, results(run), run.stderr) == (0, {"memo": "pass"}, "")
    [request] = server.requests
    assert request.path == "/v1/audio/transcriptions"
    assert b'filename="memo.wav"' in request.body
    assert b"\r\n\r\n" + MEMO + b"\r\n--" in request.body


def test_a_dry_run_names_the_file_that_would_be_uploaded(dictation: Project, server: StubServer) -> None:
    dictation.case("dictate/memo", "", 'input = { file = "memo.wav" }')
    dictation.write("tests/dictate/memo.wav", MEMO)

    run = dictation.gko("config", "test", "--dry-run", "--json")

    assert run.exit_code == 0
    messages = [{"role": "user", "content": "Printers"}]
    assert json.loads(run.stdout) == [
        {"command": "dictate", "case": "memo", "model": "ears", "messages": messages, "file": "memo.wav"}
    ]
    assert server.connections_accepted == 0


@pytest.mark.parametrize("name", ["memo.mp3", "../memo.wav", "/memo.wav", "."])
def test_a_binary_input_must_name_a_file_next_to_the_case(dictation: Project, server: StubServer, name: str) -> None:
    dictation.case("dictate/memo", "", f'input = {{ file = "{name}" }}')
    dictation.write("tests/memo.wav", MEMO)

    run = dictation.gko("config", "test")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "memo.toml:1:" in run.stderr


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_an_inline_input_of_a_binary_command_is_rejected(
    dictation: Project, server: StubServer, options: tuple[str, ...]
) -> None:
    dictation.case("dictate/memo", "", 'input = "memo.wav"')
    dictation.write("tests/dictate/memo.wav", MEMO)

    run = dictation.gko("config", "test", *options)

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "memo.toml:1:1: input:" in run.stderr
