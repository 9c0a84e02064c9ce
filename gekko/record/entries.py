"""The lines of a record: what a suite was, what each of its runs came to, and how it ended.

A record is JSON Lines. The fields of these classes are the keys of its lines, in their order; a key without a value is
left out. `gko config schema record` prints their schema.
"""

import os
from collections.abc import Mapping
from time import time
from typing import Final, Literal, TypeAlias

import attrs
from attrs import frozen

from gekko.errors import Problem
from gekko.limits import LONGEST_MS
from gekko.record.lines import written
from gekko.sources.listing import Address
from gekko.sources.shards import WRITTEN, Shard
from gekko.specs.case import EXPECT
from gekko.specs.rules import at_most, not_negative, positive
from gekko.specs.shape import in_schema
from gekko.specs.structure import StructureError, ruled
from gekko.wording import shown

VERSION: Final = 1
"""Of the format. A reader that knows this version reads every record that says so."""


@in_schema(string={"pattern": f"^{WRITTEN.pattern}$"})
def _shard(text: str) -> None:
    Shard.parse(text)


@in_schema(array={"items": {"pattern": r"^[^\u0000]*$"}})
def _paths(texts: tuple[str, ...]) -> None:
    # The system would not say that there is no such file, but raise an error of a kind that nobody expects.
    if problems := [
        Problem(f"expected a path, found {shown(text)}", at=(i,)) for i, text in enumerate(texts) if not _is_path(text)
    ]:
        raise StructureError(problems)


