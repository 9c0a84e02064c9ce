"""What a checker asks is a request like any other: its deadline, its contract, its record, its failure."""

import json
from pathlib import Path

from tests.plugins import plug_in
from tests.project import FRONT, Project
from tests.stub_server import StubServer, say, status

ASKS_A_MODEL = """
    @property
    def models_asked(self):
        return ("judge",)

    def judge(self, value, outcome):
        reply = yield Ask(AskModel("judge", (Message("user", f"Is it polite? {value}"),)))
        if reply.output != "yes":
            yield Mismatch("a polite text", value)
"""

ASKS_A_COMMAND = """
    @property
    def commands_asked(self):
        return ("grade",)

    def judge(self, value, outcome):
        reply = yield Ask(AskCommand("grade", value, {"kind": "mail"}))
        if reply.exit_code != 0 or reply.output != "good":
            yield Mismatch("a good text", reply.output)
"""


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_model_is_asked_and_its_answer_decides(project: Project, server: StubServer) -> None:
    plug_in(project, "polite", ASKS_A_MODEL)
    project.model(id="judge")
    project.command("reply")
    project.case("reply/kind", "polite = true")
    server.answer(say("Thank you"), say("yes"), say("Go away"), say("no"))
    stats = project.folder / "stats.jsonl"

    passed = project.gko("config", "test", environ={"GKO_STATS_FILE": str(stats)})
    failed = project.gko("config", "test")

    assert (passed.exit_code, failed.exit_code) == (0, 4)
    assert [request.json["model"] for request in server.requests[:2]] == ["served-fast", "served-judge"]
    assert server.requests[1].json["messages"] == [{"role": "user", "content": "Is it polite? Thank you"}]
    assert [(each["command"], each["case"], each["model_requested"]) for each in records(stats)] == [
        ("reply", "kind", "fast"),
        ("reply", "kind", "judge"),
    ]


def test_a_command_is_asked_with_its_arguments_and_its_contract(project: Project, server: StubServer) -> None:
    plug_in(project, "graded", ASKS_A_COMMAND)
    project.command("reply")
    project.command("grade", FRONT + "[output]\nmax_lines = 1\n")
    project.case("reply/kind", "graded = true")
    server.answer(say("Thank you"), say("good"), say("Thank you"), say("good\nenough"))

    passed = project.gko("config", "test")
    failed = project.gko("config", "test")

    assert (passed.exit_code, failed.exit_code) == (0, 4)
    assert server.requests[1].json["messages"] == [{"role": "user", "content": "Classify this mail: Thank you"}]


def test_a_question_without_an_answer_is_no_verdict(project: Project, server: StubServer) -> None:
    plug_in(project, "polite", ASKS_A_MODEL)
    project.model(id="judge")
    project.command("reply")
    project.case("reply/kind", "polite = true")
    server.answer(say("Thank you"), status(500, b"no"))
    stats = project.folder / "stats.jsonl"

    run = project.gko("config", "test", environ={"GKO_STATS_FILE": str(stats)})

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "tests/reply/kind.toml" in run.stderr
    assert [(each["model_requested"], each["exit_code"]) for each in records(stats)] == [("fast", 0), ("judge", 3)]


def test_a_question_that_was_not_announced_is_a_bug(project: Project, server: StubServer) -> None:
    plug_in(project, "polite", ASKS_A_MODEL.replace('return ("judge",)', "return ()"))
    project.model(id="judge")
    project.command("reply")
    project.case("reply/kind", "polite = true")
    server.answer(say("Thank you"))

    run = project.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "'polite'" in run.stderr
    assert "judge" in run.stderr


def test_an_unknown_model_is_found_before_any_request(project: Project, server: StubServer) -> None:
    plug_in(project, "polite", ASKS_A_MODEL)
    project.model(id="jugde")
    project.command("reply")
    project.case("reply/kind", "polite = true")

    run = project.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert "did you mean 'jugde'?" in run.stderr
    assert server.requests == []
