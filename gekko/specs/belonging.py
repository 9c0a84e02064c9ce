"""Where a key belongs that stands in the wrong table, told by the classes that read its file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, get_args

import attrs
from attrs import evolve, frozen

from gekko.errors import Problem
from gekko.locations import KeyPath, key_text
from gekko.specs.kinds import could_be, inner, is_literal, is_mapping, is_tuple, keys_of, members
from gekko.wording import did_you_mean, joined, one_of

ANY_NAME: Final = "NAME"
"""Stands for the name of a table that the user chooses: `[args.NAME]`."""

TOP: Final = "at the top level, above every [table]"
"""TOML has no way back to the top level: a key that is written too late lands in the table above it."""


@frozen
class UnknownKey(Problem):
    """A key that tables of the class *owner* do not have; the rest of the file may say where it belongs."""

    owner: Any = object


@frozen
class MissingKey(Problem):
    """A key that a table must have; the rest of the file may have it in another table."""


def explained(problems: Iterable[Problem], data: object, root: Any) -> Iterator[Problem]:
    """Yield what is wrong with *data*, which *root* should have read; a misplaced key is told where it belongs."""
    file = _File(tuple(dict.fromkeys(_tables(root, data))), {table.at: table for table in _written(root, data)})
    for problem in problems:
        match problem:
            case UnknownKey():
                yield Problem(problem.problem, file.about_unknown(problem), problem.at)
            case MissingKey(at=(*_, str(_))):
                yield Problem(problem.problem, file.about_missing(problem.at), problem.at)
            case Problem(hint="", at=(*_, str(_))):
                yield evolve(problem, hint=file.about_misfit(problem.at))
            case _:
                yield problem


def misplaced(key: str, root: Any) -> str:
    """Return that *key* belongs at the top level of the files that *root* reads, or nothing where it does not."""
    return f"'{key}' belongs {TOP}" if key in keys_of(root) else ""


@frozen
class _Table:
    """A table that a file can have, and the class that reads it; *foreign* is a `type` other than the file's own."""

    at: KeyPath
    owner: Any
    foreign: str

    def place(self, around: Iterable[KeyPath]) -> str:
        """Return where a key of this table belongs, for somebody who wrote it into one of the tables *around*."""
        of_type = f'type = "{self.foreign}"'
        if self.foreign and self.at in around:
            return f"to {of_type}"
        place = f"in {self._header()}" if self.at else TOP
        return f"{place}, for {of_type}" if self.foreign else place

    def _header(self) -> str:
        name = key_text([step for step in self.at if isinstance(step, str)])
        return f"[[{name}]]" if isinstance(self.at[-1], int) else f"[{name}]"


@frozen
class _Written:
    """A table that a file has: what it holds, and the type that reads it."""

    at: KeyPath
    content: Mapping[str, object]
    wanted: Any

    @property
    def own(self) -> Mapping[str, "attrs.Attribute[Any]"]:
        """The keys that it can have, with their fields; none where names are free."""
        return keys_of(self.wanted) if attrs.has(self.wanted) else {}

    def strays(self, key: str, wanted: Any) -> bool:
        """Return whether it has a key that is none of its own, with a value that could be one of *wanted*."""
        return key in self.content and key not in self.own and could_be(self.content[key], wanted)


