"""A configured command: arguments from the command line, input from a file or a stream, the answer to stdout."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import frozen

from gekko import limits
from gekko.cli.exits import Exit
from gekko.cli.interrupts import run_heedful
from gekko.cli.notices import about_the_engine
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import is_terminal, shows_results, write_result
from gekko.cli.suggestions import Suggest, files, models, words_from
from gekko.errors import GekkoError, InputOutputError, OutputError, UsageError
from gekko.locations import shown_path
from gekko.plan.access import Accesses, reach
from gekko.plan.call import plan_call
from gekko.plan.catalog import Catalog
from gekko.plan.inputs import Bytes, Held, given_bytes, held
from gekko.plan.job import Job
from gekko.sources.listing import CommandPath
from gekko.specs.argument import Argument
from gekko.specs.command import Command
from gekko.wording import one_of

if TYPE_CHECKING:
    from gekko.run.execute import Run
    from gekko.run.showing import Showing

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
        params.append(click.Argument(["file"], required=False, metavar=metavar, shell_complete=files))
    params += [
        click.Option(
            ["--model"], metavar="ID", shell_complete=models, help="Ask this model instead of the command's own."
        ),
        click.Option(["--dry-run"], is_flag=True, help="Show the request, and send nothing."),
        click.Option(["--no-wait"], is_flag=True, help="Do not wait for a backend that is busy: it counts as failed."),
    ]

    @click.pass_obj
    def call(
        session: Session,
        /,
        model: str | None,
        dry_run: bool,
        no_wait: bool,
        file: str | None = None,
        **given: str | None,
    ) -> int:
        args = {options[parameter]: value for parameter, value in given.items() if value is not None}
        job = plan_call(catalog, words, args, model, session.environ, session.cwd)
        if dry_run:
            return _show(job, read_input(session, command, file))
        accesses = reach(job.recipe.targets, session.environ)
        about_the_engine(session, accesses)
        return _Call(session, job, accesses, waits=not no_wait).answer(read_input(session, command, file))

    return Leaf(words[-1], params=params, callback=call, help=command.front.description, reads_stdin=True)


def _option(parameter: str, name: str, argument: Argument) -> click.Option:
    flags = [f"--{name}"] if argument.short is None else [f"-{argument.short}", f"--{name}"]
    return click.Option(
        [parameter, *flags],
        metavar=METAVARS[argument.type],
        help=" ".join(map(_sentence, filter(None, _notes(argument)))),
        shell_complete=_suggest(argument),
    )


def _notes(argument: Argument) -> Iterator[str]:
    """Yield what help and completion say of an argument."""
    yield argument.description
    if argument.values is not None:
        yield f"One of {one_of(argument.values)}"
    if bounds := argument.bounds:
        yield bounds[0].upper() + bounds[1:]
    if argument.required:
        yield "Required"
    elif argument.default is not None:
        yield f"By default {one_of([str(argument.default)])}"


def _sentence(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?", "…", ":")) else f"{text.rstrip()}."


def _suggest(argument: Argument) -> Suggest | None:
    match argument.type:
        case "file":
            return files
        case "enum" | "integer":
            return words_from(_offers(argument))
        case _:
            return None


def _offers(argument: Argument) -> dict[str, str]:
    """Return the values that a shell can offer, each with what is to be known of it."""
    ends = {argument.min: "the least", argument.max: "the most", argument.default: "the default"}
    told = {str(value): about for value, about in ends.items() if value is not None}
    return {**dict.fromkeys(argument.values or (), ""), **told}


def read_input(session: Session, command: Command, file: str | None) -> Held | Bytes:
    """Return the input of a command, from *file* or from standard input.

    Raises:
        UsageError: the command takes its input from a file, and none is given.
        InputOutputError: the input is missing, not UTF-8, or too long.
    """
    mode = command.front.input.mode
    if mode == "file" and file is None:
        raise UsageError("the command takes its input from a file; give its name as FILE")
    raw = _stdin(session) if file is None else given_bytes(session.cwd / file, "input")
    if mode == "binary":
        return Bytes(raw, "input" if file is None else Path(file).name)
    return held(raw, "standard input" if file is None else shown_path(session.cwd / file))


def _stdin(session: Session) -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise InputOutputError("standard input is closed")
    if is_terminal(sys.stdin):
        session.note("reading the input from the terminal, up to its end (Ctrl-D)")
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

    write_result(request_text(job.recipe.target, request_body(job, job.recipe, given, streams=_streams(job))))
    return Exit.SUCCESS


def _streams(job: Job) -> bool:
    """Return whether the answer is shown while it arrives: text for a person, of which no line can be too many."""
    recipe = job.recipe
    is_plain = recipe.format == "text" and recipe.command.front.output.max_lines is None
    return is_plain and recipe.target.protocol == "chat" and shows_results()


@frozen
class _Call:
    """One call of a command, once everything is known but its input."""

    session: Session
    job: Job
    accesses: Accesses
    waits: bool

    def answer(self, given: Held | Bytes) -> int:
        """Ask, and write the answer to stdout."""
        from gekko.run.showing import Showing

        strip_reasoning = bool(self.job.recipe.command.front.output.strip_reasoning)
        showing = Showing(write_result, strip_reasoning) if _streams(self.job) else None
        try:
            run = run_heedful(self._run(given, showing))
        except GekkoError:
            if showing is not None:
                showing.end()
            raise
        self._write(run, is_shown=showing is not None and showing.has_begun)
        return Exit.SUCCESS

    async def _run(self, given: Held | Bytes, showing: "Showing | None") -> "Run":
        from gekko.run.asking import NoAnswerError
        from gekko.run.execute import Errand
        from gekko.run.opening import executor
        from gekko.run.waiting import hear_waits

        if self.session.is_watched and self.session.verbosity != "info":  # which tells of every wait at once
            from gekko.cli.patience import Patience

            hear_waits(Patience(self.session, iter(self.job.recipe.targets)).hear)
        async with executor(self.accesses, self.session.state, self._warn, waits=self.waits) as ready:
            try:
                return await ready.run(self.job, given, showing)
            except NoAnswerError as error:
                self.session.statistics().failed(Errand.of(self.job.recipe), error.duration_ms)
                raise

    def _warn(self, text: str) -> None:
        self.session.say("warn", text)

    def _write(self, run: "Run", *, is_shown: bool) -> None:
        from gekko.run.execute import Errand

        if run.first_failure is not None:
            self.session.say("info", f"'{run.outcome.model_answered}' answered, because {run.first_failure}")
        try:
            if run.outcome.exit_code != Exit.SUCCESS:
                raise OutputError(run.outcome.reasons)
            if not is_shown:
                write_result(run.printed + "\n")
        finally:
            self.session.statistics().finished(Errand.of(self.job.recipe), run)
