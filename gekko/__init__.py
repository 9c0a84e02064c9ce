"""The public API: what a checker is written against. Nothing else in this package is promised.

Names are resolved when they are first used, so that starting the program pays for none of them.
"""

from gekko._version import __version__

# Type checkers take a variable of this name for true; importing the real one would cost every start of the program.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from gekko.checks.checker import (
        COMPARISONS,
        Ask,
        AskCommand,
        AskModel,
        AskReply,
        BindContext,
        BindError,
        Checker,
        Comparisons,
        Fragment,
        Judging,
        Mismatch,
        Place,
    )
    from gekko.checks.judging import collect
    from gekko.checks.outcome import MISSING, Format, Outcome
    from gekko.errors import Problem
    from gekko.jsontext import equal, is_number, unfit
    from gekko.locations import KeyPath
    from gekko.messages import Message
    from gekko.pointers import NoSuchPlace, PointerError, resolve
    from gekko.pointers import build as build_pointer
    from gekko.pointers import parse as parse_pointer
    from gekko.text import non_empty_lines
    from gekko.wording import did_you_mean, shown

__all__ = [
    "COMPARISONS",
    "MISSING",
    "Ask",
    "AskCommand",
    "AskModel",
    "AskReply",
    "BindContext",
    "BindError",
    "Checker",
    "Comparisons",
    "Format",
    "Fragment",
    "Judging",
    "KeyPath",
    "Message",
    "Mismatch",
    "NoSuchPlace",
    "Outcome",
    "Place",
    "PointerError",
    "Problem",
    "__version__",
    "build_pointer",
    "collect",
    "did_you_mean",
    "equal",
    "is_number",
    "non_empty_lines",
    "parse_pointer",
    "resolve",
    "shown",
    "unfit",
]

_HOMES = {
    "gekko.checks.checker": (
        "COMPARISONS Ask AskCommand AskModel AskReply BindContext BindError Checker Comparisons"
        " Fragment Judging Mismatch Place"
    ),
    "gekko.checks.judging": "collect",
    "gekko.checks.outcome": "MISSING Format Outcome",
    "gekko.errors": "Problem",
    "gekko.jsontext": "equal is_number unfit",
    "gekko.locations": "KeyPath",
    "gekko.messages": "Message",
    "gekko.pointers": "NoSuchPlace PointerError build_pointer=build parse_pointer=parse resolve",
    "gekko.text": "non_empty_lines",
    "gekko.wording": "did_you_mean shown",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        for public, _, original in (each.partition("=") for each in names.split()):
            if public == name:
                return getattr(import_module(home), original or public)
    raise AttributeError(f"module 'gekko' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
