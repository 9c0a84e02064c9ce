"""The file that `GKO_STATS_FILE` names: one record for each run of a command, and never a reason for a run to fail."""

import errno
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.project import Project
from tests.stub_server import StubServer, raw, refused_url, reset, response, say

KEYS = [
    "timestamp_ms",
    "command",
    "model_requested",
    "model_answered",
    "fallback_used",
    "backend",
    "duration_ms",
    "prompt_tokens",
    "completion_tokens",
    "finish_reason",
    "exit_code",
]


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a command, two cases, and a file for statistics."""
    project.environ["GKO_STATS_FILE"] = "runs.jsonl"
    project.command("git/review")
    project.case("git/review/first", 'contains = ["ok"]')
    project.case("git/review/second", 'contains = ["never"]')
    return project


def records(project: Project) -> list[dict[str, Any]]:
    """Return the records without their times, which are checked: close to now, and not negative."""
    lines = (project.folder / "runs.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    for record in found:
        assert abs(record.pop("timestamp_ms") / 1000 - time.time()) < 60
        assert record.pop("duration_ms") >= 0
    return found


RECORD = {
    "command": "git/review",
    "model_requested": "fast",
    "model_answered": "fast",
    "fallback_used": False,
    "backend": "stub",
    "prompt_tokens": 3,
    "completion_tokens": 5,
    "finish_reason": "stop",
    "exit_code": 0,
}

NO_ANSWER = {
    **RECORD,
    "model_answered": None,
    "backend": None,
    "prompt_tokens": None,
    "completion_tokens": None,
    "finish_reason": None,
    "exit_code": 3,
}


class TestRecords:
    def test_of_a_command_have_these_keys_in_this_order(self, project: Project) -> None:
        project.gko("git", "review", input=b"hello")

        (line,) = (project.folder / "runs.jsonl").read_text().splitlines()
        assert list(json.loads(line)) == KEYS
        assert records(project) == [RECORD]

    def test_of_a_suite_have_the_case_as_well(self, project: Project) -> None:
        run = project.gko("config", "test", "--repeat", "2")

        assert run.exit_code == 4
        first = json.loads((project.folder / "runs.jsonl").read_text().splitlines()[0])
        assert list(first) == [*KEYS[:2], "case", *KEYS[2:]]
        # A run that fails its case ended well itself.
        assert records(project) == [{**RECORD, "case": case} for case in ("first", "first", "second", "second")]

    def test_of_an_answer_that_broke_the_contract(self, project: Project, server: StubServer) -> None:
        server.answer(say("half", "length"))

        assert project.gko("git", "review").exit_code == 4
        assert records(project) == [{**RECORD, "finish_reason": "length", "exit_code": 4}]

    def test_of_what_the_server_left_out(self, project: Project, server: StubServer) -> None:
        server.answer(raw(response(200, b'{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":"3"}}')))

        project.gko("git", "review")

        unknown: dict[str, object] = {"prompt_tokens": None, "completion_tokens": None, "finish_reason": None}
        assert records(project) == [{**RECORD, **unknown}]

    def test_of_a_command_that_got_no_answer(self, project: Project, server: StubServer) -> None:
        server.answer(reset)

        assert project.gko("git", "review").exit_code == 3
        assert records(project) == [NO_ANSWER]

    def test_of_a_suite_that_got_no_answer(self, project: Project, server: StubServer) -> None:
        server.answer(say("ok"), reset)

        assert project.gko("config", "test").exit_code == 3
        assert records(project) == [{**RECORD, "case": "first"}, {**NO_ANSWER, "case": "second"}]

    def test_of_a_fallback(self, project: Project, server: StubServer) -> None:
        project.backend(refused_url(), id="gone")
        project.model('fallback = "slow"', backend="gone")
        project.model(id="slow")

        project.gko("git", "review")
        server.answer(reset)
        project.gko("git", "review")

        assert records(project) == [
            {**RECORD, "model_answered": "slow", "fallback_used": True},
            {**NO_ANSWER, "fallback_used": True},
        ]

    def test_come_after_the_answer(self, project: Project) -> None:
        (project.folder / "runs.jsonl").symlink_to("/dev/stderr")
        run = project.shell("gko git review 2>&1")

        answer, record, *rest = run.stdout.splitlines()
        assert (answer, rest) == (b"ok", [])
        assert json.loads(record)["exit_code"] == 0

    @pytest.mark.parametrize(
        "args",
        [
            ("git", "review", "--dry-run"),
            ("config", "test", "--dry-run"),
            ("git", "review", "--oops"),
            ("config", "check"),
        ],
    )
    def test_are_not_of_what_was_never_run(self, project: Project, args: tuple[str, ...]) -> None:
        project.gko(*args)

        assert not (project.folder / "runs.jsonl").exists()

    def test_hold_nothing_of_prompt_or_answer(self, project: Project, server: StubServer) -> None:
        server.say("the answer is 42")

        project.gko("git", "review", "--kind", "secretly", input=b"the question")

        written = (project.folder / "runs.jsonl").read_text()
        assert [word for word in ("answer is", "question", "secretly", "Classify") if word in written] == []

    def test_are_short_whatever_the_server_says(self, project: Project, server: StubServer) -> None:
        server.answer(say("ok", "x" * 1_000_000))

        project.gko("git", "review")

        assert (project.folder / "runs.jsonl").stat().st_size < 1000


class TestTheFile:
    @pytest.mark.parametrize("args", [("git", "review"), ("config", "test", "--json")])
    @pytest.mark.parametrize(
        ("path", "number"),
        [
            pytest.param("home", errno.EISDIR, id="folder"),
            pytest.param("gone/runs.jsonl", errno.ENOENT, id="folder-missing"),
            pytest.param("home/runs.jsonl/x", errno.ENOTDIR, id="below-a-file"),
            pytest.param("/dev/full", errno.ENOSPC, id="disk-full"),
            pytest.param("pipe", errno.ENXIO, id="pipe-without-reader"),
            pytest.param("x" * 300, errno.ENAMETOOLONG, id="name-too-long"),
        ],
    )
    def test_that_cannot_be_written_is_a_warning_and_changes_nothing_else(
        self, project: Project, args: tuple[str, ...], path: str, number: int
    ) -> None:
        (project.folder / "home").mkdir(exist_ok=True)
        (project.folder / "home/runs.jsonl").touch()
        os.mkfifo(project.folder / "pipe")
        well = project.gko(*args, environ={"GKO_STATS_FILE": ""})

        run = project.gko(*args, environ={"GKO_STATS_FILE": path})

        assert run.exit_code == well.exit_code
        assert without_times(run.stdout) == without_times(well.stdout)
        warnings = [line for line in run.stderr.splitlines() if line.startswith("warning: ")]
        assert len(warnings) == (1 if args[0] == "git" else 2)
        assert path in warnings[0]
        assert os.strerror(number) in warnings[0]

    def test_is_silent_where_only_errors_are_wanted(self, project: Project) -> None:
        assert project.gko("git", "review", "-v", "error", environ={"GKO_STATS_FILE": "."}).stderr == ""

    def test_may_be_written_by_many_at_once(self, project: Project) -> None:
        processes = [project.start("config", "test", "--repeat", "20") for _ in range(10)]
        for process in processes:
            process.communicate(timeout=60)

        found = records(project)

        assert len(found) == 400
        assert all(record["exit_code"] == 0 for record in found)

    def test_is_seen_from_the_current_folder(self, project: Project, tmp_path: Path) -> None:
        project.gko("git", "review", environ={"GKO_STATS_FILE": str(tmp_path / "absolute.jsonl")})

        assert (tmp_path / "absolute.jsonl").exists()
        assert not (project.folder / "runs.jsonl").exists()


def without_times(report: bytes) -> object:
    """Return a report without its durations; an answer as it is."""
    if not report.startswith(b"["):
        return report
    return [{key: value for key, value in row.items() if key != "duration_ms"} for row in json.loads(report)]
