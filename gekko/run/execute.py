"""One run of a command: its model is asked, or the fallback, and the answer meets the output contract."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from attrs import evolve, frozen

from gekko import pointers
from gekko.checks.outcome import Outcome
from gekko.errors import OutputError
from gekko.jsontext import compact
from gekko.messages import Message
from gekko.plan.inputs import Bytes, InFile, Text
from gekko.plan.job import Job, Recipe
from gekko.plan.targets import Target
from gekko.run import contract
from gekko.run.asking import Answered, Asker, NewParser, NoAnswerError
from gekko.run.contract import OutputRules
from gekko.run.exchange import Body
from gekko.run.protocols.chat import ChatParser, chat_body
from gekko.run.protocols.embeddings import EmbeddingsParser, embeddings_body
from gekko.run.protocols.transcriptions import TranscriptionParser, transcription_form
from gekko.run.showing import Showing
from gekko.sources.files import digest
from gekko.sources.listing import CommandPath
from gekko.specs.backend import Protocol

Input: TypeAlias = Text | InFile | Bytes
"""What a run is given."""

PARSERS: Final[Mapping[Protocol, NewParser]] = {
    "chat": ChatParser,
    "embeddings": EmbeddingsParser,
    "transcriptions": TranscriptionParser,
}
"""What reads the answers of each protocol; a parser is for one answer."""


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

    *printed* is what standard output gets of an accepted answer, `extract` applied. *request* is the digest of what was
    put before the model that was asked for first.
    """

    outcome: Outcome
    printed: str
    backend: str
    request: str
    answered: Answered
    first_failure: str | None = None

    @property
    def is_from_fallback(self) -> bool:
        """Whether the model that was asked for failed, and its fallback answered."""
        return self.first_failure is not None


@frozen
class Executor:
    """Runs jobs: each model is asked through *asker*, and its answer held against the output contract."""

    asker: Asker

    async def run(self, job: Job, given: Input, showing: Showing | None = None) -> Run:
        """Run *job* on an input, on its fallback where the model that it names gives no answer.

        A chat answer goes to *showing* while it arrives; once something was shown, there is no fallback any more.

        Raises:
            NoAnswerError: there is no answer, from neither.
            ConfigurationError: a file changed since it was checked.
        """
        recipe, fallback = job.recipe, job.recipe.fallback
        body = request_body(job, recipe, given, streams=showing is not None)
        try:
            return await self._ask(recipe.target, body, rules_of(recipe), showing)
        except NoAnswerError as first:
            if fallback is None or not first.has_asked or (showing is not None and showing.has_begun):
                raise
            if showing is not None:
                showing.forget()
            other = request_body(job, fallback, given, streams=showing is not None)
            try:
                run = await self._ask(fallback.target, other, rules_of(fallback), showing)
            except NoAnswerError as second:
                if not second.has_asked:
                    raise
                both = f"'{recipe.target.id}': {first}; and its fallback '{fallback.target.id}': {second}"
                retries = first.retries + second.retries
                raise NoAnswerError(both, first.duration_ms + second.duration_ms, retries) from second
            return _after(first, run, recipe.target, request_digest(body))

    async def converse(self, target: Target, messages: Sequence[Message]) -> Run:
        """Put a conversation before a chat model; its answer is a text.

        Raises:
            NoAnswerError: there is no answer.
        """
        body = chat_body(target.model.spec.model, messages, target.generation.sent())
        return await self._ask(target, body, OutputRules())

    async def _ask(self, target: Target, body: Body, rules: OutputRules, showing: Showing | None = None) -> Run:
        answered = await self.asker.ask(target, body, PARSERS[target.protocol], showing)
        outcome, printed = outcome_of(answered, target, rules)
        return Run(outcome, printed, target.backend.spec.id, request_digest(body), answered)


def _after(first: NoAnswerError, run: Run, asked: Target, request: str) -> Run:
    """Return the run of a fallback as that of the model that was *asked* first, and failed."""
    outcome = evolve(run.outcome, model_requested=asked.id, duration_ms=first.duration_ms + run.outcome.duration_ms)
    answered = evolve(run.answered, retries=first.retries + run.answered.retries)
    return evolve(run, outcome=outcome, request=request, answered=answered, first_failure=str(first))


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


def request_digest(body: Body) -> str:
    """Return what tells a request from every other: the SHA-256 of what is sent, wherever it is sent to."""
    if isinstance(body, bytes):
        return digest(body).sha256
    upload = digest(body.upload.content)
    return digest(compact([*map(list, body.fields), [body.upload.file_name, upload.sha256]]).encode()).sha256


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


def outcome_of(answered: Answered, target: Target, rules: OutputRules) -> tuple[Outcome, str]:
    """Return the outcome of a run and what it prints: the reply, held against the output contract."""
    reply = answered.reply
    ended = partial(
        Outcome,
        format=rules.format,
        finish_reason=reply.finish_reason,
        model_requested=target.id,
        model_answered=target.id,
        duration_ms=answered.duration_ms,
        prompt_tokens=reply.usage.prompt_tokens,
        completion_tokens=reply.usage.completion_tokens,
    )
    try:
        accepted = contract.accept(reply, rules)
        printed = accepted.canonical if rules.extract is None else contract.printed(accepted.output, rules)
    except OutputError as error:
        return ended(exit_code=error.exit_code, reasons=error.reasons), ""
    return ended(exit_code=0, output=accepted.output, written=accepted.canonical), printed
