"""`gko COMMAND` from end to end: arguments and an input in, one request, the answer out or nothing at all."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gekko.limits import INPUT_BYTES
from tests.project import FRONT, GKO, JSON_OUTPUT, PROMPT, Finished, Project
from tests.stub_server import StubServer, answer_json, chat_completion, raw, response, say, status

PLAIN = 'description = "Say it"\nmodel = "fast"\n'
ECHO = "{{ input }}"


def input_mode(mode: str) -> str:
    return f'{PLAIN}[input]\nmode = "{mode}"\n'


def sent(server: StubServer) -> str:
    """Return the last message of the only request."""
    (request,) = server.requests
    return str(request.json["messages"][-1]["content"])


def failed(run: Finished, code: int) -> str:
    """Return what was said by a run that failed as it should."""
    assert (run.exit_code, run.stdout) == (code, b"")
    assert "Traceback" not in run.stderr
    assert run.stderr.startswith("error: ")
    return run.stderr


class TestTheRequest:
    def test_is_one_post_of_the_rendered_prompt(self, project: Project, server: StubServer) -> None:
        project.model("[generation]\ntemperature = 0.0\nseed = 7\n[generation.extra]\ntop_k = 3\n")
        project.command(
            "git/review", FRONT + '[generation]\nmax_tokens = 9\n[[examples]]\nuser = "u"\nassistant = "a"\n'
        )

        run = project.gko("git", "review", "--kind", "mail", input="Grüße\r\n".encode())

        assert run == Finished(0, b"ok\n", "")
        (request,) = server.requests
        assert (request.method, request.path) == ("POST", "/v1/chat/completions")
        assert request.headers["content-type"] == "application/json"
        assert request.json == {
            "model": "served-fast",
            "messages": [
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": "a"},
                {"role": "user", "content": "Classify this mail: Grüße\r\n"},
            ],
            "temperature": 0.0,
            "seed": 7,
            "top_k": 3,
            "max_tokens": 9,
        }

    def test_has_nothing_that_was_not_asked_for(self, project: Project, server: StubServer) -> None:
        project.command("say", PLAIN, ECHO)

        project.gko("say", input=b"x")

        assert set(server.requests[0].json) == {"model", "messages"}
        assert server.requests[0].headers["accept-encoding"] == "identity"

    def test_carries_the_headers_of_the_backend(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, '[headers]\nAuthorization = "Bearer {{ env.KEY }}"\nX-Empty = "{{ env.NONE }}"')
        project.command("say", PLAIN, ECHO)

        project.gko("say", environ={"KEY": "abc", "NONE": ""})

        headers = server.requests[0].headers
        assert (headers["authorization"], headers["x-empty"]) == ("Bearer abc", "")

    def test_goes_to_the_model_that_the_command_line_names(self, project: Project, server: StubServer) -> None:
        project.model(id="slow")
        project.command("say", PLAIN, ECHO)

        project.gko("say", "--model", "slow")

        assert server.requests[0].json["model"] == "served-slow"

    def test_substitutes_once(self, project: Project, server: StubServer) -> None:
        project.command("git/review")

        project.gko("git", "review", "--kind", "{{ input }}", input=b"{{ args.kind }} {{ env.HOME }}")

        assert sent(server) == "Classify this {{ input }}: {{ args.kind }} {{ env.HOME }}"


class TestInputs:
    @pytest.mark.parametrize(
        ("given", "arrives"),
        [
            pytest.param(b"", "", id="empty"),
            pytest.param(b"\n", "\n", id="white-space"),
            pytest.param(b"\xef\xbb\xbfone\r\ntwo\r\n", "one\r\ntwo\r\n", id="byte-order-mark-and-crlf"),
            pytest.param(b"\xef\xbb\xbf\xef\xbb\xbf", "\ufeff", id="only-the-first-mark"),
            pytest.param(b"a\x00b\x1b", "a\x00b\x1b", id="control-characters"),
            pytest.param("𝄞".encode(), "𝄞", id="beyond-the-basic-plane"),
        ],
    )
    @pytest.mark.parametrize("source", ["stdin", "file"])
    def test_arrive_as_they_are(
        self, project: Project, server: StubServer, source: str, given: bytes, arrives: str
    ) -> None:
        project.command("say", input_mode("stdin_or_file"), ECHO)
        (project.folder / "given.txt").write_bytes(given)

        run = project.gko("say", input=given) if source == "stdin" else project.gko("say", "given.txt")

        assert run.exit_code == 0
        assert sent(server) == arrives

    @pytest.mark.parametrize("mode", ["file", "stdin_or_file"])
    def test_a_file_wins_over_stdin(self, project: Project, server: StubServer, mode: str) -> None:
        project.command("say", input_mode(mode), ECHO)
        (project.folder / "given.txt").write_text("from the file")

        project.gko("say", "given.txt", input=b"from stdin")

        assert sent(server) == "from the file"

    def test_a_command_that_reads_stdin_takes_no_file(self, project: Project, server: StubServer) -> None:
        project.command("say", PLAIN, ECHO)

        assert "given.txt" in failed(project.gko("say", "given.txt"), 2)
        assert server.requests == []

    def test_a_command_that_reads_a_file_needs_one(self, project: Project, server: StubServer) -> None:
        project.command("say", input_mode("file"), ECHO)

        assert "FILE" in failed(project.gko("say"), 2)
        assert server.requests == []

    @pytest.mark.parametrize("source", ["stdin", "file"])
    def test_text_that_is_not_utf_8(self, project: Project, server: StubServer, source: str) -> None:
        project.command("say", input_mode("stdin_or_file"), ECHO)
        (project.folder / "given.txt").write_bytes(b"one\ntwo \xff")

        run = project.gko("say", input=b"one\ntwo \xff") if source == "stdin" else project.gko("say", "given.txt")

        told = failed(run, 1)
        assert ("standard input" if source == "stdin" else "given.txt") in told
        assert "UTF-8" in told
        assert "line 2" in told
        assert server.requests == []

    @pytest.mark.parametrize(
        ("name", "told"),
        [("gone.txt", "given.txt"), ("folder", "a folder"), ("pipe", "a pipe"), ("bad\udcff", "no such file")],
    )
    def test_a_file_that_is_none(self, project: Project, server: StubServer, name: str, told: str) -> None:
        project.command("say", input_mode("file"), ECHO)
        (project.folder / "given.txt").touch()
        (project.folder / "folder").mkdir()
        os.mkfifo(project.folder / "pipe")

        assert told in failed(project.gko("say", name), 1)
        assert server.requests == []

    def test_one_beyond_the_limit(self, project: Project, server: StubServer) -> None:
        project.command("say", input_mode("stdin_or_file"), ECHO)
        with (project.folder / "large.txt").open("wb") as large:
            large.truncate(INPUT_BYTES + 1)

        assert "64 MiB" in failed(project.gko("say", "large.txt"), 1)
        with (project.folder / "large.txt").open("rb") as large:
            done = subprocess.run(
                [GKO, "say"],
                cwd=project.folder,
                env=project.environment(),
                stdin=large,
                capture_output=True,
                timeout=60,
                check=False,
            )
        assert "64 MiB" in failed(Finished(done.returncode, done.stdout, done.stderr.decode()), 1)
        assert server.requests == []


class TestUploads:
    @pytest.fixture
    def hear(self, project: Project, server: StubServer) -> Project:
        project.model(id="ears", operation="speech")
        project.command("hear", 'description = "Hear"\nmodel = "ears"\n[input]\nmode = "binary"\n', "Names: Żaneta")
        server.answer(answer_json({"text": " hello \n"}))
        return project

    def test_bytes_from_stdin_are_called_input(self, hear: Project, server: StubServer) -> None:
        run = hear.gko("hear", input=b"\xff\x00RIFF")

        assert run == Finished(0, b"hello\n", "")
        (request,) = server.requests
        assert request.path == "/v1/audio/transcriptions"
        assert b'name="file"; filename="input"' in request.body
        assert b"\r\n\r\n\xff\x00RIFF\r\n" in request.body
        assert b'name="model"\r\n\r\nserved-ears\r\n' in request.body
        assert 'name="prompt"\r\n\r\nNames: Żaneta\r\n'.encode() in request.body

    def test_a_file_keeps_its_name(self, hear: Project, server: StubServer) -> None:
        (hear.folder / "sub").mkdir()
        (hear.folder / "sub/memo.wav").write_bytes(b"RIFF")

        hear.gko("hear", "sub/memo.wav")

        assert b'filename="memo.wav"' in server.requests[0].body

    def test_a_dry_run_shows_the_form(self, hear: Project, server: StubServer) -> None:
        run = hear.gko("hear", "--dry-run", input=b"\xff\x00RIFF")

        assert run.exit_code == 0
        assert json.loads(run.stdout) == {
            "url": f"{server.url}/v1/audio/transcriptions",
            "headers": {},
            "body": {"model": "served-ears", "prompt": "Names: Żaneta", "file": "input"},
        }
        assert server.requests == []

    @pytest.mark.parametrize("answer", [{}, {"text": None}, {"text": ["a"]}, {"error": {"message": "too long"}}])
    def test_an_answer_without_a_text(self, hear: Project, server: StubServer, answer: object) -> None:
        server.answer(answer_json(answer))

        assert server.url in failed(hear.gko("hear", input=b"x"), 3)


class TestNothingIsReadTooEarly:
    """Whatever can be known without the input is told without waiting for it: the writer may have only one copy."""

    @pytest.mark.parametrize(
        ("front", "args", "culprit"),
        [
            pytest.param(PLAIN, ("--modle", "x"), "--modle", id="option"),
            pytest.param(PLAIN, ("--model", "fats"), "fats", id="model-option"),
            pytest.param(PLAIN.replace("fast", "fats"), (), "fats", id="model"),
            pytest.param(PLAIN + "[args.kind]\nrequired = true\n", (), "kind", id="required-argument"),
            pytest.param(PLAIN + '[args.n]\ntype = "integer"\n', ("--n", "x"), "--n", id="argument"),
            pytest.param(PLAIN + '[args.f]\ntype = "file"\n', ("--f", "gone"), "gone", id="file-argument"),
            pytest.param(PLAIN + 'system = "{{ env.UNSET_HERE }}"\n', (), "UNSET_HERE", id="environment"),
            pytest.param(PLAIN + 'system = "{{ oops }}"\n', (), "oops", id="placeholder"),
            pytest.param(PLAIN + '[partials]\nstyle = "gone"\n', (), "gone", id="partial"),
            pytest.param(PLAIN + JSON_OUTPUT + 'schema = "gone"\n', (), "gone", id="schema"),
            pytest.param(PLAIN + JSON_OUTPUT + 'schema = "bad"\n', (), "bad", id="invalid-schema"),
            pytest.param(PLAIN + JSON_OUTPUT + "max_lines = 2\n", (), "max_lines", id="contract"),
            pytest.param(PLAIN.replace("fast", "keyed"), (), "UNSET_KEY", id="header"),
            pytest.param(PLAIN.replace("fast", "ears"), (), "binary", id="protocol"),
        ],
    )
    def test_an_endless_input_is_not_waited_for(
        self, project: Project, server: StubServer, front: str, args: tuple[str, ...], culprit: str
    ) -> None:
        project.write("schemas/bad.json", '{"type": "strin"}')
        project.backend(server.url, '[headers]\nKey = "{{ env.UNSET_KEY }}"', id="locked")
        project.model(id="keyed", backend="locked")
        project.model(id="ears", operation="speech")
        project.command("say", front, ECHO)

        with project.start("say", *args) as process:
            exit_code = process.wait(20)
            assert process.stdout is not None
            assert process.stderr is not None
            run = Finished(exit_code, process.stdout.read(), process.stderr.read().decode())

        assert (run.exit_code, run.stdout) == (1 if culprit == "gone" and args else 2, b"")
        assert culprit in run.stderr
        assert server.requests == []


class TestArguments:
    ALL = (
        PLAIN
        + '[args.kind]\nshort = "k"\ntype = "enum"\nvalues = ["ticket", "mail"]\ndefault = "ticket"\n'
        + '[args.count]\nshort = "c"\ntype = "integer"\nmin = -1\nmax = 3\ndefault = "2"\n'
        + '[args.file]\ntype = "file"\ndefault = "notes.txt"\n'
        + '[args.class-name]\nrequired = true\nshort = "C"\n'
    )
    PROMPT = "{{ args.kind }}|{{ args.count }}|{{ args.file }}|{{ args.class-name }}|{{ input }}"

    @pytest.fixture
    def project(self, project: Project) -> Project:
        project.command("say", self.ALL + '[input]\nmode = "stdin_or_file"\n', self.PROMPT)
        project.write("notes.txt", "beside the scope")
        (project.folder / "here.txt").write_text("\ufeffhere\r\n")
        (project.folder / "latin.txt").write_bytes(b"\xe9")
        return project

    @pytest.mark.parametrize(
        ("args", "arrives"),
        [
            (("--class-name", "x"), "ticket|2|beside the scope|x|"),
            (("-C", "x"), "ticket|2|beside the scope|x|"),
            (("-Cx", "-kmail", "-c3"), "mail|3|beside the scope|x|"),
            (("--class-name=x=y", "--kind=mail", "--count=-1"), "mail|-1|beside the scope|x=y|"),
            (("--class-name", "", "--count", "1"), "ticket|1|beside the scope||"),
            (("--class-name", "-dashed", "-c", "-1"), "ticket|-1|beside the scope|-dashed|"),
            (("--class-name", "x", "--file", "here.txt"), "ticket|2|here\r\n|x|"),
            (("-Cx", "here.txt"), "ticket|2|beside the scope|x|here\r\n"),
            (("-Cx", "--file=here.txt", "--", "here.txt"), "ticket|2|here\r\n|x|here\r\n"),
            (("here.txt", "-Cx", "-v", "error"), "ticket|2|beside the scope|x|here\r\n"),
            (("-Cx", "--kind", "mail", "--kind", "ticket"), "ticket|2|beside the scope|x|"),
        ],
    )
    def test_arrive_in_the_prompt(
        self, project: Project, server: StubServer, args: tuple[str, ...], arrives: str
    ) -> None:
        run = project.gko("say", *args)

        assert run == Finished(0, b"ok\n", "")
        assert sent(server) == arrives

    @pytest.mark.parametrize(
        ("args", "code", "culprits"),
        [
            ((), 2, ["--class-name"]),
            (("-Cx", "--kind", "mial"), 2, ["--kind", "mial", "'mail'"]),
            (("-Cx", "--kind", ""), 2, ["--kind", "'ticket'"]),
            (("-Cx", "--kind", "Mail"), 2, ["--kind", "'mail'"]),
            (("-Cx", "--count", "4"), 2, ["--count", "4", "3"]),
            (("-Cx", "--count", "-2"), 2, ["--count", "-2", "-1"]),
            (("-Cx", "--count", "1.0"), 2, ["--count", "1.0"]),
            (("-Cx", "--count", "1_0"), 2, ["--count", "1_0"]),
            (("-Cx", "--count", "9" * 5000), 2, ["--count"]),
            (("-Cx", "--file", "her.txt"), 1, ["her.txt", "here.txt"]),
            (("-Cx", "--file", "latin.txt"), 1, ["latin.txt", "UTF-8"]),
            (("--kind", "mial", "--count", "x"), 2, ["--kind", "--count", "--class-name"]),
            (("-Cx", "--clas-name", "y"), 2, ["--clas-name", "--class-name"]),
            (("--class-name",), 2, ["--class-name"]),
            (("-Cx", "-x"), 2, ["-x"]),
        ],
    )
    def test_that_are_wrong_are_all_told(
        self, project: Project, server: StubServer, args: tuple[str, ...], code: int, culprits: list[str]
    ) -> None:
        told = failed(project.gko("say", *args), code)

        assert [culprit for culprit in culprits if culprit not in told] == []
        assert len(told) < 1000
        assert server.requests == []

    def test_are_described_in_the_help(self, project: Project) -> None:
        run = project.gko("say", "--help")

        text = run.stdout.decode()
        for shown in ("-k, --kind", "'ticket' or 'mail'", "--count", "INTEGER", "Required", "[FILE]", "Say it"):
            assert shown in text


class TestOptions:
    @pytest.mark.parametrize("args", [("-v", "error", "say"), ("say", "-v", "error"), ("say", "--verbose=error")])
    def test_global_ones_stand_before_and_after_the_command(self, project: Project, args: tuple[str, ...]) -> None:
        project.command("say", PLAIN, ECHO)

        assert project.gko(*args) == Finished(0, b"ok\n", "")

    def test_a_dry_run_shows_the_request_and_sends_nothing(self, project: Project, server: StubServer) -> None:
        project.backend(f"{server.url}/base/", '[headers]\nAuthorization = "Bearer {{ env.UNSET_KEY }}"\nX-Plain = "p"')
        project.command("git/review")

        run = project.gko("git", "review", "--dry-run", input="größer".encode())

        assert (run.exit_code, run.stderr) == (0, "")
        shown: dict[str, Any] = json.loads(run.stdout)
        assert list(shown) == ["url", "headers", "body"]
        assert shown == {
            "url": f"{server.url}/base/v1/chat/completions",
            "headers": {"Authorization": "[redacted]", "X-Plain": "[redacted]"},
            "body": {
                "model": "served-fast",
                "messages": [{"role": "user", "content": "Classify this ticket: größer"}],
            },
        }
        assert server.connections_accepted == 0

    @pytest.mark.parametrize("how", ["before", "after", "equals", "environ"])
    def test_the_scope_can_be_named(self, project: Project, server: StubServer, tmp_path: Path, how: str) -> None:
        project.command("say", PLAIN, ECHO)
        project.root.rename(tmp_path / "elsewhere")
        args, environ = {
            "before": (("--config-dir", "elsewhere", "say"), {"GKO_CONFIG_DIR": "nowhere"}),
            "after": (("say", "--config-dir", "elsewhere"), {}),
            "equals": (("say", "--config-dir=elsewhere"), {}),
            "environ": (("say",), {"GKO_CONFIG_DIR": "elsewhere"}),
        }[how]

        assert project.gko(*args, environ=environ) == Finished(0, b"ok\n", "")

    @pytest.mark.parametrize(
        ("args", "environ"), [(("--config-dir", "nowhere"), {}), ((), {"GKO_CONFIG_DIR": "nowhere"})]
    )
    def test_a_scope_that_is_named_must_exist(
        self, project: Project, args: tuple[str, ...], environ: dict[str, str]
    ) -> None:
        assert "nowhere" in failed(project.gko("config", "test", *args, environ=environ), 2)


class TestABrokenConfiguration:
    @pytest.fixture
    def project(self, project: Project) -> Project:
        project.command("say", PLAIN, ECHO)
        project.write("models/fast.toml", 'id = "fast"\nbackend = [')
        return project

    def test_is_told_by_the_help(self, project: Project) -> None:
        run = project.gko("--help")

        assert run.exit_code == 0
        assert b"broken" in run.stdout
        assert b"doctor" in run.stdout

    def test_keeps_no_built_in_from_working(self, project: Project) -> None:
        assert project.gko("config", "schema", "test").exit_code == 0
        assert project.gko("config", "expectations").exit_code == 0
        assert project.gko("config", "test", "--help").exit_code == 0
        assert project.gko("--version").exit_code == 0

    @pytest.mark.parametrize("args", [("say",), ("config", "test"), ("sya",)])
    def test_is_told_where_it_is_needed(self, project: Project, server: StubServer, args: tuple[str, ...]) -> None:
        assert ".gekko/models/fast.toml:2" in failed(project.gko(*args), 2)

    def test_a_broken_command_breaks_no_other(self, project: Project, server: StubServer) -> None:
        project.model()
        project.command("bad", "description = 1\n")

        assert project.gko("say").exit_code == 0
        assert b"bad" in project.gko("--help").stdout
        assert ".gekko/commands/bad.md" in failed(project.gko("bad"), 2)


TEXT = PLAIN + "[output]\n"
JSON = PLAIN + JSON_OUTPUT


class TestTheContract:
    @pytest.mark.parametrize(
        ("front", "answer", "written"),
        [
            pytest.param(PLAIN, " \n two\r\n lines \t\n\n", "two\r\n lines", id="trimmed-text"),
            pytest.param(PLAIN, "", "", id="empty-text"),
            pytest.param(PLAIN, "```\ncode\n```", "```\ncode\n```", id="a-fence-in-text-stays"),
            pytest.param(PLAIN, "a\x00b\x1b[31m", "a\x00b\x1b[31m", id="text-untouched"),
            pytest.param(TEXT + "max_lines = 2\n", "a\n\n \nb", "a\n\n \nb", id="as-many-lines"),
            pytest.param(TEXT + "strip_reasoning = true\n", "<think>\nhm\n</think>\n\nyes", "yes", id="reasoning"),
            pytest.param(PLAIN, "<think>hm</think>yes", "<think>hm</think>yes", id="reasoning-kept"),
            pytest.param(TEXT + "strip_reasoning = true\n", "<think>hm", "<think>hm", id="reasoning-unclosed"),
            pytest.param(JSON, ' {"b" : 1.0, "a": [ 1, "ü" ]}\n', '{"b":1.0,"a":[1,"ü"]}', id="json-compact"),
            pytest.param(JSON, '```json\n{"a": 1}\n```', '{"a":1}', id="json-fenced"),
            pytest.param(JSON, "```\n[]\n```\n", "[]", id="json-fenced-without-language"),
            pytest.param(JSON, '"\\ud834\\udd1e"', '"𝄞"', id="json-escaped"),
            pytest.param(JSON, "12345678901234567890123", "12345678901234567890123", id="json-large-integer"),
            pytest.param(JSON, "[" * 200 + "]" * 200, "[" * 200 + "]" * 200, id="json-deep"),
            pytest.param(JSON + "strip_reasoning = true\n", "<think>{}</think>[1]", "[1]", id="json-reasoning"),
            pytest.param(JSON + 'extract = "/a/0"\n', '{"a": [" x\\n"]}', " x\n", id="extract-string"),
            pytest.param(JSON + 'extract = "/a"\n', '{"a": [1,  2]}', "[1,2]", id="extract-array"),
            pytest.param(JSON + 'extract = "/a"\n', '{"a": null}', "null", id="extract-null"),
        ],
    )
    def test_an_answer_that_keeps_it_is_written_with_one_line_feed(
        self, project: Project, server: StubServer, front: str, answer: str, written: str
    ) -> None:
        project.command("say", front, ECHO)
        server.say(answer)

        assert project.gko("say") == Finished(0, f"{written}\n".encode(), "")

    @pytest.mark.parametrize(
        ("front", "answer", "told"),
        [
            pytest.param(TEXT + "max_lines = 2\n", "a\nb\nc", "3", id="too-many-lines"),
            pytest.param(PLAIN, "lone \ud800", "U+D800", id="lone-surrogate"),
            pytest.param(JSON, "", "JSON", id="json-empty"),
            pytest.param(JSON, "Sure! {}", "Sure! {}", id="json-prose"),
            pytest.param(JSON, "{} {}", "JSON", id="json-twice"),
            pytest.param(JSON, "```json\n{}\n```\nHope that helps!", "JSON", id="json-fence-and-prose"),
            pytest.param(JSON, '{"a": NaN}', "NaN", id="nan"),
            pytest.param(JSON, '{"a": -Infinity}', "Infinity", id="infinity"),
            pytest.param(JSON, '{"a": 1, "a": 1}', '"a" twice', id="duplicate-name"),
            pytest.param(JSON, '["\\ud800"]', "U+D800", id="json-lone-surrogate"),
            pytest.param(JSON, "1e999", "1e999", id="number-outside-every-float"),
            pytest.param(JSON, "1" * 5000, "digits", id="number-of-many-digits"),
            pytest.param(JSON, "[" * 201 + "]" * 201, "200", id="too-deep"),
            pytest.param(JSON, "[" * 1_000_000, "200", id="far-too-deep"),
            pytest.param(JSON, "<think>{}</think>[1]", "JSON", id="json-reasoning-kept"),
            pytest.param(JSON + 'extract = "/b"\n', '{"a": 1}', "extract", id="nothing-to-extract"),
        ],
    )
    def test_an_answer_that_breaks_it_is_not_written(
        self, project: Project, server: StubServer, front: str, answer: str, told: str
    ) -> None:
        project.command("say", front, ECHO)
        server.say(answer)

        run = project.gko("say")

        assert told in failed(run, 4)
        assert len(run.stderr) < 1000
        assert len(server.requests) == 1

    def test_every_violation_of_a_schema_is_told(self, project: Project, server: StubServer) -> None:
        schema = {"required": ["a"], "properties": {"b": {"type": "integer"}, "c": {"enum": [1]}}}
        project.write("schemas/answer.json", json.dumps(schema))
        project.command("say", JSON + 'schema = "answer"\n', ECHO)
        server.say('{"b": "x", "c": 2}')

        told = failed(project.gko("say"), 4)

        assert [place for place in ("'a'", "/b", "/c") if place not in told] == []

    def test_a_cut_off_answer_is_none(self, project: Project, server: StubServer) -> None:
        project.command("say", JSON, ECHO)
        server.answer(say("{}", "length"))

        assert "length" in failed(project.gko("say"), 4)

    def test_a_cut_off_answer_without_content_is_told_by_its_end(self, project: Project, server: StubServer) -> None:
        project.command("say", PLAIN, ECHO)
        server.answer(raw(response(200, chat_completion(None, "length"))))

        assert "length" in failed(project.gko("say"), 4)

    def test_a_cut_off_answer_can_be_allowed(self, project: Project, server: StubServer) -> None:
        project.command("say", TEXT + "allow_truncated = true\n", ECHO)
        server.answer(say("half a sent", "length"))

        assert project.gko("say") == Finished(0, b"half a sent\n", "")

    @pytest.mark.parametrize("reason", [None, "stop", "content_filter", "tool_calls", "unheard-of"])
    def test_any_other_end_is_fine(self, project: Project, server: StubServer, reason: str | None) -> None:
        project.command("say", PLAIN, ECHO)
        server.answer(say("fine", reason))

        assert project.gko("say") == Finished(0, b"fine\n", "")

    def test_a_long_answer_arrives_whole(self, project: Project, server: StubServer) -> None:
        project.command("say", PLAIN, ECHO)
        server.say("ü" * 3_000_000)

        assert project.gko("say").stdout == ("ü" * 3_000_000).encode() + b"\n"

    def test_a_status_of_success_other_than_200_will_do(self, project: Project, server: StubServer) -> None:
        project.command("say", PLAIN, ECHO)
        server.answer(status(201, chat_completion("made")))

        assert project.gko("say").stdout == b"made\n"


def test_a_prompt_beyond_ascii_in_a_project_beyond_ascii(project: Project, server: StubServer) -> None:
    project.command("prüfe/größe", FRONT, PROMPT)

    assert project.gko("prüfe", "größe", "--kind", "Maß").exit_code == 0
    assert sent(server) == "Classify this Maß: "
