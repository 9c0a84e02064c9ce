"""One run of a command: its model is asked, or the fallback, and the answer meets the output contract."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Final, TypeAlias

from attrs import evolve, frozen

from gekko import pointers
from gekko.checks.outcome import Outcome
from gekko.errors import BackendError, OutputError
from gekko.messages import Message
from gekko.plan.inputs import Bytes, InFile, Text
from gekko.plan.job import Job, Recipe
from gekko.plan.targets import Target
from gekko.run import contract
from gekko.run.backends import Backends
from gekko.run.contract import OutputRules
from gekko.run.exchange import Body, Parser, Reply, Request, Transport
from gekko.run.protocols.chat import ChatParser, chat_body
from gekko.run.protocols.embeddings import EmbeddingsParser, embeddings_body
from gekko.run.protocols.transcriptions import TranscriptionParser, transcription_form
from gekko.run.sending import reply_to
from gekko.run.showing import Showing
from gekko.sources.listing import CommandPath
from gekko.specs.backend import Protocol
from gekko.wording import shown

Input: TypeAlias = Text | InFile | Bytes
"""What a run is given."""

PARSERS: Final[Mapping[Protocol, Callable[[], Parser]]] = {
    "chat": ChatParser,
    "embeddings": EmbeddingsParser,
    "transcriptions": TranscriptionParser,
}
"""What reads the answers of each protocol; a parser is for one answer."""

log = logging.getLogger(__name__)


class NoAnswerError(BackendError):
    """A run got no answer; *duration_ms* is how long its requests took, without what went before them."""

    def __init__(self, message: str, duration_ms: float) -> None:
        super().__init__(message)
        self.duration_ms = duration_ms


@frozen
class Errand:
    """On whose behalf a model is asked: the command, and the model that is asked for first."""

    command: CommandPath
    model: str
    has_fallback: bool = False

    @classmethod
    def of(cls, recipe: Recipe) -> "Errand":
        """Return the errand of a run of *recipe*."""
        return cls(recipe.command.words, recipe.target.id, recipe.fallback is not None)


@frozen
class Run:
    """A run that got an answer: the outcome, which backend gave it, and why the first choice did not.

    *printed* is what standard output gets of an accepted answer, `extract` applied.
    """

    outcome: Outcome
    printed: str
    backend: str
    first_failure: str | None = None

    @property
    def is_from_fallback(self) -> bool:
        """Whether the model that was asked for failed, and its fallback answered."""
        return self.first_failure is not None


@frozen
class Executor:
    """Runs jobs on their backends; *waits* says whether a backend that is busy is waited for."""

    transport: Transport
    backends: Backends
    waits: bool = True

    async def run(self, job: Job, given: Input, showing: Showing | None = None) -> Run:
        """Run *job* on an input, on its fallback where the model that it names gives no answer.

        A chat answer goes to *showing* while it arrives; once something was shown, there is no fallback any more.

        Raises:
            NoAnswerError: there is no answer, from neither.
            ConfigurationError: a file changed since it was checked.
        """
        recipe, fallback = job.recipe, job.recipe.fallback
        try:
            return await self._attempt(job, recipe, given, showing)
        except NoAnswerError as first:
            if fallback is None or (showing is not None and showing.has_begun):
                raise
            if showing is not None:
                showing.forget()
            try:
                run = await self._attempt(job, fallback, given, showing)
            except NoAnswerError as second:
                both = f"'{recipe.target.id}': {first}; and its fallback '{fallback.target.id}': {second}"
                raise NoAnswerError(both, first.duration_ms + second.duration_ms) from second
            duration_ms = first.duration_ms + run.outcome.duration_ms
            outcome = evolve(run.outcome, model_requested=recipe.target.id, duration_ms=duration_ms)
            return evolve(run, outcome=outcome, first_failure=str(first))

    async def converse(self, target: Target, messages: Sequence[Message]) -> Run:
        """Put a conversation before a chat model; its answer is a text.

        Raises:
            NoAnswerError: there is no answer.
        """
        body = chat_body(target.model.spec.model, messages, target.generation.sent())
        outcome, printed = await self._ask(target, body, ChatParser(), OutputRules())
        return Run(outcome, printed, target.backend.spec.id)

    async def _attempt(self, job: Job, recipe: Recipe, given: Input, showing: Showing | None) -> Run:
        body = request_body(job, recipe, given, streams=showing is not None)
        parser = PARSERS[recipe.target.protocol]()
        outcome, printed = await self._ask(recipe.target, body, parser, rules_of(recipe), showing)
        return Run(outcome, printed, recipe.target.backend.spec.id)

    async def _ask(
        self, target: Target, body: Body, parser: Parser, rules: OutputRules, showing: Showing | None = None
    ) -> tuple[Outcome, str]:
        spec, started = target.backend.spec, None
        try:
            route = await self.backends.route(target)
            async with self.backends.place(target, waits=self.waits):
                log.info("model '%s' of backend '%s' is asked: POST %s", target.id, spec.id, route.url)
                started = perf_counter()
                request = Request(route.url, body, route.headers)
                reply = await reply_to(request, spec.timeouts.request_secs, self.transport, parser, showing)
            if showing is not None:
                showing.end()  # before anything is said about it
        except BackendError as error:
            raise NoAnswerError(str(error), 0.0 if started is None else _ms_since(started)) from error
        duration_ms = _ms_since(started)
        log.info("model '%s' answered after %.0f ms: %s", target.id, duration_ms, _figures(reply))
        return outcome_of(reply, target, rules, duration_ms)


def request_body(job: Job, recipe: Recipe, given: Input, *, streams: bool = False) -> Body:
    """Return what is sent; *recipe* is that of the job, or its fallback."""
    model, protocol = recipe.target.model.spec.model, recipe.target.protocol
    match given:
        case InFile() if protocol == "transcriptions":
            return transcription_form(model, job.prompt(), given.read_bytes(), given.path.name)
        case Bytes():
            return transcription_form(model, job.prompt(), given.content, given.name)
        case _ if protocol == "embeddings":
            return embeddings_body(model, job.prompt(given.read()))
        case _:
            messages = job.messages(given.read())
            return chat_body(model, messages, recipe.generation.sent(), recipe.response_schema, streams=streams)


def rules_of(recipe: Recipe) -> OutputRules:
    """Return the output contract of a recipe's command."""
    output = recipe.command.front.output
    return OutputRules(
        format=output.format,
        schema=recipe.schema,
        max_lines=output.max_lines,
        allow_truncated=bool(output.allow_truncated),
        strip_reasoning=bool(output.strip_reasoning),
        extract=None if output.extract is None else pointers.parse(output.extract),
    )


def outcome_of(reply: Reply, target: Target, rules: OutputRules, duration_ms: float) -> tuple[Outcome, str]:
    """Return the outcome of a run and what it prints: the reply, held against the output contract."""
    answered = partial(
        Outcome,
        format=rules.format,
        finish_reason=reply.finish_reason,
        model_requested=target.id,
        model_answered=target.id,
        duration_ms=duration_ms,
        prompt_tokens=reply.usage.prompt_tokens,
        completion_tokens=reply.usage.completion_tokens,
    )
    try:
        accepted = contract.accept(reply, rules)
        printed = accepted.canonical if rules.extract is None else contract.printed(accepted.output, rules)
    except OutputError as error:
        return answered(exit_code=error.exit_code, reasons=error.reasons), ""
    return answered(exit_code=0, output=accepted.output, written=accepted.canonical), printed


def _figures(reply: Reply) -> str:
    counts = {"prompt tokens": reply.usage.prompt_tokens, "completion tokens": reply.usage.completion_tokens}
    known = [f"{count} {name}" for name, count in counts.items() if count is not None]
    return ", ".join((*known, f"finish reason {shown(reply.finish_reason)}"))


def _ms_since(started: float) -> float:
    return (perf_counter() - started) * 1000