@frozen
class _File:
    """The tables that a file can have, and those that it has, where its types are known."""

    tables: Sequence[_Table]
    written: Mapping[KeyPath, _Written]

    def about_unknown(self, problem: UnknownKey) -> str:
        """Return the nearest key of the same table, the tables that have the key, or else what is accepted."""
        key, own = str(problem.at[-1]), keys_of(problem.owner)
        near = did_you_mean(key, own)
        # With a near name at hand, a key of another table is meant only if the value suits that.
        homes = self._homes(problem.at, problem.owner, only_fitting=bool(near))
        if homes:
            around = [table.at for table in self.tables if table.owner is problem.owner]
            return f"{near} {_belongs(key, homes, around)}".strip()
        elsewhere = _elsewhere(problem, near)
        accepted = f"accepted here: {one_of(own, conjunction='and')}"
        return f"{near} {elsewhere}".strip() if near else joined(accepted, elsewhere)

    def about_missing(self, at: KeyPath) -> str:
        """Return the table below, opened too early, in which the key stands instead."""
        *around, key = at
        lacking = self.written.get(tuple(around))
        field = lacking.own.get(str(key)) if lacking else None
        if field is None:
            return ""
        below = (table for table in self.written.values() if list(table.at[: len(around)]) == around)
        strays = [table for table in below if table is not lacking and table.strays(str(key), field.type)]
        return f"there is one in [{key_text(strays[0].at)}]; write it above" if strays else ""

    def about_misfit(self, at: KeyPath) -> str:
        """Return where a key belongs whose value is wrong in a table of free names, and right elsewhere."""
        table = self.written.get(at[:-1])
        if table is None or not is_mapping(table.wanted):
            return ""
        homes = self._homes(at, owner=None, only_fitting=True)
        return _belongs(str(at[-1]), homes) if homes else ""

    def _homes(self, at: KeyPath, owner: Any, *, only_fitting: bool) -> list[_Table]:
        """Return the tables other than *owner*'s that have a key, those first of all that the file's types allow."""
        key = str(at[-1])
        homes = [table for table in self.tables if table.owner is not owner and key in keys_of(table.owner)]
        if only_fitting:
            around = self.written.get(at[:-1])
            value = around.content.get(key) if around else None
            homes = [table for table in homes if could_be(value, keys_of(table.owner)[key].type)]
        return [table for table in homes if not table.foreign] or homes


def _belongs(key: str, homes: Iterable[_Table], around: Sequence[KeyPath] = ()) -> str:
    places = dict.fromkeys(table.place(around) for table in homes)
    return f"'{key}' belongs {' or '.join(places)}"


def _elsewhere(problem: UnknownKey, near: str) -> str:
    """Return the tables below that take any key with any value."""
    fields = keys_of(problem.owner)
    names = [name for name, field in fields.items() if is_mapping(field.type) and inner(field.type) is object]
    headers = [f"[{key_text((*problem.at[:-1], name))}]" for name in names if f"'{name}'" not in near]
    return f"other keys stand in {' or '.join(headers)}" if headers else ""


def _tables(wanted: Any, data: object, at: KeyPath = (), foreign: str = "") -> Iterator[_Table]:
    """Yield every table that *wanted* can have; *data* says which `type` counts where there are several."""
    for each in members(wanted):
        type_ = foreign or _foreign(each, data)
        if attrs.has(each):
            yield _Table(at, each, type_)
            for name, field in keys_of(each).items():
                inside = data.get(name) if isinstance(data, dict) else None
                yield from _tables(field.type, inside, (*at, name), type_)
        elif is_mapping(each):
            yield from _tables(inner(each), None, (*at, ANY_NAME), type_)
        elif is_tuple(each):
            yield from _tables(inner(each), None, (*at, 0), type_)


def _written(wanted: Any, data: object, at: KeyPath = ()) -> Iterator[_Written]:
    """Yield every table of *data* that *wanted* knows, from the outside in."""
    for each in members(wanted):
        inside: Iterable[tuple[str | int, Any, object]] = ()
        if isinstance(data, dict) and attrs.has(each) and not _foreign(each, data):
            yield _Written(at, data, each)
            inside = ((name, field.type, data.get(name)) for name, field in keys_of(each).items())
        elif isinstance(data, dict) and is_mapping(each):
            yield _Written(at, data, each)
            inside = ((name, inner(each), value) for name, value in data.items())
        elif isinstance(data, list) and is_tuple(each):
            inside = ((index, inner(each), value) for index, value in enumerate(data))
        for step, type_, value in inside:
            yield from _written(type_, value, (*at, step))


def _foreign(wanted: Any, data: object) -> str:
    """Return the `type` of the tables that *wanted* reads, where *data* is a table of another."""
    field = keys_of(wanted).get("type") if attrs.has(wanted) else None
    if field is None or not isinstance(data, dict) or not is_literal(field.type):
        return ""
    own, *others = get_args(field.type)
    return "" if others or data.get("type", own) == own else str(own)
