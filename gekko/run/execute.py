"""One run of a command: a request is made and sent, and the answer meets the output contract."""

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
from gekko.run.exchange import Answer, Body, Parser, Reply, Request, Transport
from gekko.run.protocols.chat import ChatParser, chat_body
from gekko.run.protocols.embeddings import EmbeddingsParser, embeddings_body
from gekko.run.protocols.envelope import error_detail
from gekko.run.protocols.transcriptions import TranscriptionParser, transcription_form
from gekko.run.redaction import gives_away, unless_telling
from gekko.specs.backend import Protocol

Input: TypeAlias = Text | InFile | Bytes
"""What a run is given."""

PARSERS: Final[Mapping[Protocol, Callable[[], Parser]]] = {
    "chat": ChatParser,
    "embeddings": EmbeddingsParser,
    "transcriptions": TranscriptionParser,
}
"""What reads the answers of each protocol; a parser is for one answer."""

ERROR_BYTES = 64 * 1024
"""How much of the body of a refusal is read for its message."""


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
    """Runs jobs on their backends."""

    transport: Transport
    backends: Backends

    async def run(self, job: Job, given: Input) -> Run:
        """Run *job* on an input, on its fallback where the model that it names gives no answer.

        Raises:
            BackendError: there is no answer, from neither.
            ConfigurationError: a file changed since it was checked.
        """
        recipe, fallback = job.recipe, job.recipe.fallback
        try:
            return await self._attempt(job, recipe, given)
        except BackendError as first:
            if fallback is None:
                raise
            try:
                run = await self._attempt(job, fallback, given)
            except BackendError as second:
                both = f"'{recipe.target.id}': {first}; and its fallback '{fallback.target.id}': {second}"
                raise BackendError(both) from second
            outcome = evolve(run.outcome, model_requested=recipe.target.id)
            return evolve(run, outcome=outcome, first_failure=str(first))

    async def converse(self, target: Target, messages: Sequence[Message]) -> Outcome:
        """Put a conversation before a chat model, and return its answer as text.

        Raises:
            BackendError: there is no answer.
        """
        body = chat_body(target.model.spec.model, messages, target.generation.sent())
        outcome, _ = await self._ask(target, body, ChatParser(), OutputRules())
        return outcome

    async def _attempt(self, job: Job, recipe: Recipe, given: Input) -> Run:
        parser = PARSERS[recipe.target.protocol]()
        outcome, printed = await self._ask(recipe.target, request_body(job, recipe, given), parser, rules_of(recipe))
        return Run(outcome, printed, recipe.target.backend.spec.id)

    async def _ask(self, target: Target, body: Body, parser: Parser, rules: OutputRules) -> tuple[Outcome, str]:
        route = await self.backends.route(target)
        started = perf_counter()
        reply = await self.exchange(Request(route.url, body, route.headers), target, parser)
        return outcome_of(reply, target, rules, (perf_counter() - started) * 1000)

    async def exchange(self, request: Request, target: Target, parser: Parser) -> Reply:
        """Send one request and return what its parser makes of the answer.

        Raises:
            BackendError: there is no answer, it is a refusal, or it does not speak the protocol.
        """
        timeout_secs = target.backend.spec.timeouts.request_secs
        async with self.transport.send(request, timeout_secs) as answer:
            if not 200 <= answer.status < 300:
                said = unless_telling(await _refusal(answer), request.headers)
                raise BackendError(f"{request.url} answered {answer.status}" + (f": {said}" if said else ""))
            async for chunk in answer.chunks():
                parser.feed(chunk)
        try:
            reply = parser.finish()
        except BackendError as error:
            raise BackendError(f"{request.url}: {unless_telling(str(error), request.headers)}") from None
        is_secret = gives_away(reply.finish_reason or "", request.headers)
        return evolve(reply, finish_reason=None) if is_secret else reply


def request_body(job: Job, recipe: Recipe, given: Input) -> Body:
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
            return chat_body(model, messages, recipe.generation.sent(), recipe.response_schema)


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


async def _refusal(answer: Answer) -> str:
    """Return what a body says that came with a status other than success."""
    body = b""
    async for chunk in answer.chunks():
        body += chunk
        if len(body) >= ERROR_BYTES:
            break
    return error_detail(body[:ERROR_BYTES])
