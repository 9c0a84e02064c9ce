"""A configured command: arguments from the command line, input from a file or a stream, the answer to stdout."""

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from gekko import limits
from gekko.cli.exits import Exit
from gekko.cli.interrupts import run_heedful
from gekko.cli.notices import about_the_engine
from gekko.cli.options import global_options
from gekko.cli.session import Session, is_terminal, tell, write_result
from gekko.errors import BackendError, InputOutputError, OutputError, UsageError
from gekko.plan.access import Accesses, reach
from gekko.plan.call import plan_call
from gekko.plan.catalog import Catalog
from gekko.plan.inputs import Bytes, Held
from gekko.plan.job import Job
from gekko.sources.files import FileProblem, decode, read_bytes
from gekko.sources.listing import CommandPath
from gekko.specs.argument import Argument
from gekko.specs.command import Command
from gekko.wording import one_of

if TYPE_CHECKING:
    from gekko.run.execute import Run

METAVARS = {"string": "TEXT", "enum": "VALUE", "integer": "INTEGER", "file": "FILE"}


def runner(catalog: Catalog, words: CommandPath) -> click.Command:
    """Return the command line of the configured command at *words*.

    Raises:
        ConfigurationError: its file is wrong.
    """
    command = catalog.command(words)
    # An argument may be called "file" or "class", so click is given names of our own.
    options = {f"arg{index}": name for index, name in enumerate(command.front.args)}
    params: list[click.Parameter] = [
        _option(parameter, name, command.front.args[name]) for parameter, name in options.items()
    ]
    if command.front.input.mode != "stdin":
        metavar = "FILE" if command.front.input.mode == "file" else "[FILE]"
        params.append(click.Argument(["file"], required=False, metavar=metavar))
    params += [
        click.Option(["--model"], metavar="ID", help="Ask this model instead of the command's own."),
        click.Option(["--dry-run"], is_flag=True, help="Show the request, and send nothing."),
        *global_options(),
    ]

    @click.pass_obj
    def call(
        session: Session, /, model: str | None, dry_run: bool, file: str | None = None, **given: str | None
    ) -> int:
        args = {options[parameter]: value for parameter, value in given.items() if value is not None}
        job = plan_call(catalog, words, args, model, session.environ, session.cwd)
        if dry_run:
            return _show(job, read_input(session, command, file))
        accesses = reach(job.recipe.targets, session.environ)
        about_the_engine(session, accesses)
        return _answer(session, job, accesses, read_input(session, command, file))

    return click.Command(words[-1], params=params, callback=call, help=command.front.description)


def _option(parameter: str, name: str, argument: Argument) -> click.Option:
    flags = [f"--{name}"] if argument.short is None else [f"-{argument.short}", f"--{name}"]
    notes = [argument.description] if argument.description else []
    if argument.values is not None:
        notes.append(f"One of {one_of(argument.values)}.")
    if argument.required:
        notes.append("Required.")
    elif argument.default is not None:
        notes.append(f"By default '{argument.default}'.")
    return click.Option([parameter, *flags], metavar=METAVARS[argument.type], help=" ".join(notes))


def read_input(session: Session, command: Command, file: str | None) -> Held | Bytes:
    """Return the input of a command, from *file* or from standard input.

    Raises:
        UsageError: the command takes its input from a file, and none is given.
        InputOutputError: the input is missing, not UTF-8, or too long.
    """
    mode = command.front.input.mode
    if mode == "file" and file is None:
        raise UsageError("the command takes its input from a file; give its name as FILE")
    raw = _stdin() if file is None else _file(session.cwd / file)
    if mode == "binary":
        return Bytes(raw, "input" if file is None else Path(file).name)
    try:
        return Held(decode(raw))
    except FileProblem as error:
        raise InputOutputError(f"{'standard input' if file is None else file}: {error}") from None


def _file(path: Path) -> bytes:
    try:
        return read_bytes(path, limits.INPUT_BYTES, "input")
    except FileProblem as error:
        raise InputOutputError(f"{path}: {error}") from None


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise InputOutputError("standard input is closed")
    if is_terminal(sys.stdin):
        tell("reading the input from the terminal, up to its end (Ctrl-D)")
    try:
        raw = sys.stdin.buffer.read(limits.INPUT_BYTES + 1)
    except OSError as error:
        raise InputOutputError(f"standard input: {error.strerror}") from error
    if len(raw) > limits.INPUT_BYTES:
        raise InputOutputError(f"standard input: longer than {limits.INPUT_BYTES // limits.MIB} MiB")
    return raw


def _show(job: Job, given: Held | Bytes) -> int:
    from gekko.report.request import request_text
    from gekko.run.execute import request_body

    write_result(request_text(job.recipe.target, request_body(job, job.recipe, given)))
    return Exit.SUCCESS


def _answer(session: Session, job: Job, accesses: Accesses, given: Held | Bytes) -> int:
    statistics = session.statistics()
    started = perf_counter()
    try:
        run = run_heedful(_run(session, job, accesses, given))
    except BackendError:
        if statistics is not None:
            statistics.failed(job.recipe, (perf_counter() - started) * 1000, Exit.BACKEND)
        raise
    if run.first_failure is not None:
        session.say("info", f"'{run.outcome.model_answered}' answered, because {run.first_failure}")
    try:
        if run.outcome.exit_code != Exit.SUCCESS:
            raise OutputError(run.outcome.reasons)
        write_result(run.printed + "\n")
    finally:
        if statistics is not None:
            statistics.finished(job.recipe, run)
    return Exit.SUCCESS


async def _run(session: Session, job: Job, accesses: Accesses, given: Held | Bytes) -> "Run":
    from gekko.run.opening import executor

    async with executor(accesses, session.state) as ready:
        return await ready.run(job, given)
