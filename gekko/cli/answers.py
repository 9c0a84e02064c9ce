"""Where the answers of a suite come from: from its models, from recordings, from both, or from an earlier record."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from attrs import frozen

from gekko.checks.registry import discover
from gekko.cli.session import Session
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite, plan_replay, plan_suite
from gekko.run.cases import Executors
from gekko.run.events import Event, Follower
from gekko.run.recordings import Recordings, Use, check_usable


@frozen
class Answers:
    """*use* is what recordings are for, None where they are not wanted; *record* is one that is judged again."""

    use: Use | None = None
    record: Path | None = None

    @property
    def are_asked_for(self) -> bool:
        """Whether a model may be asked at all."""
        return self.use != "replay" and self.record is None

    def plan(self, session: Session, selection: Selection) -> Suite:
        """Return the selected cases as a suite that is ready to be answered so.

        Raises:
            ConfigurationError, UsageError: as for `plan_suite`, or a recording is broken.
            InputOutputError: nothing can be recorded.
        """
        plan = plan_suite if self.are_asked_for else plan_replay
        suite = plan(session.catalog(), discover(), selection, session.environ)
        if self.use is not None:
            check_usable((trial.path for trial in suite.trials), self.use)
        return suite

    @asynccontextmanager
    async def opened(
        self, session: Session, suite: Suite, warn: Callable[[str], None]
    ) -> AsyncIterator[tuple[Executors, Follower]]:
        """Yield what runs each trial, and what is to be told of every event."""
        if self.use == "replay":
            recordings = Recordings(self.use)
            yield recordings.executor, recordings.follow
            return
        from gekko.run.opening import executor  # the HTTP client is heavy, and not needed where nobody is asked

        async with executor(suite.accesses, session.state, warn) as ready:
            if self.use is None:
                yield lambda _trial, _index: ready, _ignore
            else:
                recordings = Recordings(self.use, ready.asker)
                yield recordings.executor, recordings.follow


def _ignore(_: Event) -> None:
    """Follow nothing."""
