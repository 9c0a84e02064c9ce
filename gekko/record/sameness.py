"""Whether records are the shards of one suite, run by one configuration; or what is missing, and what differs."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePath

from attrs import frozen

from gekko.errors import Issue
from gekko.locations import Location, shown_path
from gekko.record.entries import OPTIONS, Invocation
from gekko.record.reading import Record
from gekko.sources.shards import Shard
from gekko.wording import NAMES_TOLD, first_of, printable, shown


def misfit_shards(records: Sequence[Record]) -> Iterator[Issue]:
    """Yield what keeps records from being all shards of one suite; one alone may be of a whole suite."""
    divided = [(record, shard) for record in records if (shard := record.suite.invocation.part)]
    if len(records) > 1:
        hint = "several records make one report where they are those of --shard I/N"
        whole = (record for record in records if record.suite.invocation.part is None)
        yield from (Issue(Location(record.path), "the record of a whole suite", hint) for record in whole)
    if not divided:
        return
    first, one = divided[0]
    odd = [(record, shard) for record, shard in divided if shard.count != one.count]
    for record, shard in odd:
        yield Issue(Location(record.path), f"of shard {shard}, and {shown_path(first.path)} is of {one}")
    if not odd:
        yield from _missing(first, one.count, {shard.index for _, shard in divided})


def _missing(record: Record, count: int, indexes: set[int]) -> Iterator[Issue]:
    """Yield which shards of *count* nobody has a record of."""
    missing = (str(Shard(index, count)) for index in range(1, count + 1) if index not in indexes)
    if first := list(islice(missing, NAMES_TOLD)):
        absent = first_of(first, count=count - len(indexes))
        yield Issue(Location(record.path), f"of one shard of {count}, and there is no record of {absent}")


def misfit_selections(records: Sequence[Record]) -> Iterator[Issue]:
    """Yield which shards were not taken of the cases that the first was taken of, though the same was asked for."""
    divided = [record for record in records if record.suite.invocation.part]
    for record in divided[1:]:
        one, other = divided[0].suite, record.suite
        # Where something else was asked for, that is told.
        if one.selection != other.selection and list(_asked(one.invocation)) == list(_asked(other.invocation)):
            problem = f"not a shard of the same cases as {shown_path(divided[0].path)}"
            yield Issue(Location(record.path), problem, _how_to_divide(other.invocation))


def _how_to_divide(asked: Invocation) -> str:
    """Return what makes the shards of a suite fit together."""
    hint = "the case files were others, or other cases were selected; run all shards on one commit"
    if asked.changed is not None:
        hint += f", where --changed={printable(asked.changed)} is one commit as well"
    if asked.failed:
        hint += ", and after the same last run: --failed goes by the journal of each machine"
    return hint


@frozen
class _Fact:
    """Something that all shards have in common: what it is called, and its value, which may say nothing by itself."""

    name: str
    value: object
    is_telling: bool = True


def differences(records: Sequence[Record]) -> Iterator[Issue]:
    """Yield in what each record differs from the ones before; of what only one of them knows nothing can be said."""
    known: dict[str, tuple[Record, _Fact]] = {}
    for record in records:
        found: dict[str, list[str]] = {}
        for fact in _facts(record):
            other, then = known.setdefault(fact.name, (record, fact))
            if fact.value != then.value:
                found.setdefault(shown_path(other.path), []).append(_difference(fact, then))
        for path, names in found.items():
            yield Issue(Location(record.path), f"differs from {path} in {first_of(names)}")


def _facts(record: Record) -> Iterator[_Fact]:
    suite = record.suite
    yield _Fact("the version of gko", suite.gko)
    yield from _asked(suite.invocation)
    for checker in suite.checkers:
        yield _Fact(f"the expectation '{checker.key}'", f"{checker.distribution} {checker.version}")
    for command in suite.commands:
        for part, digest in {"fallback": "", **command.parts}.items():
            yield _Fact(f"the {part} of {command.command} (model {command.model})", digest, is_telling=False)
    for case in record.cases:
        yield _Fact(f"the file of {case.command} {case.case}", case.definition, is_telling=False)


def _asked(invocation: Invocation) -> Iterator[_Fact]:
    yield _Fact("the selected commands", invocation.words or None)
    for field, option in OPTIONS.items():
        if field != "shard":
            yield _Fact(option, getattr(invocation, field) or None)
    # Each machine may have the project in another folder.
    files = [PurePath(file).as_posix().rpartition("/tests/")[2] for file in invocation.files]
    yield _Fact("the selected files", files or None)


def _difference(fact: _Fact, then: _Fact) -> str:
    return f"{fact.name} ({_shown(fact.value)}, there {_shown(then.value)})" if fact.is_telling else fact.name


def _shown(value: object) -> str:
    return "none" if value is None else value if isinstance(value, str) else shown(value)
