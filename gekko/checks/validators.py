"""What a checker may put into what it hands to the engine.

One that makes it wrongly learns it where it does so, not where a message is written or a request sent.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

import attrs

from gekko.jsontext import lone_surrogate, surrogate_named
from gekko.messages import Message, Role
from gekko.wording import one_of, shown


def is_a(*wanted: type) -> Callable[[object, "attrs.Attribute[Any]", object], None]:
    """Return what refuses a value that is of no type of *wanted*."""
    names = " or ".join(each.__name__ for each in wanted)

    def check(made: object, attribute: "attrs.Attribute[Any]", value: object) -> None:
        if not isinstance(value, wanted):
            what = f"'{attribute.name}' of {type(made).__name__}"
            raise TypeError(f"{what} must be a {names}, not {type(value).__name__}")

    return check


is_text: Final = is_a(str)


def is_conversation(_: object, __: "attrs.Attribute[Any]", messages: tuple[object, ...]) -> None:
    """Refuse what is no message, and a message that cannot be sent."""
    for each in messages:
        if not isinstance(each, Message):
            raise TypeError(f"each of 'messages' of AskModel must be a Message, not {type(each).__name__}")
        if each.role not in get_args(Role):
            raise ValueError(f"the role of a Message must be {one_of(get_args(Role))}, not {shown(each.role)}")
        _refuse_unsendable("'content' of a Message", each.content)


def is_input(_: object, __: "attrs.Attribute[Any]", value: object) -> None:
    """Refuse an input that cannot be sent."""
    _refuse_unsendable("'input' of AskCommand", value)


def are_arguments(_: object, __: "attrs.Attribute[Any]", args: object) -> None:
    """Refuse arguments that cannot be sent; whether the command takes them is seen later."""
    if not isinstance(args, Mapping):
        raise TypeError(f"'args' of AskCommand must be a mapping, not {type(args).__name__}")
    for name, value in args.items():
        _refuse_unsendable("a name in 'args' of AskCommand", name)
        if type(value) is not int:  # which an argument that is an integer takes as well
            _refuse_unsendable(f"'{name}' in 'args' of AskCommand", value)


def _refuse_unsendable(what: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    if lone := lone_surrogate(value):
        raise ValueError(f"{what} holds {surrogate_named(lone)}, which UTF-8 cannot write")
