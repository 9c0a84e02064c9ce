"""The value of a header is seen by the server, and by nobody else: not on success, and not however a run fails."""

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest

from gekko.plan.access import Header
from gekko.run.redaction import gives_away
from tests.plugins import plug_in
from tests.project import Finished, Project
from tests.stub_server import (
    Received,
    Script,
    StubServer,
    answer_json,
    chat_completion,
    garbage,
    raw,
    redirect,
    reset,
    response,
    say,
    stall,
    status,
    truncated_body,
)

CANARY = "sk-proj/Canary+7f3a==&x y"
"""With every character that some encoding changes."""


def base64_anywhere(secret: str) -> Iterator[str]:
    for before in range(3):
        encoded = base64.b64encode(b"u" * before + secret.encode()).decode()
        yield encoded[4:-4]


WORD = CANARY.partition(" ")[0]

GUISES = {WORD, quote(WORD, safe=""), quote(WORD), quote_plus(WORD), WORD.encode().hex(), *base64_anywhere(WORD)}


@pytest.fixture
def project(project: Project, server: StubServer) -> Project:
    """The project; its backend wants a key, and every run writes statistics."""
    project.backend(server.url, '[headers]\nX-Key = "Token {{ env.KEY }}"\n[timeouts]\nrequest_secs = 0.5')
    project.environ.update(KEY=CANARY, GKO_STATS_FILE="runs.jsonl")
    project.command("git/review")
    project.case("git/review/first", 'contains = ["never"]')
    return project


def assert_unseen(project: Project, run: Finished) -> None:
    """Neither the streams nor any file but the backend's own hold the value."""
    files = [path for path in project.folder.rglob("*") if path.is_file() and "site" not in path.parts]
    seen = [run.stdout.decode(), run.stderr, *(path.read_text(errors="replace") for path in files)]
    assert [guise for guise in GUISES if any(guise in text for text in seen)] == []


def echo(received: Received) -> str:
    return received.headers["x-key"]


def error_body(said: str) -> str:
    return json.dumps({"error": {"message": said}})


def escaped(said: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in said)


