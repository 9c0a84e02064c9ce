"""What a checker class promises of its declaration, its fragment and bind()."""

import tomllib
from collections.abc import Iterator
from copy import deepcopy
from inspect import cleandoc
from typing import Any, Final, cast

from gekko.checks.checker import BindError, Checker, Place
from gekko.checks.fragments import FragmentError, validator_of
from gekko.checks.judging import Bound, HookError
from gekko.checks.registry import POINTERS, undeclared
from gekko.errors import Problem
from gekko.locations import KeyPath
from gekko.testkit.context import Context, bound
from gekko.testkit.promises import BrokenPromise, Promise
from gekko.wording import cut

OPENING: Final = "[expect]"
"""The first line of a docstring's example; an empty line ends it."""


def brief(value: object) -> str:
    """Return *value* as Python writes it, cut to what a message can hold."""
    return cut(repr(value), 200)


def check_declaration(checker_class: object, key: str) -> None:
    """Look at what the class says of itself."""
    if reason := undeclared(key, checker_class):
        raise BrokenPromise(Promise.DECLARATION, reason)


def check_fragment(checker_class: type[Checker]) -> None:
    """Look at the class's JSON Schema, which becomes a part of a larger one."""
    try:
        validator_of(checker_class)
    except FragmentError as error:
        raise BrokenPromise(Promise.FRAGMENT, f"it {error}") from error


def bind(checker_class: type[Checker], value: object, context: Context) -> Bound | BindError:
    """Bind *value* as the engine does, twice; a refusal is an answer like any other.

    Raises:
        BrokenPromise: bind() or a hook did what it must not.
    """
    first, second = (_bind_once(checker_class, value, context) for _ in range(2))
    if isinstance(first, BindError) or isinstance(second, BindError):
        if isinstance(first, Checker) or isinstance(second, Checker):
            raise BrokenPromise(Promise.EQUALITY, f"{brief(value)} is refused at one time and accepted at another")
        return first
    if first != second:
        raise BrokenPromise(Promise.EQUALITY, f"binding {brief(value)} gave {brief(first)} and {brief(second)}")
    answers = _with_hooks(context, first)
    if answers != _with_hooks(context, first):
        raise BrokenPromise(Promise.HOOKS, f"those of {brief(first)} change their answers")
    return answers


def documented(checker_class: type[Checker], key: str) -> list[tuple[str, Place, object]]:
    """Return the values of the key in the docstring's example, each with the key as written and its place."""
    lines = cleandoc(checker_class.__doc__ or "").splitlines()
    if OPENING not in lines:
        raise BrokenPromise(Promise.DOCUMENTATION, f"no line of it is '{OPENING}', which begins an example")
    rest = lines[lines.index(OPENING) :]
    example = rest[: rest.index("")] if "" in rest else rest
    try:
        expect = tomllib.loads("\n".join(example))["expect"]
    except tomllib.TOMLDecodeError as error:
        raise BrokenPromise(Promise.DOCUMENTATION, f"its example is not TOML: {error}") from error
    found = [use for use in _uses(expect, key) if use[1] in checker_class.places]
    if not found:
        raise BrokenPromise(Promise.DOCUMENTATION, f"its example does not use '{key}' where the class says it stands")
    return found


def _bind_once(checker_class: type[Checker], value: object, context: Context) -> Checker | BindError:
    given = deepcopy(value)
    try:
        checker: object = checker_class.bind(given, context)
    except BindError as error:
        for problem in error.problems:
            _check_problem(problem, value)
        return error
    except Exception as error:
        reason = f"bind({brief(value)}) raised {type(error).__name__}: {error}"
        raise BrokenPromise(Promise.BINDING, reason) from error
    if repr(given) != repr(value):
        raise BrokenPromise(Promise.PURITY, f"bind({brief(value)}) made of it {brief(given)}")
    if not isinstance(checker, checker_class):
        raise BrokenPromise(Promise.BINDING, f"bind({brief(value)}) returned {brief(checker)}")
    return checker


def _check_problem(problem: Problem, value: object) -> None:
    if not problem.problem.strip():
        raise BrokenPromise(Promise.BINDING, f"bind({brief(value)}) gave no reason")
    # A place may be missing, where that is the problem; the way to it may not.
    if not _leads_into(value, problem.at[:-1]):
        raise BrokenPromise(Promise.BINDING, f"bind({brief(value)}) told a problem at {brief(problem.at)}")


def _leads_into(value: object, path: KeyPath) -> bool:
    for step in path:
        steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if step not in steps:
            return False
        value = cast("Any", value)[step]
    return True


def _with_hooks(context: Context, checker: Checker) -> Bound:
    try:
        answers = bound(context.key, checker)
    except HookError as error:
        raise BrokenPromise(Promise.HOOKS, f"of {brief(checker)}, {error}") from error
    if answers.expected_exit_code not in (None, 0, 4):
        reason = f"expected_exit_code is {answers.expected_exit_code}, which is none of None, 0 and 4"
        raise BrokenPromise(Promise.HOOKS, f"of {brief(checker)}, {reason}")
    if answers.expected_exit_code == 4 and answers.needs_output:
        reason = "expected_exit_code is 4 and needs_output is True, but a rejected answer has no output"
        raise BrokenPromise(Promise.HOOKS, f"of {brief(checker)}, {reason}")
    return answers


def _uses(expect: dict[str, object], key: str) -> Iterator[tuple[str, Place, object]]:
    for written, value in expect.items():
        if not written.startswith("/"):
            if written == key:
                yield written, Place.EXPECT, value
        elif key == POINTERS:
            yield written, Place.POINTER, value
        else:
            yield from ((key, Place.VALUE, inner) for inner in _inside(value, key))


def _inside(value: object, key: str) -> Iterator[object]:
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        for inner in value.values():
            yield from _inside(inner, key)
