"""`--save` and `--resume`: what is kept of a suite while it runs, and what an earlier one has left."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from attrs import evolve, frozen

from gekko.cli.answers import gone_text
from gekko.cli.exits import Exit
from gekko.cli.interrupts import Interrupted, disarm
from gekko.cli.session import Session
from gekko.cli.streams import result_descriptor
from gekko.errors import GekkoError, InputOutputError, UsageError
from gekko.plan.suite import Suite
from gekko.record.entries import OPTIONS, Invocation
from gekko.record.reading import Record
from gekko.suites.cases import Remembered
from gekko.suites.headline import case_entries, suite_entry
from gekko.suites.journal import Journal
from gekko.suites.journals import last_record, project_digest
from gekko.suites.recorder import Recorder
from gekko.suites.resuming import Memory, recall, undivided_digest
from gekko.suites.saving import SavedRecord, require_savable
from gekko.suites.titles import resumed_text
from gekko.wording import counted

ASKED_ANEW: Final = ("fail_on_flaky", "replay")
"""What does not say which cases run, and on what; for the rest a suite that is resumed has an answer of its own."""


@frozen
class Keeping:
    """Where the user wants the record to be, and the record of the suite that goes on, if one does."""

    save: Path | None = None
    past: Record | None = None
    has_journal: bool = True
    can_go_on: bool = True
    """Whether it would be resumed as it began, where it ends too early."""


def past_suite(session: Session, words: tuple[str, ...], options: Mapping[str, Any]) -> Record:
    """Return the record of the suite that is to go on, after a word on which that is.

    Raises:
        UsageError: there is none, or something is asked for that it has decided already.
    """
    selecting = (option for field, option in OPTIONS.items() if field not in ASKED_ANEW and options.get(field))
    given = f"'{words[0]}'" if words else next(selecting, "")
    if given:
        raise UsageError(f"--resume goes on with the last suite, and takes no selection, but found {given}")
    past = last_record(session.state, project_digest(session.scopes()))
    session.note(resumed_text(past))
    return past


def keeping_of(session: Session, options: Mapping[str, Any], past: Record | None = None) -> Keeping:
    """Return what is to be kept; *past* is the suite that goes on, if one does.

    Raises:
        UsageError: no record can be where the user wants it.
        InputOutputError: what is there cannot be read.
    """
    save = None if options["save"] is None else _save_path(session, options["save"])
    # A suite that only judges again has nothing to go on with. One that was to be replayed would be answered by models,
    # and what they answer one that was to be recorded would be recorded nowhere.
    can_go_on = options["replay"] is None and not options["record"]
    return Keeping(save, past, has_journal=options["recheck"] is None, can_go_on=can_go_on)


def _save_path(session: Session, named: str) -> Path:
    if named == "-":
        raise UsageError("--save: expected the name of a file, found '-'; standard output is for the report")
    require_savable(session.cwd / named, session.scopes(), streams=(result_descriptor(), 2))
    return session.cwd / named


@contextmanager
def kept(
    session: Session, suite: Suite, invocation: Invocation, keeping: Keeping
) -> Iterator[tuple[Recorder, Remembered]]:
    """Yield what records the suite, and the runs that need not be run again; whatever ends the suite is recorded.

    Raises:
        InputOutputError: the file that the user named cannot be written.
        ConfigurationError: a file changed since it was checked.
    """
    memory = Memory()
    if keeping.past is not None:
        invocation = evolve(keeping.past.suite.invocation, fail_on_flaky=invocation.fail_on_flaky)
        suite = evolve(suite, undivided=undivided_digest(keeping.past, suite))
    headline = suite_entry(suite, invocation, session.catalog().scopes)
    if keeping.past is not None:
        memory = recall(keeping.past, suite, headline, case_entries(suite))
        _tell_what_is_gone(session, keeping.past, suite)
        _tell(session, memory)
    recorder = _recorder(session, headline.project, keeping)
    try:
        # What is cut off in here is no record yet, and a line about its end would have no place in it.
        recorder.begin(headline, case_entries(suite), memory.remembered.values())
        with _ending_recorded(session, recorder, keeping):
            yield recorder, memory.remembered
    finally:
        recorder.close()


def keep_nothing(session: Session, suite: Suite, invocation: Invocation, keeping: Keeping) -> None:
    """Write the record of a suite without cases, which those who merge shards must not miss; it needs no journal."""
    if keeping.save is not None:
        with kept(session, suite, invocation, evolve(keeping, has_journal=False)) as (recorder, _):
            recorder.end("finished", Exit.SUCCESS)
    elif keeping.past is not None:
        _tell_what_is_gone(session, keeping.past, suite)


def _tell_what_is_gone(session: Session, past: Record, suite: Suite) -> None:
    """Warn of cases of the suite that goes on which are not in its report any more."""
    selected = {trial.address[:2] for trial in suite.trials}
    if text := gone_text(past, selected, "there, or not selected,"):
        session.say("warn", f"the suite that goes on had {text}")


def _tell(session: Session, memory: Memory) -> None:
    # A pipe is told nothing as long as all is well.
    if memory.changed or session.is_watched:
        session.note(memory.text)
    else:
        session.say("info", memory.text)


def _recorder(session: Session, project: str, keeping: Keeping) -> Recorder:
    saved = None if keeping.save is None else SavedRecord.begin(keeping.save)
    journal = None
    if keeping.has_journal:
        journal = Journal.begin(session.state, project, lambda text: session.say("warn", text))
    return Recorder(journal, saved)


@contextmanager
def _ending_recorded(session: Session, recorder: Recorder, keeping: Keeping) -> Iterator[None]:
    try:
        yield
    except Interrupted as interrupted:
        disarm()  # of the signal; another one ends the program at once
        _end(session, recorder, "interrupted", interrupted.code)
        if resume := _resume_call(session, recorder, keeping):
            text = f"interrupted, with {counted(recorder.runs, 'run')} recorded; to run the rest: {resume}"
            session.note(text, resume=resume)
        raise
    except GekkoError as error:
        _end(session, recorder, "stopped", error.exit_code)
        error.resume = _resume_call(session, recorder, keeping)
        raise
    except BaseException:
        _end(session, recorder, "stopped", InputOutputError.exit_code)  # that of a traceback as well
        raise


def _end(session: Session, recorder: Recorder, reason: Literal["stopped", "interrupted"], exit_code: int) -> None:
    """Record an end that has a reason of its own; that it cannot be recorded is a warning beside it."""
    try:
        recorder.end(reason, exit_code)
    except InputOutputError as error:
        session.say("warn", str(error))


def _resume_call(session: Session, recorder: Recorder, keeping: Keeping) -> str:
    """Return the command line that runs the rest, where there is something that it would not run again."""
    if not (recorder.runs and recorder.journal is not None and keeping.can_go_on):
        return ""
    folder = () if session.config_dir is None else ("--config-dir", str(session.config_dir))
    return shlex.join(("gko", "config", "test", "--resume", *folder))
