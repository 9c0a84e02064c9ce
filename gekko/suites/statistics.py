"""The statistics of a suite: a line for each run that asked a model."""

from attrs import frozen

from gekko.run.execute import Errand
from gekko.run.stats import Statistics
from gekko.suites.events import Event, QuestionAnswered, QuestionFailed, RunAnswered, RunFailed


@frozen
class SuiteStatistics:
    """Follows a suite and records its runs."""

    _statistics: Statistics

    def follow(self, event: Event) -> None:
        """Record the run that *event* tells of, if it tells of one."""
        match event:
            case RunAnswered(run=run) | QuestionAnswered(run=run) if run.answered.is_replayed:
                pass  # no model was run
            case RunAnswered():
                self._statistics.finished(Errand.of(event.trial.job.recipe), event.run, event.trial.case)
            case RunFailed(is_answered=False):
                self._statistics.failed(Errand.of(event.trial.job.recipe), event.entry.duration_ms, event.trial.case)
            case QuestionAnswered():
                self._statistics.finished(event.errand, event.run, event.trial.case)
            case QuestionFailed():
                self._statistics.failed(event.errand, event.duration_ms, event.trial.case)