ECHOES = {
    "as-it-is": lambda key: status(401, f"wrong key: {key}"),
    "in-an-error-object": lambda key: status(401, error_body(f"wrong key: {key}"), "application/json"),
    "the-secret-alone": lambda key: status(401, key.removeprefix("Token ")),
    "its-beginning": lambda key: status(401, error_body(f"wrong key: {key[:20]}***")),
    "cut-by-the-length": lambda key: status(401, error_body("x" * 175 + key)),
    "over-the-end-of-what-is-read": lambda key: status(401, "x" * (64 * 1024 - 15) + key),
    "for-a-URL": lambda key: status(401, error_body(f"/login?key={quote(key, safe='')}")),
    "for-a-form": lambda key: status(401, error_body(f"key={quote_plus(key)}")),
    "in-base64": lambda key: status(401, base64.b64encode(f"user:{key}".encode())),
    "in-URL-safe-base64": lambda key: status(401, base64.urlsafe_b64encode(key.encode())),
    "in-hex": lambda key: status(401, key.encode().hex()),
    "in-upper-case": lambda key: status(401, key.upper()),
    "escaped-as-JSON": lambda key: status(401, f'{{"error":"{escaped(key)}"}}'),
    "in-a-page": lambda key: status(200, f"<html>{key}</html>", "text/html"),
    "in-200-with-an-error": lambda key: answer_json({"error": f"no {key}"}),
    "in-the-choices": lambda key: answer_json({"choices": key}),
    "as-a-key": lambda key: answer_json({"choices": [{"message": {"content": {key: key}}}]}),
    "in-broken-JSON": lambda key: status(200, f'{{"{key}'),
    "in-bytes": lambda key: status(500, b"\xff" + key.encode()),
    "in-the-status-line": lambda key: raw(f"HTTP/1.1 401 {key}\r\nContent-Length: 0\r\n\r\n".encode()),
    "in-a-header": lambda key: status(401, headers=[f"X-Echo: {key}"]),
    "in-a-location": lambda key: redirect(f"/?{quote(key)}"),
    "in-a-broken-head": lambda key: raw(f"HTTP/1.1 200 OK\r\n{key}\r\n\r\n".encode()),
    "instead-of-a-head": lambda key: raw(f"{key}\r\n\r\n".encode()),
    "in-a-length": lambda key: raw(f"HTTP/1.1 200 OK\r\nContent-Length: {key}\r\n\r\n".encode()),
    "in-an-encoding": lambda key: raw(f"HTTP/1.1 200 OK\r\nContent-Encoding: {key}\r\n\r\nx".encode()),
    "in-the-finish-reason": lambda key: say("ok", key),
    "in-the-model": lambda key: raw(response(200, chat_completion("ok", model=key))),
    "in-the-fingerprint": lambda key: answer_json(
        {**json.loads(chat_completion("ok")), "system_fingerprint": f"fp {key}"}
    ),
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_server_that_repeats_it_gets_nowhere(project: Project, server: StubServer, name: str) -> None:
    server.answer_with(lambda received: ECHOES[name](echo(received)))

    run = project.gko("config", "test", "-v", "info", "--save", "record.jsonl")

    assert (project.folder / "record.jsonl").exists()
    assert echo(server.requests[0]) == f"Token {CANARY}"
    assert run.exit_code == (4 if name in ("in-the-finish-reason", "in-the-model", "in-the-fingerprint") else 3)
    assert_unseen(project, run)


@pytest.mark.parametrize(
    "script",
    [say("ok"), reset, stall, garbage, truncated_body, say("{", "length")],
    ids=["answers", "resets", "stalls", "garbage", "truncated", "cut-off"],
)
@pytest.mark.parametrize("args", [("git", "review"), ("config", "test", "--json")])
def test_it_is_in_no_report(project: Project, server: StubServer, script: Script, args: tuple[str, ...]) -> None:
    server.answer(script)

    assert_unseen(project, project.gko(*args))


@pytest.mark.parametrize(
    "args",
    [
        ("git", "review", "--dry-run"),
        ("config", "test", "--dry-run"),
        ("config", "test", "--dry-run", "--json"),
        ("config", "check"),
        ("doctor", "--json"),
        ("git", "review", "--oops"),
        ("git", "review", "--help"),
    ],
)
def test_it_is_shown_by_no_built_in(project: Project, args: tuple[str, ...]) -> None:
    assert_unseen(project, project.gko(*args))


def test_the_names_of_headers_are_shown(project: Project) -> None:
    assert b'"X-Key": "[redacted]"' in project.gko("git", "review", "--dry-run").stdout


@pytest.mark.parametrize("value", [f"{CANARY}\nx", f"{CANARY}\x00".replace("\x00", "\x01"), f"{CANARY}\x7f"])
def test_it_is_not_in_the_error_about_itself(project: Project, server: StubServer, value: str) -> None:
    run = project.gko("git", "review", environ={"KEY": value})

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "X-Key" in run.stderr
    assert_unseen(project, run)
    assert server.requests == []


def test_it_is_in_no_traceback_of_an_expectation(project: Project, server: StubServer) -> None:
    plug_in(project, "strange", "def judge(self, value, outcome):\n    raise KeyError(outcome)")
    project.case("git/review/first", "strange = 1")

    run = project.gko("config", "test", "-v", "info")

    assert run.exit_code == 2
    assert "Traceback" in run.stderr
    assert_unseen(project, run)


def test_it_is_in_no_warning_about_a_fallback(project: Project, server: StubServer) -> None:
    project.model('fallback = "slow"')
    project.model(id="slow")
    failing = iter([True, False, True, False])
    server.answer_with(lambda received: status(401, echo(received)) if next(failing) else say("ok"))

    for args in (("git", "review", "-v", "info"), ("config", "test")):
        run = project.gko(*args)

        assert "'slow'" in run.stderr
        assert_unseen(project, run)


def test_it_is_in_no_record_of_a_suite_that_was_interrupted_and_resumed(project: Project, server: StubServer) -> None:
    project.case("git/review/second", 'contains = ["never"]')
    server.answer_with(lambda received: say("ok") if len(server.requests) == 1 else status(401, echo(received)))

    for args in (("config", "test", "--save", "first.jsonl"), ("config", "test", "--resume", "--save", "second.jsonl")):
        run = project.gko(*args)

        assert run.exit_code == 3
        assert_unseen(project, run)
    assert len(list(project.folder.rglob("*.jsonl"))) == 5


def test_what_a_server_says_otherwise_is_shown(project: Project, server: StubServer) -> None:
    server.answer(status(401, error_body("missing Token in X-Key; see the documentation")))

    assert "missing Token in X-Key; see the documentation" in project.gko("git", "review").stderr


class TestGivingAway:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("Bearer canary", "the canary died"),
            ("canary", "CANARY"),
            ("Basic dXNlcjpodW50ZXIyMg==", "dXNlcjpodW50ZXIyMg"),
            ("Bearer a-long-secret-of-many-characters", "…long-secret-of…"),
            ("Bearer first second", "and second"),
            ("schlüssel", quote("schlüssel")),
        ],
    )
    def test_a_value_or_much_of_it(self, value: str, text: str) -> None:
        assert gives_away(text, [Header("X-Key", value)])

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("Bearer canary", "no Bearer token"),
            ("Bearer a-long-secret-of-many-characters", "a-long-secr"),
            ("true", "it is true"),
            ("", "anything at all"),
            ("Bearer canary", ""),
        ],
    )
    def test_nothing_else(self, value: str, text: str) -> None:
        assert not gives_away(text, [Header("X-Key", value)])
