"""Answers kept beside their cases: recorded while the runs of a suite get them, and given again without asking."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from attrs import asdict, define, evolve, field, frozen

from gekko.errors import ConfigurationError, InputOutputError
from gekko.locations import shown_path
from gekko.plan.targets import Target
from gekko.plan.trials import Trial
from gekko.record.recordings import (
    AnswerEntry,
    Exchange,
    FailureEntry,
    Purpose,
    Recording,
    Tape,
    check_recordings,
    read_recording,
    times_asked,
    write_recording,
)
from gekko.run.asking import Answered, Asker, NewParser, NoAnswerError
from gekko.run.exchange import Body, Reply, Usage
from gekko.run.execute import Executor, request_digest
from gekko.run.showing import Showing
from gekko.sources.listing import Address, recording_path
from gekko.suites.events import CaseFinished, Event, RunJudged
from gekko.suites.unrecorded import REMEDY, NotRecordedError, recorded_parts, why_not_recorded
from gekko.wording import counted

Use: TypeAlias = Literal["record", "replay", "missing"]
"""What recordings are for: every answer is recorded; or given by them alone; or given, and recorded where missing."""


def check_usable(cases: Iterable[Path], use: Use) -> None:
    """Check the recordings of the case files *cases* before anything is asked, for it may take long or cost money.

    Raises:
        ConfigurationError: some are broken; all of those are told.
        InputOutputError: the folder of a case cannot be written to, and that is wanted.
    """
    paths = tuple(dict.fromkeys(cases))
    check_recordings(paths)
    if use == "replay":
        return
    for folder in dict.fromkeys(path.parent for path in paths):
        if not os.access(folder, os.W_OK):
            raise InputOutputError(f"{shown_path(folder)}: nothing can be recorded in this folder: it is read-only")


@define
class Recordings:
    """The recordings of a suite: gives each run an executor, and follows what becomes of it.

    *live* is whom to ask what is not recorded; nobody where that is None.
    """

    use: Use
    live: Asker | None = None
    _decks: dict[Address, "_Deck"] = field(factory=dict, init=False)
    _finished: set[Address] = field(factory=set, init=False)
    """What has a recording of all that was asked."""

    def executor(self, trial: Trial, index: int) -> Executor:
        """Return what runs *trial* for the *index*-th time."""
        deck = self._decks.get(trial.address)
        if deck is None:
            deck = self._decks[trial.address] = _Deck(trial, self.use, self.live)
        return Executor(deck.run(index))

    def follow(self, event: Event) -> None:
        """Keep what a run was answered once it was judged, and write the recording when its case has finished."""
        match event:
            case RunJudged(is_new=True):
                self._decks[event.trial.address].keep(event.entry.run)
            case CaseFinished():
                is_whole = event.result.result != "error"
                deck = self._decks.pop(event.trial.address, None)
                if deck is not None:
                    deck.write(is_whole=is_whole)
                if is_whole:
                    self._finished.add(event.trial.address)

    def how_to_go_on(self, trials: Sequence[Trial]) -> str:
        """Return in words how the rest of *trials* gets recorded, after they ended too early; nothing where none was.

        Only what finished is recorded: a case that was under way begins anew.
        """
        rest = [trial for trial in trials if trial.address not in self._finished]
        if self.use == "replay" or not self._finished or not rest:
            return ""
        done = f"the recordings of {len(self._finished)} of {counted(len(trials), 'case')} are kept"
        if self.use == "missing":
            return f"{done}; the same call again records what is missing yet"
        if any(map(_has_recording, rest)):
            return f"{done}; some of the rest have older ones, so call with --record again"
        return f"{done}; the same call with --replay=missing in place of --record records the rest"


def _has_recording(trial: Trial) -> bool:
    try:
        return trial.model in read_recording(recording_path(trial.path))
    except ConfigurationError:  # it was sound when the suite began; who replays it is told
        return True


@define
class _Deck:
    """Plays and records the tape of one trial, from its first run to its last."""

    _trial: Trial
    _use: Use
    _live: Asker | None
    _known: Recording = field(init=False)
    _running: dict[int, "_Played"] = field(factory=dict, init=False)
    _kept: dict[int, tuple[Exchange, ...]] = field(factory=dict, init=False)
    _has_news: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self._known = {} if self._use == "record" else read_recording(self._path)

    @property
    def _path(self) -> Path:
        return recording_path(self._trial.path)

    @property
    def _tape(self) -> Tape:
        return self._known.get(self._trial.model, Tape())

    def run(self, index: int) -> Asker:
        """Return the asker of the *index*-th run."""
        waiting = list(self._tape.runs.get(index, ()))
        played = self._running[index] = _Played(self._trial, index, waiting, self._known, self._live)
        return played

    def keep(self, index: int) -> None:
        """Keep what was asked and answered in a run that came to an end."""
        played = self._running.pop(index)
        self._has_news |= played.has_asked
        self._kept[index] = tuple(played.heard)

    def write(self, *, is_whole: bool) -> None:
        """Write what is new; a case that was to be recorded anew keeps what it has if it got no answer in the end."""
        if not self._has_news or (self._use == "record" and not is_whole):
            return
        parts = recorded_parts(self._trial)
        others = read_recording(self._path)  # the same case may have been tried on another model meanwhile
        still_good = self._tape.runs if self._tape.parts == parts else {}
        tape = Tape(parts, {**still_good, **self._kept})
        write_recording(self._path, {**others, self._trial.model: tape})


@define
class _Played:
    """Answers what is asked in one run: an Asker.

    Each recorded exchange is given once, to whatever asks the same of the same model, for expectations may be judged in
    another order than then.
    """

    _trial: Trial
    _index: int
    _waiting: list[Exchange]
    _known: Recording
    _live: Asker | None
    heard: list[Exchange] = field(factory=list, init=False)
    """What was asked so far, and what came of it."""
    has_asked: bool = field(default=False, init=False)
    """Whether somebody was asked now."""

    async def ask(self, target: Target, body: Body, new_parser: NewParser, showing: Showing | None = None) -> Answered:
        """Answer from the recording, or ask whoever is there to be asked, as Asker says.

        Raises:
            NotRecordedError: there is no such answer, and nobody to ask.
            NoAnswerError: there is no answer, now or when it was recorded.
        """
        purpose, request = self._purpose(), request_digest(body)
        for exchange in self._waiting:
            if (exchange.purpose, exchange.asked, exchange.request) == (purpose, target.id, request):
                self._waiting.remove(exchange)
                self.heard.append(exchange)
                return self._again(exchange)
        if self._live is None:
            why = why_not_recorded(self._trial, self._index, self._known, purpose, target)
            raise NotRecordedError(f"{why}; {REMEDY}")
        self.has_asked = True
        asked = _Asked(self._trial.model, self._index, purpose, target.id, request)
        try:
            answered = await self._live.ask(target, body, new_parser, showing)
        except NoAnswerError as error:
            self._hear(asked.failed(error))
            raise
        self._hear(asked.answered(answered.reply))
        return answered

    def _hear(self, exchange: Exchange) -> None:
        self.heard.append(evolve(exchange, again=times_asked(exchange, self.heard) or None))

    def _again(self, exchange: Exchange) -> Answered:
        """Return what was answered then; it took no time."""
        if isinstance(exchange, FailureEntry):
            name = recording_path(self._trial.path).name
            raise NoAnswerError(f"{name} holds this failure, and nothing was sent: {exchange.message}", 0.0)
        usage = Usage(exchange.prompt_tokens, exchange.completion_tokens)
        said = exchange.content, exchange.finish_reason, exchange.server_model, usage, exchange.system_fingerprint
        return Answered(Reply(*said), 0.0, is_replayed=True)

    def _purpose(self) -> Purpose:
        match self.heard:
            case []:
                return "run"
            case [FailureEntry()]:
                return "fallback"  # for a run that failed ends here where it has none
            case _:
                return "question"


@frozen
class _Asked:
    """Somebody was asked: for which run and why, whom, and for what."""

    model: str
    run: int
    purpose: Purpose
    asked: str
    request: str

    def answered(self, reply: Reply) -> AnswerEntry:
        return AnswerEntry(
            **asdict(self),
            content=reply.content,
            finish_reason=reply.finish_reason,
            prompt_tokens=reply.usage.prompt_tokens,
            completion_tokens=reply.usage.completion_tokens,
            server_model=reply.model,
            system_fingerprint=reply.fingerprint,
        )

    def failed(self, error: NoAnswerError) -> FailureEntry:
        return FailureEntry(**asdict(self), message=str(error))
