"""Where the answers of a suite come from: from its models, from recordings, from both, or from an earlier record."""

from collections.abc import AsyncIterator, Callable, Container
from contextlib import asynccontextmanager

from attrs import evolve, frozen

from gekko.checks.registry import discover
from gekko.cli.session import Session
from gekko.errors import UsageError
from gekko.plan.catalog import listed_cases
from gekko.plan.selection import Selection
from gekko.plan.suite import Suite, plan_replay, plan_suite
from gekko.record.reading import Record
from gekko.suites.cases import Executors
from gekko.suites.events import Event, Follower
from gekko.suites.rechecking import Outputs, first_question
from gekko.suites.recordings import Recordings, Use, check_usable
from gekko.suites.resuming import selection_of_record, undivided_digest
from gekko.wording import counted, first_of


@frozen
class Answers:
    """*use* is what recordings are for, None where there is none; *record* is one whose outputs are judged again."""

    use: Use | None = None
    record: Record | None = None

    @property
    def are_asked_for(self) -> bool:
        """Whether a model may be asked at all."""
        return self.use != "replay" and self.record is None

    def selection(self, asked: Selection) -> Selection:
        """Return which cases are meant: for a record, those of its suite where nothing else is asked for."""
        if self.record is None:
            return asked
        then = selection_of_record(self.record)
        if asked == Selection():
            return then
        return evolve(asked, models=asked.models or then.models, repeat=asked.repeat or then.repeat)

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
        if self.record is not None:
            _check_answerable(suite)
            _tell_what_is_gone(session, self.record)
            suite = evolve(suite, undivided=undivided_digest(self.record, suite))
        return suite

    @asynccontextmanager
    async def opened(
        self, session: Session, suite: Suite, warn: Callable[[str], None], *, paces: bool
    ) -> AsyncIterator[tuple[Executors, Follower]]:
        """Yield what runs each trial, and what is to be told of every event; *paces* is as in `gekko.run.opening`."""
        if self.record is not None:
            yield Outputs(self.record).runner, _ignore
        elif self.use == "replay":
            replayed = Recordings(self.use)
            yield replayed.executor, replayed.follow
        else:
            from gekko.run.opening import executor  # the HTTP client is heavy, and not needed where nobody is asked

            async with executor(suite.accesses, session.state, warn, paces=paces) as ready:
                if self.use is None:
                    yield lambda _trial, _index: ready, _ignore
                else:
                    recordings = Recordings(self.use, ready.asker)
                    try:
                        yield recordings.executor, recordings.follow
                    except BaseException:  # whatever ends the suite, Ctrl-C too, which cancels it
                        if text := recordings.how_to_go_on(suite.trials):
                            session.note(text)
                        raise


def _ignore(_: Event) -> None:
    """Follow nothing."""


def _check_answerable(suite: Suite) -> None:
    if found := first_question(suite):
        problem = "asks a model, and a record has no answers to questions; --replay may have"
        raise UsageError(f"--recheck: {found} {problem}")


def _tell_what_is_gone(session: Session, record: Record) -> None:
    """Warn of cases in the record that are not there any more."""
    today, _ = listed_cases(session.catalog().scopes, ())
    known = {("/".join(words), name) for words, name in today}
    if text := gone_text(record, known, "there"):
        session.say("warn", f"{record.path.name} has {text}")


def gone_text(record: Record, known: Container[tuple[str, str]], what: str) -> str:
    """Return which cases of a record are none of *known*, by command and name; *what* is what those are."""
    then = dict.fromkeys((each.command, each.case) for each in record.cases)
    gone = [case for case in then if case not in known]
    if not gone:
        return ""
    names = first_of([f"{command} {name}" for command, name in gone])
    are = "is" if len(gone) == 1 else "are"
    return f"{counted(len(gone), 'case')} that {are} not {what} any more: {names}"