def _is_path(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


@frozen(kw_only=True)
class CheckerVersion:
    """An expectation that a case of the suite uses, and the distribution that it comes from."""

    key: str
    distribution: str
    version: str


@frozen(kw_only=True)
class CommandParts:
    """All that the rendered requests of a command depend on, but for a case's arguments and input: a digest by part."""

    command: str
    model: str
    parts: Mapping[str, str]


@frozen(kw_only=True)
class Invocation:
    """What was asked for on the command line, as far as it decides which cases run and how they are judged."""

    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ruled(_paths, default=())
    models: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    shard: str | None = ruled(_shard, default=None)
    failed: bool = ruled(default=False, doc="Only what the run before had left.")
    changed: str | None = ruled(default=None, doc="Only what had changed since this commit.")
    repeat: int | None = ruled(positive, default=None)
    fail_on_flaky: bool = False
    replay: bool = ruled(default=False, doc="All answers were to come from recordings.")
    record: bool = ruled(default=False, doc="Answers were to be recorded.")

    @property
    def part(self) -> Shard | None:
        """The part of all cases that was asked for; None where it was all of them."""
        return None if self.shard is None else Shard.parse(self.shard)


OPTIONS: Final[Mapping[str, str]] = {
    "models": "--model",
    "cases": "--case",
    "tags": "--tag",
    "shard": "--shard",
    "failed": "--failed",
    "changed": "--changed",
    "repeat": "--repeat",
    "fail_on_flaky": "--fail-on-flaky",
    "replay": "--replay",
}
"""By which option of the command line a field of the invocation is asked for; the others are its arguments."""


@frozen(kw_only=True)
class SuiteEntry:
    """The first line: which suite this is."""

    type: Literal["suite"] = "suite"
    version: Literal[1] = VERSION
    gko: str = ruled(doc="The version of gko.")
    project: str = ruled(doc="A digest of the scopes that were read.")
    started_ms: int = ruled(doc="When it started, in milliseconds since 1970.")
    invocation: Invocation
    selection: str | None = ruled(
        default=None, doc="Of a shard: a digest of all cases that were selected, before it was taken of them."
    )
    checkers: tuple[CheckerVersion, ...] = ()
    commands: tuple[CommandParts, ...] = ()
    cases: int = ruled(not_negative, doc="How many lines of type `case` follow.")
    remembered: int = ruled(
        not_negative, default=0, doc="How many lines of type `run` follow those, of the suite that goes on."
    )

    @property
    def parts(self) -> dict[tuple[str, str], Mapping[str, str]]:
        """The digests of what the requests of each command depend on, by its path and the model."""
        return {(each.command, each.model): each.parts for each in self.commands}


class Addressed:
    """What has the keys that make an address."""

    __slots__ = ()

    command: str
    case: str
    model: str

    @property
    def address(self) -> Address:
        """The case, and the model on which it is tried."""
        return self.command, self.case, self.model


@frozen(kw_only=True)
class CaseEntry(Addressed):
    """A case with a model on which it is to be tried."""

    type: Literal["case"] = "case"
    command: str
    case: str
    model: str
    file: str = ruled(doc="The path of the case file.")
    expects_at: tuple[str, ...] = ruled(default=EXPECT, doc="The table of the file that says what is expected.")
    definition: str = ruled(doc="A digest of the case file, and of the files that its expectations read.")
    asked: str | None = ruled(default=None, doc="A digest of the commands and models that its expectations ask.")
    runs: int = ruled(positive, doc="How often it runs at most.")
    needed: int | None = ruled(default=None, doc="How many runs must pass, where a rule says so; else all must.")
    xfail: str | None = ruled(default=None, doc="Why this model is known to fail the case.")
    tags: tuple[str, ...] = ()


@frozen(kw_only=True)
class Miss:
    """Why a run failed its case: the text, and the expectation that was not met, where there is one."""

    text: str
    key: str | None = None

    def __str__(self) -> str:
        return self.text


@frozen(kw_only=True)
class RunEntry(Addressed):
    """A run that got an answer, and was judged."""

    type: Literal["run"] = "run"
    command: str
    case: str
    model: str
    run: int = ruled(not_negative, doc="Counts the runs of a case from 0.")
    result: Literal["pass", "fail"]
    exit_code: Literal[0, 4]
    request: str = ruled(doc="The SHA-256 of what was sent to the model.")
    definition: str = ruled(doc="That of the case when it ran.")
    output: str | None = ruled(default=None, doc="What standard output would get without `extract`.")
    output_digest: str | None = ruled(default=None, doc="The SHA-256 of the output.")
    reasons: tuple[str, ...] = ruled(default=(), doc="Why the answer broke the command's output contract.")
    mismatches: tuple[Miss, ...] = ()
    timestamp_ms: int = ruled(doc="When the answer was judged, in milliseconds since 1970.")
    duration_ms: float = ruled(not_negative, at_most(LONGEST_MS))
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    retries: int = ruled(default=0, doc="How often requests were sent again before they were answered.")
    model_answered: str | None = ruled(default=None, doc="The id of the fallback, where it answered.")
    first_failure: str | None = ruled(default=None, doc="Why the model itself did not answer.")
    server_model: str | None = ruled(default=None, doc="The model that the server says answered.")
    system_fingerprint: str | None = None
    replayed: bool = ruled(default=False, doc="The answer comes from a recording.")

    @property
    def has_passed(self) -> bool:
        """Whether all that the case expects was there."""
        return self.result == "pass"


@frozen(kw_only=True)
class ErrorEntry(Addressed):
    """A run that got no answer."""

    type: Literal["error"] = "error"
    command: str
    case: str
    model: str
    run: int = ruled(not_negative)
    message: str
    timestamp_ms: int
    duration_ms: float = ruled(not_negative, at_most(LONGEST_MS))
    retries: int = 0
    replayed: bool = ruled(default=False, doc="Nobody was asked: a recording has no answer to the request.")


@frozen(kw_only=True)
class EndEntry:
    """The last line of a suite that came to an end, whichever: one that was killed has none."""

    type: Literal["end"] = "end"
    reason: Literal["finished", "stopped", "interrupted"]
    exit_code: int
    ended_ms: int


Entry: TypeAlias = SuiteEntry | CaseEntry | RunEntry | ErrorEntry | EndEntry

ENTRIES: Final = (SuiteEntry, CaseEntry, RunEntry, ErrorEntry, EndEntry)

FIELDS: Final[Mapping[type, tuple[str, ...]]] = {
    kind: tuple(field.name for field in attrs.fields(kind))
    for kind in (*ENTRIES, Invocation, CheckerVersion, CommandParts, Miss)
}

NESTED: Final = frozenset({"invocation", "checkers", "commands", "mismatches"})
"""The fields that hold further classes."""


def line(entry: Entry) -> bytes:
    """Return an entry as a line of JSON."""
    return written(_filled(entry))


def now_ms() -> int:
    """Return the time as lines have it: in milliseconds since 1970."""
    return round(time() * 1000)


def _filled(entry: object) -> dict[str, object]:
    """Return the fields that have a value; `attrs.asdict` does it at ten times the price, once for every run."""
    members: dict[str, object] = {}
    for name in FIELDS[type(entry)]:
        value = getattr(entry, name)
        if value is not None and value != ():
            members[name] = _nested(value) if name in NESTED else value
    return members


def _nested(value: object) -> object:
    return [_filled(each) for each in value] if isinstance(value, tuple) else _filled(value)
