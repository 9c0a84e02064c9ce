"""From the arguments that somebody gave to the texts that stand for them, or every reason why not."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from gekko.errors import Problem
from gekko.plan.inputs import Held, Text
from gekko.sources.files import FileProblem
from gekko.specs.argument import Argument
from gekko.specs.command import Command
from gekko.wording import did_you_mean, one_of

FileReader: TypeAlias = Callable[[str], Text]
"""Turns the name of a file into its text; raises FileProblem."""


def bind_arguments(
    command: Command, given: Mapping[str, str | int], read_given: FileReader, read_default: FileReader
) -> tuple[dict[str, Text], list[Problem]]:
    """Return the text of every argument that is given or has a default; problems are located inside *given*.

    A file that a default names is found by *read_default*.
    """
    declared = command.front.args
    texts: dict[str, Text] = {}
    problems: list[Problem] = []
    for name in given:
        if name not in declared:
            accepted = f"declared: {one_of(declared, conjunction='and')}" if declared else "the command declares none"
            problems.append(Problem("unknown argument", did_you_mean(name, declared) or accepted, (name,)))
    for name, argument in declared.items():
        try:
            if name in given:
                texts[name] = _text(argument, given[name], read_given)
            elif argument.default is not None:
                texts[name] = _text(argument, argument.default, read_default)
            elif argument.required:
                problems.append(
                    Problem(f"the argument '{name}' is required, but missing", argument.description, (name,))
                )
        except ValueError as error:
            problems.append(Problem.told_by(error, (name,)))
        except FileProblem as error:
            problems.append(Problem(error.problem, error.hint, (name,)))
    return texts, problems


def _text(argument: Argument, value: str | int, read_file: FileReader) -> Text:
    text = argument.checked(value)
    return read_file(text) if argument.type == "file" else Held(text)
