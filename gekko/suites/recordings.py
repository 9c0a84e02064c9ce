"""Answers kept beside their cases: recorded while the runs of a suite get them, and given again without asking."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from attrs import asdict, define, field, frozen

from gekko.errors import InputOutputError
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
    recording_path,
    write_recording,
)
from gekko.run.asking import Answered, Asker, NewParser, NoAnswerError
from gekko.run.exchange import Body, Reply, Usage
from gekko.run.execute import Executor, request_digest
from gekko.run.showing import Showing
from gekko.sources.listing import Address
from gekko.suites.events import CaseFinished, Event, RunJudged
from gekko.suites.unrecorded import REMEDY, NotRecordedError, recorded_parts, why_not_recorded

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
                deck = self._decks.pop(event.trial.address, None)
                if deck is not None:
                    deck.write(is_whole=event.result.result != "error")


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
        request = request_digest(body)
        for exchange in self._waiting:
            if (exchange.asked, exchange.request) == (target.id, request):
                self._waiting.remove(exchange)
                self.heard.append(exchange)
                return _again(exchange)
        if self._live is None:
            why = why_not_recorded(self._trial, self._index, self._known, self._purpose(), target)
            raise NotRecordedError(f"{why}; {REMEDY}")
        self.has_asked = True
        asked = _Asked(self._trial.model, self._index, self._purpose(), target.id, request)
        try:
            answered = await self._live.ask(target, body, new_parser, showing)
        except NoAnswerError as error:
            self.heard.append(asked.failed(error))
            raise
        self.heard.append(asked.answered(answered.reply))
        return answered

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


def _again(exchange: Exchange) -> Answered:
    """Return what was answered then; it took no time."""
    if isinstance(exchange, FailureEntry):
        raise NoAnswerError(exchange.message, 0.0)
    usage = Usage(exchange.prompt_tokens, exchange.completion_tokens)
    reply = Reply(exchange.content, exchange.finish_reason, exchange.server_model, usage, exchange.system_fingerprint)
    return Answered(reply, 0.0, is_replayed=True)
