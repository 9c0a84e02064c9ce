"""`gko report stats`: what recorded runs came to, per command and model."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gekko.run.run_records import LINE_BYTES
from gekko.run.totals import nearest_rank
from tests.project import Finished, Project
from tests.stub_server import StubServer, refused_url, say, status

HEADER = "COMMAND  MODEL  RUNS  FAILED  MEDIAN  P95  PROMPT  COMPLETION  FALLBACKS\n"

NO_ANSWER = {
    "exit_code": 3,
    "model_answered": None,
    "backend": None,
    "prompt_tokens": None,
    "completion_tokens": None,
    "finish_reason": None,
}


def record(**changes: object) -> dict[str, object]:
    """Return the record of a run that went well, with these changes."""
    return {
        "timestamp_ms": 1796064000000,
        "command": "git/review",
        "model_requested": "fast",
        "model_answered": "fast",
        "fallback_used": False,
        "backend": "stub",
        "duration_ms": 100,
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "finish_reason": "stop",
        "exit_code": 0,
        **changes,
    }


def lines(*records: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in records)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder in which nothing is configured."""
    return Project(tmp_path)


def stats(project: Project, content: str | bytes, *options: str) -> Finished:
    """Return what `gko report stats` makes of a file with this content."""
    raw = content.encode() if isinstance(content, str) else content
    (project.folder / "runs.jsonl").write_bytes(raw)
    return project.gko("report", "stats", "runs.jsonl", *options)


