"""A case file: what a command is given, and what is expected of the answer."""

from collections.abc import Mapping

from attrs import Factory, frozen

from gekko.specs.rules import not_empty
from gekko.specs.structure import ruled


@frozen
class FileInput:
    """An input that stands in a file next to the case."""

    file: str = ruled(not_empty, doc="The name of a file next to the case.")


@frozen(kw_only=True)
class Case:
    """The content of a case file. *expect* stays raw: only the registry knows what its keys mean."""

    input: str | FileInput = ruled(doc="What the command is given: a text, or the name of a file next to the case.")
    expect: Mapping[str, object] = ruled(doc="What is expected of the answer; it may be empty.")
    args: Mapping[str, str | int] = ruled(default=Factory(dict), doc="Arguments of the command, by name.")
