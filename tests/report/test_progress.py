"""What is said of a suite that is under way, in one line and in full."""

from collections.abc import Callable

import pytest
from attrs import define

from gekko.checks.registry import discover
from gekko.plan.catalog import load_catalog
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite, plan_suite
from gekko.plan.trials import Trial
from gekko.record.entries import ErrorEntry, RunEntry
from gekko.report.progress import (
    cut_to,
    progress_line,
    rough_time,
    status_facts,
    status_headline,
    status_text,
)
from gekko.report.table import width
from gekko.sources.scopes import Scope
from gekko.suites.events import CaseFinished, RunAnswered, RunFailed, RunJudged, RunStarted, RunWaits
from gekko.suites.headway import Headway
from tests.project import Project
from tests.report.results import result


@define
class Clock:
    """Stands still unless it is told to go on."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


def judged(trial: Trial, index: int = 0, *, replayed: bool = False, is_new: bool = True) -> RunJudged:
    command, case, model = trial.address
    entry = RunEntry(
        command=command,
        case=case,
        model=model,
        run=index,
        result="pass",
        exit_code=0,
        request="r",
        definition="d",
        timestamp_ms=0,
        duration_ms=1.0,
        replayed=replayed,
    )
    return RunJudged(trial, entry, is_new)


def failed(trial: Trial) -> RunFailed:
    command, case, model = trial.address
    entry = ErrorEntry(command=command, case=case, model=model, run=0, message="m", timestamp_ms=0, duration_ms=1.0)
    return RunFailed(trial, entry)


@define
class Story:
    """A suite of which a test tells what happens."""

    suite: Suite
    clock: Clock
    headway: Headway

    def start(self, *positions: int, index: int = 0) -> None:
        for position in positions:
            self.headway.follow(RunStarted(self.suite.trials[position], index))

    def wait(self, position: int, what: str) -> None:
        self.headway.follow(RunWaits(self.suite.trials[position], 0, what))  # type: ignore[arg-type]

    def finish(self, *positions: int, **facts: bool) -> None:
        for position in positions:
            trial = self.suite.trials[position]
            self.headway.follow(judged(trial, **facts))
            self.headway.follow(CaseFinished(trial, result(*trial.address[:2])))

    def finish_badly(self, position: int, how: str) -> None:
        trial = self.suite.trials[position]
        self.headway.follow(failed(trial) if how == "error" else judged(trial))
        self.headway.follow(CaseFinished(trial, result(*trial.address[:2], result=how)))

    def line(self, columns: int = 79) -> str:
        return progress_line(self.headway, columns)


Tell = Callable[..., Story]


@pytest.fixture
def tell(project: Project) -> Tell:
    """Plans a suite of so many cases, `c00` and on, none of which has begun."""
    project.command("ask", 'description = "A"\nmodel = "fast"\n', "{{ input }}")
    project.model(id="slow")

    def tell(count: int = 20, names: str = "c{:02}", repeat: int | None = None, models: tuple[str, ...] = ()) -> Story:
        for number in range(count):
            project.case(f"ask/{names.format(number)}")
        selection = Selection(repeat=repeat, models=models)
        suite = plan_suite(load_catalog([Scope("project", project.root)]), discover(), selection, {})
        headway, clock = Headway.of(suite, ()), Clock()
        headway.clock = clock
        return Story(suite, clock, headway)

    return tell


class TestTheLine:
    def test_counts_what_is_done_and_what_went_wrong(self, tell: Tell) -> None:
        story = tell(20)
        before = story.line()
        story.start(0, 1, 2, 3)
        story.finish(0)
        story.finish_badly(1, "fail")
        story.finish_badly(2, "error")

        assert before == "[0/20]"
        assert story.line() == "[3/20, 1 failed, 1 without an answer] ask c03 0 s"

    def test_names_the_oldest_first(self, tell: Tell) -> None:
        story = tell()
        story.start(3)
        story.clock.pass_by(5.9)
        story.start(1)
        story.clock.pass_by(1.0)

        assert story.line() == "[0/20] ask c03 6 s, ask c01 1 s"

    def test_names_the_models_where_there_are_several(self, tell: Tell) -> None:
        story = tell(1, models=("fast", "slow"))
        story.start(0, 1)

        assert story.line() == "[0/2] ask c00 (fast) 0 s, ask c00 (slow) 0 s"

    def test_counts_what_does_not_fit(self, tell: Tell) -> None:
        story = tell()
        story.start(*range(16))

        assert story.line(60) == "[0/20] ask c00 0 s, ask c01 0 s, ask c02 0 s, +13 more"
        assert story.line(30) == "[0/20] ask c00 0 s, +15 more"
        assert story.line(12) == "[0/20]"

    def test_cuts_a_name_that_does_not_fit_but_not_its_time(self, tell: Tell) -> None:
        story = tell(2, names="a-very-long-name-{}")
        story.start(0)
        alone = story.line(29)
        story.start(1)

        assert alone == "[0/2] ask a-very-long-na… 0 s"
        assert story.line(33) == "[0/2] ask a-very-lo… 0 s, +1 more"

    @pytest.mark.parametrize("names", ["c{}", "長い名前の試験{}", "e\u0301e\u0301-{}", "emoji-🦎🦎🦎-{}"])
    @pytest.mark.parametrize("columns", [0, 1, 2, 7, 19, 20, 33, 79, 200])
    def test_is_never_wider_than_the_terminal(self, tell: Tell, names: str, columns: int) -> None:
        story = tell(16, names=names)
        story.start(*range(16))
        story.clock.pass_by(100)

        line = story.line(columns)

        assert width(line) <= columns

    def test_forgets_runs_that_have_ended(self, tell: Tell) -> None:
        story = tell(2, repeat=3)
        trial = story.suite.trials[0]
        for index in range(2):
            story.headway.follow(RunStarted(trial, index))
            story.headway.follow(judged(trial, index))

        assert story.line() == "[0/2]"


class TestTheTimeLeft:
    def test_comes_from_what_was_done_in_the_time_so_far(self, tell: Tell) -> None:
        story = tell(20)
        story.start(0)
        story.clock.pass_by(10)
        story.finish(0, 1, 2, 3)

        assert story.headway.secs_left == 40
        assert story.line() == "[4/20, ~40 s left]"

    def test_is_not_told_before_it_means_anything(self, tell: Tell) -> None:
        story = tell(20)
        story.start(*range(8))
        story.clock.pass_by(1.5)
        story.finish(0, 1, 2)
        too_few = story.headway.secs_left
        story.finish(3, 4, 5, 6)
        too_soon = story.headway.secs_left
        story.clock.pass_by(0.5)

        assert (too_few, too_soon) == (None, None)
        assert story.headway.secs_left == pytest.approx(13 * 2 / 7)

    def test_grows_while_nothing_is_answered(self, tell: Tell) -> None:
        story = tell(20)
        story.start(0)
        story.clock.pass_by(10)
        story.finish(0, 1, 2, 3, 4)
        story.start(5)
        story.clock.pass_by(10)

        assert story.headway.secs_left == 60

    def test_is_not_that_of_runs_which_are_remembered(self, tell: Tell) -> None:
        story = tell(20)
        remembered = range(10)
        story.headway = Headway.of(story.suite, remembered)
        story.headway.clock = story.clock
        story.finish(*remembered, is_new=False)
        story.clock.pass_by(100)
        story.start(10)
        story.clock.pass_by(10)
        story.finish(10, 11, 12, 13, 14)

        assert story.headway.done == 15
        assert story.headway.secs_left == 10

    def test_is_not_that_of_runs_which_are_replayed(self, tell: Tell) -> None:
        story = tell(20)
        story.start(0)
        story.finish(*range(10), replayed=True)
        story.clock.pass_by(10)
        of_replays = story.headway.secs_left
        story.finish(10, 11, 12, 13, 14)

        assert of_replays is None
        assert story.headway.secs_left == 10

    def test_counts_runs_and_not_those_that_were_saved(self, tell: Tell) -> None:
        story = tell(2, repeat=10)
        first = story.suite.trials[0]
        story.headway.follow(RunStarted(first, 0))
        story.clock.pass_by(8)
        for index in range(4):
            story.headway.follow(judged(first, index))
        within = story.headway.secs_left
        story.headway.follow(CaseFinished(first, result("ask", "c00", runs=4, planned=10)))

        assert within == 16 * 2
        assert story.headway.secs_left == 10 * 2

    @pytest.mark.parametrize(
        ("seconds", "told"),
        [(0.2, "1 s"), (59.6, "60 s"), (119, "119 s"), (121, "2 min"), (3600, "60 min"), (7500, "2 h 5 min")],
    )
    def test_is_told_no_more_exactly_than_it_is_known(self, seconds: float, told: str) -> None:
        assert rough_time(seconds) == told


class TestWhatIsInFlight:
    def test_is_a_line_for_each_run(self, tell: Tell) -> None:
        story = tell(3, models=("fast", "slow"), repeat=5)
        story.start(0, index=1)
        story.clock.pass_by(61.26)
        story.start(1, 2)
        story.wait(0, "answer")
        story.wait(1, "place")
        story.finish_badly(5, "fail")

        assert status_text(story.headway) == (
            "1 of 6 cases done, 1 failed, 3 in flight\n"
            "  ask c00  fast  run 2 of 5  61.3 s  waiting for the answer\n"
            "  ask c00  slow  run 1 of 5  0.0 s   waiting for its turn\n"
            "  ask c01  fast  run 1 of 5  0.0 s\n"
        )

    def test_leaves_out_what_is_the_same_for_all(self, tell: Tell) -> None:
        story = tell(1)
        story.start(0)

        assert status_text(story.headway) == "0 of 1 case done, 1 in flight\n  ask c00  0.0 s\n"

    def test_may_be_nothing(self, tell: Tell) -> None:
        assert status_text(tell(2).headway) == "0 of 2 cases done, 0 in flight\n"

    def test_says_what_a_run_waits_for_now(self, tell: Tell) -> None:
        story = tell(1)
        story.start(0)
        stages = []
        for what in ("place", "engine", "answer", "retry", "answer"):
            story.wait(0, what)
            stages += [run.stage for run in story.headway.under_way]
        story.headway.follow(RunAnswered(story.suite.trials[0], 0, None))  # type: ignore[arg-type]

        assert stages == ["place", "engine", "answer", "retry", "answer"]
        assert status_text(story.headway).endswith("  being judged\n")

    def test_is_told_to_programs_with_all_that_is_known(self, tell: Tell) -> None:
        story = tell(8)
        story.start(0)
        story.clock.pass_by(4)
        story.finish(0, 1)
        story.finish_badly(2, "error")
        story.finish_badly(3, "fail")
        story.start(4)
        story.wait(4, "answer")
        story.clock.pass_by(0.25)

        assert status_headline(story.headway) == (
            "4 of 8 cases done, 1 failed, 1 without an answer, 1 in flight, ~4 s left"
        )
        assert status_facts(story.headway) == {
            "cases": 8,
            "done": 4,
            "failed": 1,
            "errors": 1,
            "secs_left": 4,
            "in_flight": [
                {
                    "command": "ask",
                    "case": "c04",
                    "model": "fast",
                    "run": 0,
                    "runs": 1,
                    "secs": 0.25,
                    "stage": "answer",
                }
            ],
        }


@pytest.mark.parametrize(
    ("text", "columns", "found"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("猫猫", 4, "猫猫"), ("猫猫猫", 4, "猫…"), ("abc", 1, "…"), ("abc", 0, "")],
)
def test_a_text_is_cut_by_what_it_takes_on_a_terminal(text: str, columns: int, found: str) -> None:
    assert cut_to(text, columns) == found