def rows(project: Project, *records: object) -> list[dict[str, Any]]:
    run = stats(project, lines(*records), "--json")
    assert (run.exit_code, run.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


class TestTheReport:
    def test_has_a_row_for_each_command_and_model(self, project: Project) -> None:
        found = rows(
            project,
            record(command="git/review", model_requested="slow"),
            record(command="git2"),
            record(command="git/review", case="hardware"),
            record(command="git/review"),
        )

        assert [(row["command"], row["model"], row["runs"]) for row in found] == [
            ("git/review", "fast", 2),
            ("git/review", "slow", 1),
            ("git2", "fast", 1),
        ]

    def test_has_these_keys_in_this_order(self, project: Project) -> None:
        (row,) = rows(project, record(), record(exit_code=4, duration_ms=50), record(**NO_ANSWER, duration_ms=9000))

        assert list(row.items()) == [
            ("command", "git/review"),
            ("model", "fast"),
            ("runs", 3),
            ("failed_runs", 2),
            ("failures", {"3": 1, "4": 1}),
            ("median_ms", 50),
            ("p95_ms", 100),
            ("prompt_tokens", 20),
            ("completion_tokens", 4),
            ("fallbacks_used", 0),
        ]

    def test_is_an_aligned_table(self, project: Project) -> None:
        run = stats(
            project,
            lines(
                record(),
                record(command="say", **NO_ANSWER),
                record(duration_ms=1520, prompt_tokens=1234, exit_code=4),
                record(**NO_ANSWER),
            ),
        )

        assert run == Finished(
            0,
            b"COMMAND     MODEL  RUNS  FAILED                    MEDIAN     P95  PROMPT  COMPLETION  FALLBACKS\n"
            b"git/review  fast      3  2 (code 3: 1, code 4: 1)  100 ms  1.52 s    1244           4          0\n"
            b"say         fast      1  1 (code 3)                     -       -       -           -          0\n",
            "",
        )

    def test_counts_fallbacks_for_the_model_that_was_asked(self, project: Project) -> None:
        found = rows(
            project, record(model_answered="slow", fallback_used=True), record(**NO_ANSWER, fallback_used=True)
        )

        assert [(row["model"], row["fallbacks_used"]) for row in found] == [("fast", 2)]

    def test_takes_no_duration_from_a_run_without_an_answer(self, project: Project) -> None:
        (row,) = rows(project, record(**NO_ANSWER, duration_ms=5))

        assert (row["median_ms"], row["p95_ms"]) == (None, None)

    def test_takes_unknown_tokens_for_unknown(self, project: Project) -> None:
        unknown = rows(project, record(prompt_tokens=None, completion_tokens=None))
        some = rows(project, record(), record(completion_tokens=None), record(completion_tokens=0))

        assert [(row["prompt_tokens"], row["completion_tokens"]) for row in unknown] == [(None, None)]
        assert [(row["prompt_tokens"], row["completion_tokens"]) for row in some] == [(30, 2)]

    def test_of_an_empty_file_is_empty(self, project: Project) -> None:
        assert stats(project, "") == Finished(0, HEADER.encode(), "")
        assert stats(project, "", "--json") == Finished(0, b"[]\n", "")

    def test_reads_what_was_recorded(self, project: Project, server: StubServer) -> None:
        server.answer(say("one"), say("one\ntwo"), status(500))
        project.backend(server.url)
        project.backend(refused_url(), id="away")
        project.model()
        project.model('fallback = "fast"', id="first", backend="away")
        project.command("git/message", 'model = "first"\n[output]\nmax_lines = 1\n', "{{ input }}")
        project.environ["GKO_STATS_FILE"] = "recorded.jsonl"

        codes = [project.gko("git", "message").exit_code for _ in range(3)]
        found = json.loads(project.gko("report", "stats", "recorded.jsonl", "--json").stdout)

        assert codes == [0, 4, 3]
        (row,) = found
        assert (row["command"], row["model"], row["runs"]) == ("git/message", "first", 3)
        assert (row["failures"], row["fallbacks_used"]) == ({"3": 1, "4": 1}, 3)
        assert (row["prompt_tokens"], row["completion_tokens"]) == (6, 10)

    def test_needs_no_configuration_that_loads(self, project: Project) -> None:
        project.write("models/broken.toml", "id = 1")

        assert stats(project, lines(record())).exit_code == 0

    def test_disturbs_no_terminal(self, project: Project) -> None:
        run = stats(project, lines(record(command="\x1b[31mred", model_requested="a\nb")))

        assert b"\x1b" not in run.stdout
        assert run.stdout.count(b"\n") == 2


@pytest.mark.parametrize(
    ("durations", "median", "p95"),
    [
        pytest.param([7], 7, 7, id="one"),
        pytest.param([1, 2], 1, 2, id="two"),
        pytest.param([3, 1, 2], 2, 3, id="three"),
        pytest.param([5, 5, 5, 1], 5, 5, id="repeated"),
        pytest.param(range(1, 21), 10, 19, id="twenty"),
        pytest.param(range(1, 101), 50, 95, id="hundred"),
        pytest.param(range(1, 102), 51, 96, id="hundred-and-one"),
    ],
)
def test_a_percentile_is_the_nearest_rank(project: Project, durations: list[int], median: int, p95: int) -> None:
    (row,) = rows(project, *(record(duration_ms=each) for each in durations))

    assert (row["median_ms"], row["p95_ms"]) == (median, p95)


def test_nothing_has_no_percentile() -> None:
    assert nearest_rank({}, 50) is None


class TestALine:
    @pytest.mark.parametrize(
        ("line", "named"),
        [
            pytest.param("", "empty", id="empty"),
            pytest.param("hello", "column 1", id="no-json"),
            pytest.param('{"command": "a"', "column 16", id="cut-off"),
            pytest.param("[1]", "expected an object, found the array [1]", id="array"),
            pytest.param("{}", "'timestamp_ms' is required", id="no-keys"),
            pytest.param(
                json.dumps(record(duration_ms="5")),
                'duration_ms: expected an integer, found the string "5"',
                id="string",
            ),
            pytest.param(json.dumps(record(duration_ms=None)), "'duration_ms' is required", id="null"),
            pytest.param(
                json.dumps(record(duration_ms=-1)), "duration_ms: expected 0 or more, found -1", id="negative"
            ),
            pytest.param(json.dumps(record(duration_ms=10**400)), "duration_ms: expected at most", id="huge"),
            pytest.param(json.dumps(record(prompt_tokens=1.5)), "prompt_tokens: expected an integer", id="tokens"),
            pytest.param(json.dumps(record(fallback_used=1)), "fallback_used: expected true or false", id="number"),
            pytest.param(json.dumps(record(exit_code=True)), "exit_code: expected an integer, found true", id="true"),
            pytest.param(json.dumps(record(comand="x")), "comand: unknown key; did you mean 'command'?", id="misspelt"),
            pytest.param("[" * 10_000, "nested deeper", id="deep"),
            pytest.param(f'{{"command": "{"x" * LINE_BYTES}"}}', "longer than 64 KiB", id="long"),
        ],
    )
    def test_that_is_no_record_is_named(self, project: Project, line: str, named: str) -> None:
        run = stats(project, lines(record(), record()) + line + "\n" + lines(record()))

        assert run.exit_code == 0
        assert b"git/review  fast      3" in run.stdout
        assert run.stderr.startswith("warning: runs.jsonl:3: ")
        assert named in run.stderr
        assert run.stderr.endswith("; not counted\n")
        assert run.stderr.count("\n") == 1

    def test_that_is_not_utf_8_is_named(self, project: Project) -> None:
        run = stats(project, lines(record()).encode() + b'{"command": "\xff"}\n')

        assert run.exit_code == 0
        assert "runs.jsonl:2: " in run.stderr

    def test_that_a_killed_process_left_unfinished_hides_none_of_another_process(self, project: Project) -> None:
        whole = lines(record(command="drücken", finish_reason='{"timestamp_ms":')).encode()
        start = whole.index(b":") + 1

        for size in range(start, len(whole) - 1, 29):
            run = stats(project, lines(record()).encode() + whole[:size] + whole + lines(record()).encode(), "--json")

            assert run.exit_code == 0
            assert [(row["command"], row["runs"]) for row in json.loads(run.stdout)] == [
                ("drücken", 1),
                ("git/review", 2),
            ]
            assert run.stderr == "warning: runs.jsonl:2: cut off in the middle of a record; not counted\n"

    def test_that_lacks_its_end_alone_hides_nothing(self, project: Project) -> None:
        run = stats(project, json.dumps(record()) + lines(record()))

        assert (run.exit_code, run.stderr) == (0, "")
        assert b"git/review  fast      2" in run.stdout

    def test_after_one_that_is_too_long_is_counted_and_has_its_number(self, project: Project) -> None:
        run = stats(project, "x" * (3 * LINE_BYTES) + "\n" + lines(record()) + "y\n")

        assert run.exit_code == 0
        assert b"git/review  fast      1" in run.stdout
        assert [line.partition(": not JSON")[0] for line in run.stderr.splitlines()] == [
            "warning: runs.jsonl:1: longer than 64 KiB; not counted",
            "warning: runs.jsonl:3",
        ]

    def test_is_named_only_where_there_are_few(self, project: Project) -> None:
        run = stats(project, "a\n" * 2 + lines(record()) + "b\n" * 10)

        assert run.exit_code == 0
        *named, rest = run.stderr.splitlines()
        assert [line.split(": ")[1] for line in named] == ["runs.jsonl:1", "runs.jsonl:2", "runs.jsonl:4"]
        assert rest == "warning: runs.jsonl: 9 more that are no records; not counted"

    def test_that_was_cut_off_at_the_end_is_told_and_not_counted(self, project: Project) -> None:
        whole = lines(record(), record(command="drücken")).encode()

        for size in range(whole.index(b"\n") + 2, len(whole) - 1, 29):
            run = stats(project, whole[:size], "--json")

            assert run.exit_code == 0
            assert [row["runs"] for row in json.loads(run.stdout)] == [1]
            assert run.stderr == "warning: runs.jsonl:2: cut off in the middle of a record; not counted\n"

    def test_that_lacks_its_end_alone_is_counted(self, project: Project) -> None:
        run = stats(project, lines(record(), record()).removesuffix("\n"))

        assert (run.exit_code, run.stderr) == (0, "")
        assert b"git/review  fast      2" in run.stdout

    def test_with_a_key_left_out_is_as_if_it_were_null(self, project: Project) -> None:
        short = {key: value for key, value in record(**NO_ANSWER).items() if value is not None}

        assert rows(project, short) == rows(project, record(**NO_ANSWER))


class TestTheFile:
    @pytest.mark.parametrize("content", ["# Notes\n\nNothing of this is a record.\n", '{"timestamp_ms":1,"co', "\n"])
    def test_that_holds_no_record_is_an_error(self, project: Project, content: str) -> None:
        run = stats(project, content)

        assert (run.exit_code, run.stdout) == (1, b"")
        assert run.stderr.startswith("error: runs.jsonl:1: ")
        assert run.stderr.count("\n") == 1

    def test_that_is_missing_is_named_with_the_nearest(self, project: Project) -> None:
        (project.folder / "runs.jsonl").touch()

        run = project.gko("report", "stats", "run.jsonl")

        assert (run.exit_code, run.stdout) == (1, b"")
        assert "run.jsonl: no such file; did you mean 'runs.jsonl'?" in run.stderr

    @pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
    def test_that_is_no_regular_file_is_refused_at_once(self, project: Project, make: Any) -> None:
        make(project.folder / "runs.jsonl")

        run = project.gko("report", "stats", "runs.jsonl")

        assert (run.exit_code, run.stdout) == (1, b"")
        assert "runs.jsonl: not a regular file" in run.stderr

    def test_must_be_given(self, project: Project) -> None:
        run = project.gko("report", "stats")

        assert (run.exit_code, run.stdout) == (2, b"")
        assert "FILE" in run.stderr

    def test_is_read_line_by_line(self, project: Project) -> None:
        """Many runs take no more memory than a few."""
        one = lines(record())
        (project.folder / "few.jsonl").write_text(one)
        (project.folder / "many.jsonl").write_text(one * 40_000)

        peaks = [peak_kib(project, name) for name in ("few.jsonl", "many.jsonl")]

        assert (project.folder / "many.jsonl").stat().st_size > 8_000_000
        assert peaks[1] - peaks[0] < 4_000


def peak_kib(project: Project, name: str) -> int:
    """Return how much memory `gko report stats` took at most."""
    with project.start("report", "stats", name) as process:
        _, ended, usage = os.wait4(process.pid, 0)  # what it writes is short, and fits into the pipes
        process.returncode = os.waitstatus_to_exitcode(ended)
    assert process.returncode == 0
    return usage.ru_maxrss
