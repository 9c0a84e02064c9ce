"""`--jobs auto`: as many cases at a time as pay, and what got lost on its way is sent again."""

import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from email.utils import formatdate
from threading import Lock
from typing import Any

import pytest

from tests.plugins import plug_in
from tests.project import Finished, Project
from tests.stub_server import (
    Received,
    Script,
    StubServer,
    delay,
    garbage,
    hang_up,
    html,
    refused_url,
    reset,
    reset_in_body,
    say,
    stall,
    status,
    truncated_body,
    truncated_json,
)
from tests.test_questions import ASKS_A_MODEL

AUTO = ("config", "test", "--jobs", "auto", "--json")


@pytest.fixture
def project(project: Project) -> Project:
    project.command("ask", 'description = "A"\nmodel = "fast"\n', "{{ input }}")
    return project


def cases(project: Project, count: int) -> None:
    for number in range(count):
        project.case(f"ask/c{number:03}", 'contains = ["ok"]', f'input = "c{number:03}"')


def rows(run: Finished) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(run.stdout)
    return read


def secs_of(project: Project, jobs: str) -> float:
    """Return how long a suite takes that passes."""
    started = time.monotonic()
    assert project.gko("config", "test", "--jobs", jobs).exit_code == 0
    return time.monotonic() - started


def retries(run: Finished) -> int:
    return sum(row["retries"] for row in rows(run))


def first_for_each(*firsts: Script, then: Script) -> Callable[[Received], Script]:
    """Answer each request by these scripts, one after the other, the first times that it comes."""
    seen: Counter[bytes] = Counter()

    def choose(received: Received) -> Script:
        seen[received.body] += 1
        return (*firsts, *[then] * 99)[seen[received.body] - 1]

    return choose


