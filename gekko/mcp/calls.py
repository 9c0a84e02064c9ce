"""One call of a tool: its arguments checked, the command run and recorded."""

import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

from attrs import frozen

from gekko import limits
from gekko.errors import InputOutputError, OutputError, Problem, UsageError
from gekko.mcp.schemas import FILE_KEY, main_key
from gekko.mcp.tools import Tool
from gekko.plan.arguments import bind_arguments
from gekko.plan.inputs import Bytes, Held, given_bytes, given_text
from gekko.plan.job import Job
from gekko.run.asking import NoAnswerError
from gekko.run.execute import Errand, Executor, Run
from gekko.run.stats import Statistics
from gekko.sources.files import FileProblem
from gekko.specs.command import Command
from gekko.wording import described, did_you_mean, joined, one_of

log = logging.getLogger(__name__)


@frozen
class Caller:
    """Runs tools. Files that a call names are found in *folder*, and nowhere else."""

    executor: Executor
    folder: Path
    statistics: Statistics

    async def call(self, tool: Tool, given: Mapping[str, object]) -> Run:
        """Run a tool with the arguments *given*, and return the run, whose answer keeps the contract.

        Raises:
            UsageError: an argument is wrong.
            InputOutputError: a file cannot be read, or the input is too long.
            NoAnswerError: there is no answer.
            OutputError: the answer breaks the contract.
        """
        job, main = prepared(tool, given, self.folder)
        try:
            run = await self.executor.run(job, main)
        except NoAnswerError as error:
            self.statistics.failed(Errand.of(job.recipe), error.duration_ms)
            raise
        if run.first_failure is not None:
            log.info("'%s' answered, because %s", run.outcome.model_answered, run.first_failure)
        self.statistics.finished(Errand.of(job.recipe), run)
        if run.outcome.exit_code != 0:
            raise OutputError(run.outcome.reasons)
        return run


def prepared(tool: Tool, given: Mapping[str, object], folder: Path) -> tuple[Job, Held | Bytes]:
    """Return the job that a call is, and its input.

    Raises:
        UsageError: with everything that is wrong with *given*.
        InputOutputError: a file cannot be read, or the input is too long.
    """
    command = tool.recipe.command
    key = main_key(command)
    problems = list(_misfits(command, key, given))
    args = {name: _plain(value) for name, value in given.items() if name in command.front.args and _is_plain(value)}
    texts, found = bind_arguments(
        command,
        args,
        lambda name: given_text(_inside(folder, name), "argument"),
        lambda name: given_text(command.scope_root / name, "argument"),
    )
    told = {problem.at for problem in problems}
    problems += (problem for problem in found if problem.at not in told)
    if problems:
        raise UsageError("\n".join(map(_told, problems)), problems)
    return Job(tool.recipe, texts), _main(key, "" if key is None else str(given[key]), folder)


def _misfits(command: Command, key: str | None, given: Mapping[str, object]) -> Iterator[Problem]:
    """Yield a problem for each name that the tool does not know, and each value of a type that is never right there."""
    args = command.front.args
    accepted = (key, *args) if key is not None else tuple(args)
    if key is not None and key not in given:
        yield Problem("required, but missing", at=(key,))
    for name, value in given.items():
        if name not in accepted:
            known = f"accepted: {one_of(accepted, conjunction='and')}" if accepted else "the tool takes none"
            yield Problem("unknown argument", did_you_mean(name, accepted) or known, (name,))
        elif not (isinstance(value, str) if name == key else _is_plain(value)):
            expected = "an integer" if name in args and args[name].type == "integer" else "a string"
            yield Problem(f"expected {expected}, found {described(value)}", at=(name,))


def _is_plain(value: object) -> TypeGuard[str | int | float]:
    """Tell whether an argument may have this value; which of the two it is to be, its declaration says."""
    is_integral = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, str) or (is_integral and not isinstance(value, bool))


def _plain(value: str | float) -> str | int:
    return value if isinstance(value, str) else int(value)  # to JSON, 3.0 is an integer


def _main(key: str | None, given: str, folder: Path) -> Held | Bytes:
    if key == FILE_KEY:
        try:
            path = _inside(folder, given)
        except FileProblem as error:
            problem = Problem(error.problem, error.hint, (FILE_KEY,))
            raise UsageError(_told(problem), [problem]) from None
        return Bytes(given_bytes(path, "input"), Path(given).name)
    if len(given.encode()) > limits.INPUT_BYTES:
        raise InputOutputError(f"{key}: longer than {limits.INPUT_BYTES // limits.MIB} MiB; the limit for an input")
    return Held(given.removeprefix("\ufeff"))


def _inside(folder: Path, name: str) -> Path:
    """Return the path of a file that a call names, all links followed.

    Raises:
        FileProblem: it leads out of *folder*: whoever thinks up a call may have read what an attacker wrote.
    """
    try:
        path = Path(os.path.realpath(folder / name))
    except ValueError as error:  # a NUL
        raise FileProblem(f"not the name of a file: {error}") from None
    if not path.is_relative_to(os.path.realpath(folder)):
        raise FileProblem(f"{path} is not inside {folder}", "a file of the folder that gko was started in is expected")
    return path


def _told(problem: Problem) -> str:
    place = f"{problem.at[0]}: " if problem.at else ""
    return place + joined(problem.problem, problem.hint)
