"""Transcriptions from the command line to the bytes on the wire, and back; tests/speech has an engine that listens."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.project import Finished, Project
from tests.stub_server import Script, StubServer, answer_json, chat_completion, raw, response, status

MEMO = b"RIFF\x24\x00\x00\x00WAVEfmt \xff\xfe\x00\r\n--\x80\r\n"

HEAR = 'description = "Write down what is said"\nmodel = "ears"\n[input]\nmode = "binary"\n'


@pytest.fixture
def hear(project: Project, server: StubServer) -> Project:
    """A project with `gko hear`, which asks the model `ears`, and `memo.wav` in its folder."""
    project.model(id="ears", operation="speech")
    project.command("hear", HEAR + '[args.names]\ndefault = "Żaneta"\n', "Names: {{ args.names }}")
    (project.folder / "memo.wav").write_bytes(MEMO)
    server.answer(answer_json({"text": "The printer is on fire"}))
    return project


def on_the_wire(server: StubServer) -> bytes:
    """Return the body of the one request, its boundary being `BOUNDARY`."""
    [request] = server.requests
    kind, _, boundary = request.headers["content-type"].partition("; boundary=")
    assert (request.method, request.path, kind) == ("POST", "/v1/audio/transcriptions", "multipart/form-data")
    assert int(request.headers["content-length"]) == len(request.body)
    return request.body.replace(boundary.encode(), b"BOUNDARY")


class TestTheForm:
    def test_is_model_prompt_and_file(self, hear: Project, server: StubServer) -> None:
        run = hear.gko("hear", "memo.wav")

        assert run == Finished(0, b"The printer is on fire\n", "")
        assert on_the_wire(server) == (
            b'--BOUNDARY\r\nContent-Disposition: form-data; name="model"\r\n\r\nserved-ears\r\n'
            b'--BOUNDARY\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n'
            + "Names: Żaneta\r\n".encode()
            + b'--BOUNDARY\r\nContent-Disposition: form-data; name="file"; filename="memo.wav"\r\n'
            b"Content-Type: application/octet-stream\r\n\r\n" + MEMO + b"\r\n--BOUNDARY--\r\n"
        )

    @pytest.mark.parametrize("prompt", ["", "{{ args.names }}"], ids=["none", "blank-once-rendered"])
    def test_has_no_prompt_where_there_is_none(self, hear: Project, server: StubServer, prompt: str) -> None:
        hear.command("hear", HEAR + '[args.names]\ndefault = " "\n', prompt)

        hear.gko("hear", "memo.wav")

        assert re.findall(rb'; name="(\w+)"', on_the_wire(server)) == [b"model", b"file"]

    @pytest.mark.parametrize(
        ("name", "sent"),
        [
            pytest.param("żółw 🐢.wav", "żółw 🐢.wav", id="beyond-ascii"),
            pytest.param('so "loud".wav', "so %22loud%22.wav", id="quotes"),
            pytest.param("two\r\nlines.wav", "two%0D%0Alines.wav", id="line-ends"),
            pytest.param("back\\slash; filename=x.wav", "back\\slash; filename=x.wav", id="separators"),
        ],
    )
    def test_carries_any_name(self, hear: Project, server: StubServer, name: str, sent: str) -> None:
        (hear.folder / name).write_bytes(MEMO)

        run = hear.gko("hear", name)

        assert run.exit_code == 0, run.stderr
        assert f'name="file"; filename="{sent}"\r\n'.encode() in on_the_wire(server)

    def test_carries_any_name_of_a_cases_file(self, hear: Project, server: StubServer) -> None:
        hear.write("tests/hear/żółw 🐢.wav", MEMO)
        hear.case("hear/turtle", 'contains = ["printer"]', 'input = { file = "żółw 🐢.wav" }')

        run = hear.gko("config", "test")

        assert run.exit_code == 0, run.stderr
        assert 'name="file"; filename="żółw 🐢.wav"\r\n'.encode() in on_the_wire(server)

    def test_holds_an_empty_recording(self, hear: Project, server: StubServer) -> None:
        assert hear.gko("hear", input=b"").exit_code == 0
        assert b'filename="input"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--' in on_the_wire(server)

    def test_bears_the_headers_of_the_backend(self, hear: Project, server: StubServer) -> None:
        hear.backend(server.url, '[headers]\nAuthorization = "Bearer {{ env.API_KEY }}"')
        hear.environ["API_KEY"] = "sk-ears"

        hear.gko("hear", "memo.wav")

        assert server.requests[0].headers["authorization"] == "Bearer sk-ears"
        assert server.requests[0].headers["content-type"].startswith("multipart/form-data; boundary=")


class TestTheText:
    @pytest.mark.parametrize(
        ("text", "written"),
        [
            pytest.param("\n The printer\u2028is  on\tfire \r\n", "The printer\u2028is  on\tfire\n", id="trimmed"),
            pytest.param("", "\n", id="silence"),
            pytest.param("```\nfenced\n```", "```\nfenced\n```\n", id="fenced"),
            pytest.param("<think>hm</think> yes", "<think>hm</think> yes\n", id="thoughtful"),
        ],
    )
    def test_is_trimmed_and_else_untouched(self, hear: Project, server: StubServer, text: str, written: str) -> None:
        server.answer(answer_json({"text": text, "segments": [{"id": 0}], "usage": {"type": "duration", "seconds": 2}}))

        assert hear.gko("hear", "memo.wav") == Finished(0, written.encode(), "")

    def test_keeps_to_max_lines(self, hear: Project, server: StubServer) -> None:
        hear.command("hear", HEAR + "[output]\nmax_lines = 2\n", "")
        server.answer(answer_json({"text": "one\n\ntwo\n"}), answer_json({"text": "one\ntwo\nthree"}))

        kept, broken = (hear.gko("hear", "memo.wav") for _ in range(2))

        assert kept == Finished(0, b"one\n\ntwo\n", "")
        assert (broken.exit_code, broken.stdout) == (4, b"")
        assert "found 3" in broken.stderr

    @pytest.mark.parametrize(
        ("answer", "told"),
        [
            pytest.param(answer_json({"task": "transcribe"}), "text", id="missing"),
            pytest.param(answer_json({"text": None}), "null", id="null"),
            pytest.param(raw(response(200, chat_completion("The printer"))), "text", id="a-chat-completion"),
            pytest.param(status(200, "The printer is on fire"), "JSON", id="bare"),
            pytest.param(
                status(400, '{"error": {"message": "no audio stream"}}'), "400: no audio stream", id="refused"
            ),
        ],
    )
    @pytest.mark.parametrize("args", [("hear", "memo.wav"), ("config", "test")])
    def test_that_is_not_there_is_no_answer(
        self, hear: Project, server: StubServer, args: tuple[str, ...], answer: Script, told: str
    ) -> None:
        hear.write("tests/hear/memo.wav", MEMO)
        hear.case("hear/memo", given='input = { file = "memo.wav" }')
        server.answer(answer)

        run = hear.gko(*args)

        assert (run.exit_code, run.stdout) == (3, b"")
        assert f"{server.url}/v1/audio/transcriptions" in run.stderr
        assert told in run.stderr
        assert len(server.requests) == 1


class TestTwoModels:
    @pytest.fixture
    def two(self, hear: Project, server: StubServer) -> Project:
        """The project, `ears` having the fallback `spare`."""
        hear.model('fallback = "spare"', id="ears", operation="speech")
        hear.model(id="spare", operation="speech")
        return hear

    def test_the_fallback_gets_the_same_recording(self, two: Project, server: StubServer) -> None:
        server.answer(status(503, "loading"), answer_json({"text": "on fire"}))

        run = two.gko("--verbose", "info", "hear", "memo.wav")

        assert (run.exit_code, run.stdout) == (0, b"on fire\n")
        assert "503: loading" in run.stderr
        first, second = (request.body for request in server.requests)
        assert b"\r\n\r\nserved-ears\r\n" in first
        assert b"\r\n\r\nserved-spare\r\n" in second
        for body in (first, second):
            assert b"\r\n\r\n" + MEMO + b"\r\n--" in body
            assert "\r\n\r\nNames: Żaneta\r\n".encode() in body

    def test_both_that_fail_are_named(self, two: Project, server: StubServer) -> None:
        server.answer(status(503, "loading"), answer_json({}))

        run = two.gko("hear", "memo.wav")

        assert (run.exit_code, run.stdout, len(server.requests)) == (3, b"", 2)
        assert "503: loading" in run.stderr
        assert "'spare'" in run.stderr

    def test_an_answer_that_breaks_the_contract_is_no_reason_to_ask_another(
        self, two: Project, server: StubServer
    ) -> None:
        two.command("hear", HEAR + "[output]\nmax_lines = 0\n", "")

        assert two.gko("hear", "memo.wav").exit_code == 4
        assert len(server.requests) == 1

    def test_a_suite_warns_of_it(self, two: Project, server: StubServer) -> None:
        two.write("tests/hear/memo.wav", MEMO)
        two.case("hear/memo", 'contains = ["fire"]', 'input = { file = "memo.wav" }')
        server.answer(status(503, "loading"), answer_json({"text": "on fire"}))

        run = two.gko("config", "test", "--json")

        assert (run.exit_code, len(server.requests)) == (0, 2)
        assert run.stderr.startswith("warning: ")
        assert all(named in run.stderr for named in ("hear", "memo", "'ears'", "'spare'"))


class TestStatistics:
    @pytest.fixture
    def record(self, hear: Project) -> Callable[[], dict[str, Any]]:
        """Returns the one record."""
        hear.environ["GKO_STATS_FILE"] = "runs.jsonl"

        def record() -> dict[str, Any]:
            (line,) = (hear.folder / "runs.jsonl").read_text().splitlines()
            found: dict[str, Any] = json.loads(line)
            assert found.pop("timestamp_ms") > 0
            assert found.pop("duration_ms") >= 0
            return found

        return record

    def test_know_no_tokens(self, hear: Project, record: Callable[[], dict[str, Any]]) -> None:
        hear.gko("hear", "memo.wav")

        assert record() == {
            "command": "hear",
            "model_requested": "ears",
            "model_answered": "ears",
            "fallback_used": False,
            "backend": "stub",
            "prompt_tokens": None,
            "completion_tokens": None,
            "finish_reason": None,
            "exit_code": 0,
        }

    def test_name_the_fallback(self, hear: Project, server: StubServer, record: Callable[[], dict[str, Any]]) -> None:
        hear.model('fallback = "spare"', id="ears", operation="speech")
        hear.model(id="spare", operation="speech")
        server.answer(status(503), answer_json({"text": "on fire"}))

        hear.gko("hear", "memo.wav")

        found = record()
        assert (found["model_requested"], found["model_answered"], found["fallback_used"]) == ("ears", "spare", True)

    def test_of_a_refusal_know_no_model(
        self, hear: Project, server: StubServer, record: Callable[[], dict[str, Any]]
    ) -> None:
        server.answer(status(400, "no audio stream"))

        hear.gko("hear", "memo.wav")

        found = record()
        assert (found["model_answered"], found["backend"], found["exit_code"]) == (None, None, 3)