class TestHowManyAtATime:
    def test_a_server_that_takes_any_number_gets_tens_and_is_nearly_as_fast_as_with_the_best_number(
        self, project: Project, server: StubServer
    ) -> None:
        cases(project, 600)
        server.answer(delay(0.05, say("ok")))

        def is_nearly_as_fast() -> bool:
            best_secs = secs_of(project, "32")
            server.peak_in_flight = 0
            return secs_of(project, "auto") < 1.6 * best_secs

        assert any(is_nearly_as_fast() for _ in range(3))  # something else may have kept the machine busy
        assert server.peak_in_flight >= 24
        assert len({*Counter(received.body for received in server.requests).values()}) == 1  # none was sent again

    def test_a_server_that_answers_one_after_the_other_gets_few(self, project: Project, server: StubServer) -> None:
        cases(project, 150)
        one_at_a_time = Lock()

        def script(wire: Any) -> None:
            with one_at_a_time:
                delay(0.02, say("ok"))(wire)

        server.answer(script)
        run = project.gko(*AUTO)

        assert run.exit_code == 0
        assert server.peak_in_flight <= 16  # 8 where nothing else disturbs the first measurement
        latencies = sorted(row["duration_ms"] for row in rows(run)[50:])
        assert latencies[len(latencies) // 2] < 12 * 20

    @pytest.mark.parametrize(("asks_for", "most_secs"), [("0", 20), ("1", 25)])
    def test_what_a_server_refuses_beyond_eight_is_sent_again_and_there_are_soon_about_eight(
        self, project: Project, server: StubServer, asks_for: str, most_secs: float
    ) -> None:
        cases(project, 300)
        busy = status(429, "too many", headers=[f"Retry-After: {asks_for}"])
        statuses: list[int] = []
        in_flight: list[int] = []

        def answer(_: Received) -> Script:
            in_flight.append(server.in_flight)
            statuses.append(429 if server.in_flight > 8 else 200)
            return busy if server.in_flight > 8 else delay(0.05, say("ok"))

        server.answer_with(answer)
        started = time.monotonic()
        run = project.gko(*AUTO)

        assert time.monotonic() - started < most_secs
        assert run.exit_code == 0
        assert {row["result"] for row in rows(run)} == {"pass"}
        assert retries(run) == statuses.count(429) < 60
        later = sorted(in_flight[150:])
        assert 4 <= later[len(later) // 2] <= 9

    def test_a_backend_that_refuses_does_not_slow_another(self, project: Project, server: StubServer) -> None:
        with StubServer() as other:
            project.backend(other.url, id="quick")
            project.model(id="quick", backend="quick")
            cases(project, 100)
            arrived: list[float] = []

            def answer(_: Received) -> Script:
                arrived.append(time.monotonic())
                return delay(0.05, say("ok"))

            other.answer_with(answer)
            wait = status(429, "wait", headers=["Retry-After: 2"])
            served: list[float] = []

            def answer_at_last(_: Received) -> Script:
                if len(server.requests) <= 6:
                    return wait
                served.append(time.monotonic())
                return say("ok")

            server.answer_with(answer_at_last)
            run = project.gko(*AUTO, "--model", "fast", "--model", "quick")

        assert run.exit_code == 0
        assert len(arrived) == 100
        assert arrived[-1] < served[0]
        assert {row["retries"] for row in rows(run) if row["model"] == "quick"} == {0}

    def test_max_concurrent_holds(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, "max_concurrent = 2")
        cases(project, 12)
        server.answer(delay(0.03, say("ok")))

        assert project.gko(*AUTO).exit_code == 0

        assert server.peak_in_flight == 2


class TestWhatIsSentAgain:
    @pytest.mark.parametrize(
        "lost",
        [
            pytest.param(reset, id="reset"),
            pytest.param(hang_up, id="closed"),
            pytest.param(reset_in_body, id="reset-in-the-body"),
            pytest.param(truncated_body, id="cut-body"),
            pytest.param(status(429, "slow"), id="429"),
            pytest.param(status(503, "busy", headers=["Retry-After: 0"]), id="503"),
        ],
    )
    def test_is_what_got_no_whole_answer(self, project: Project, server: StubServer, lost: Script) -> None:
        cases(project, 5)
        server.answer_with(first_for_each(lost, then=say("ok")))

        run = project.gko(*AUTO)

        assert run.exit_code == 0
        assert [(row["result"], row["retries"]) for row in rows(run)] == [("pass", 1)] * 5
        assert len(server.requests) == 10

    @pytest.mark.parametrize(
        ("answer", "code"),
        [
            pytest.param(status(500, "oops"), 3, id="500"),
            pytest.param(status(502, "oops"), 3, id="502"),
            pytest.param(status(400, "no"), 3, id="400"),
            pytest.param(status(401, "who"), 3, id="401"),
            pytest.param(status(408, "late"), 3, id="408"),
            pytest.param(truncated_json, 3, id="half-a-JSON-text"),
            pytest.param(html, 3, id="a-page"),
            pytest.param(garbage, 3, id="no-HTTP"),
            pytest.param(say("no"), 4, id="a-wrong-answer"),
            pytest.param(say("ok", "length"), 4, id="an-answer-that-breaks-the-contract"),
        ],
    )
    def test_is_never_an_answer(self, project: Project, server: StubServer, answer: Script, code: int) -> None:
        cases(project, 3)
        server.answer(answer)

        run = project.gko(*AUTO, "--keep-going")

        assert run.exit_code == code
        assert len(server.requests) == 3
        assert retries(run) == 0

    def test_is_not_what_ran_out_of_time(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, "timeouts.request_secs = 0.3")
        cases(project, 1)
        server.answer(stall)

        run = project.gko(*AUTO)

        assert (run.exit_code, run.stdout, len(server.requests)) == (3, b"", 1)
        assert "0.3 s" in run.stderr

    def test_is_nothing_where_the_number_of_jobs_is_given(self, project: Project, server: StubServer) -> None:
        cases(project, 2)
        server.answer(status(429, "slow", headers=["Retry-After: 0"]))

        run = project.gko("config", "test", "--jobs", "2", "--keep-going", "--json")

        assert (run.exit_code, len(server.requests)) == (3, 2)
        assert all("retries" not in row for row in rows(run))


class TestHowLongIsWaited:
    def test_as_long_as_the_server_asks_and_no_duration_has_it(self, project: Project, server: StubServer) -> None:
        cases(project, 1)
        server.answer(status(429, "slow", headers=["Retry-After: 2"]), say("ok"))
        started = time.monotonic()

        (row,) = rows(project.gko(*AUTO))

        assert time.monotonic() - started >= 2
        assert row["retries"] == 1
        assert row["duration_ms"] < 1000

    def test_until_the_moment_that_it_names(self, project: Project, server: StubServer) -> None:
        cases(project, 1)
        at: list[float] = []

        def answer(_: Received) -> Script:
            at.append(time.time())
            if len(at) > 1:
                return say("ok")
            # The server's clock is an hour behind, which must not matter.
            now = time.time() - 3600
            headers = [f"Date: {formatdate(now, usegmt=True)}", f"Retry-After: {formatdate(now + 2, usegmt=True)}"]
            return status(503, "down", headers=headers)

        server.answer_with(answer)
        (row,) = rows(project.gko(*AUTO))

        assert (row["result"], row["retries"]) == ("pass", 1)
        assert 1.9 <= at[1] - at[0] < 6

    @pytest.mark.parametrize(
        ("asks_for", "keeps_going"),
        [([], False), ([], True), (["Retry-After: 0"], True), (["Retry-After: 1"], False)],
    )
    def test_not_for_ever(self, project: Project, server: StubServer, asks_for: list[str], keeps_going: bool) -> None:
        cases(project, 30)
        server.answer(status(429, "come back", headers=asks_for))
        started = time.monotonic()

        run = project.gko(*AUTO, *(["--keep-going"] if keeps_going else []))

        assert time.monotonic() - started < 20
        assert run.exit_code == 3
        assert len(server.requests) <= 30 * 5
        assert max(Counter(received.body for received in server.requests).values()) == 5
        said = rows(run)[0]["message"] if keeps_going else run.stderr
        assert "429: come back" in said
        if keeps_going:
            assert {row["result"] for row in rows(run)} == {"error"}
            assert retries(run) <= len(server.requests)

    def test_not_at_all_where_it_asks_for_too_long(self, project: Project, server: StubServer) -> None:
        cases(project, 2)
        server.answer(status(429, "quota", headers=["Retry-After: 86400"]))
        started = time.monotonic()

        run = project.gko(*AUTO)

        assert time.monotonic() - started < 10
        assert (run.exit_code, run.stdout) == (3, b"")
        assert all(told in run.stderr for told in ("429: quota", "86400 s", "60 s"))
        assert len(server.requests) <= 2

    def test_a_server_that_is_not_there_is_tried_a_few_times(self, project: Project) -> None:
        project.backend(refused_url())
        cases(project, 5)
        started = time.monotonic()

        run = project.gko(*AUTO, "--keep-going")

        assert 1 < time.monotonic() - started < 20
        assert run.exit_code == 3
        assert max(row["retries"] for row in rows(run)) == 4

    def test_ctrl_c_ends_it_at_once(self, project: Project, server: StubServer) -> None:
        cases(project, 3)
        server.answer(status(429, "slow", headers=["Retry-After: 30"]))
        process = project.start(*AUTO)
        assert server.wait_for_requests(3, timeout=30)
        time.sleep(0.3)
        started = time.monotonic()

        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=10)

        assert time.monotonic() - started < 2
        assert (process.returncode, out) == (130, b"")

    def test_the_time_of_the_suite_ends_it(self, project: Project, server: StubServer) -> None:
        cases(project, 3)
        server.answer(status(429, "slow", headers=["Retry-After: 30"]))
        started = time.monotonic()

        run = project.gko(*AUTO, "--timeout", "1")

        assert time.monotonic() - started < 8
        assert run.exit_code == 3


class TestTheReport:
    def test_has_a_column_of_retries(self, project: Project, server: StubServer) -> None:
        cases(project, 1)
        server.answer(reset, reset, say("ok"))

        run = project.gko("config", "test", "--jobs", "auto")

        head, row = (line.split() for line in run.stdout.decode().splitlines())
        assert head == ["COMMAND", "CASE", "RESULT", "RETRIES", "DURATION"]
        assert row[:4] == ["ask", "c000", "pass", "2"]

    def test_has_the_rows_of_jobs_1_in_their_order(self, project: Project, server: StubServer) -> None:
        cases(project, 40)
        server.answer_with(lambda received: delay(0.02, say(received.json["messages"][-1]["content"] + " ok")))
        one = rows(project.gko("config", "test", "--json"))

        auto = rows(project.gko(*AUTO))

        kept = ("command", "case", "result", "runs", "distinct_outputs")
        assert [[row[key] for key in kept] for row in auto] == [[row[key] for key in kept] for row in one]
        assert list(auto[0]) == [*one[0], "retries"]

    def test_counts_the_retries_of_a_case_that_got_no_answer(self, project: Project, server: StubServer) -> None:
        cases(project, 1)
        server.answer(reset, reset, status(500, "oops"))

        (row,) = rows(project.gko(*AUTO, "--keep-going"))

        assert (row["result"], row["retries"]) == ("error", 2)

    def test_a_fallback_is_asked_once_the_tries_are_used_up(self, project: Project, server: StubServer) -> None:
        with StubServer() as other:
            project.backend(other.url, id="other")
            project.model(id="second", backend="other")
            project.model('fallback = "second"')
            cases(project, 1)
            server.answer(reset)

            (row,) = rows(project.gko(*AUTO))

            assert (row["result"], row["retries"]) == ("pass", 4)
            assert (len(server.requests), len(other.requests)) == (5, 1)

    def test_counts_the_retries_of_what_an_expectation_asked(self, project: Project, server: StubServer) -> None:
        plug_in(project, "polite", ASKS_A_MODEL)
        project.model(id="judge")
        project.case("ask/kind", "polite = true")
        server.answer(reset, say("thanks"), reset, reset, say("yes"))

        (row,) = rows(project.gko(*AUTO))

        assert (row["result"], row["retries"]) == ("pass", 3)


def test_a_backend_error_stops_all_and_no_request_starts_after_it(project: Project, server: StubServer) -> None:
    cases(project, 30)
    first = delay(0.2, status(500, "oops"))
    server.answer_with(lambda received: first if b"c002" in received.body else delay(0.3, say("ok")))

    run = project.gko(*AUTO)

    assert (run.exit_code, run.stdout) == (3, b"")
    assert "tests/ask/c002.toml" in run.stderr
    assert len(server.requests) == 4


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "1.5", ""])
def test_jobs_is_a_number_or_auto(project: Project, server: StubServer, jobs: str) -> None:
    cases(project, 1)

    run = project.gko("config", "test", f"--jobs={jobs}")

    assert (run.exit_code, run.stdout, len(server.requests)) == (2, b"", 0)
    assert all(word in run.stderr for word in ("--jobs", "at least 1", "auto", f"'{jobs}'"))


def test_a_slip_is_named(project: Project) -> None:
    cases(project, 1)

    assert "did you mean 'auto'?" in project.gko("config", "test", "--jobs", "atuo").stderr
