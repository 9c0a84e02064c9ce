"""Performing what checkers ask for: the same requests, deadlines and contract as of any other run."""

from collections.abc import Awaitable

from attrs import define, field

from gekko.checks.checker import Ask, AskCommand, AskModel, AskReply
from gekko.checks.judging import AskError
from gekko.plan.arguments import bind_arguments
from gekko.plan.inputs import Held, Text
from gekko.plan.job import Job
from gekko.plan.suite import Asked
from gekko.plan.trials import Trial
from gekko.run.asking import NoAnswerError
from gekko.run.execute import Errand, Run
from gekko.sources.files import FileProblem
from gekko.suites.events import Follower, QuestionAnswered, QuestionFailed
from gekko.suites.runner import Runner


@define
class Answering:
    """Answers what the checkers of a trial ask, and tells *follow* of it: an Answerer."""

    runner: Runner
    asked: Asked
    trial: Trial
    follow: Follower
    retries: int = field(default=0, init=False)
    """How often requests had to be sent again until they were answered."""

    async def __call__(self, ask: Ask) -> AskReply:
        """Perform the request of *ask*.

        Raises:
            AskError: it asks what its checker did not announce, or what the command does not take.
            NoAnswerError: there is no answer.
        """
        match ask.request:
            case AskModel():
                errand, running = self._model(ask.request)
            case AskCommand():
                errand, running = self._command(ask.request)
        try:
            run = await running
        except NoAnswerError as error:
            self.follow(QuestionFailed(self.trial, errand, error.duration_ms))
            raise
        self.retries += run.answered.retries
        self.follow(QuestionAnswered(self.trial, errand, run))
        return AskReply(run.outcome.output, run.outcome.exit_code, run.outcome.reasons)

    def _model(self, request: AskModel) -> tuple[Errand, Awaitable[Run]]:
        target = self.asked.models.get(request.model)
        if target is None:
            raise AskError(f"it asked the model '{request.model}', which its models_asked does not name")
        return Errand(self.trial.command, target.id), self.runner.converse(target, request.messages)

    def _command(self, request: AskCommand) -> tuple[Errand, Awaitable[Run]]:
        recipe = self.asked.commands.get(request.command)
        if recipe is None:
            raise AskError(f"it asked the command '{request.command}', which its commands_asked does not name")
        args, problems = bind_arguments(recipe.command, request.args, _no_file, _no_file)
        if problems:
            raise AskError(f"it asked the command '{request.command}' with wrong arguments: {problems[0].problem}")
        return Errand.of(recipe), self.runner.run(Job(recipe, args), Held(request.input))


def _no_file(name: str) -> Text:
    raise FileProblem(f"the file '{name}' cannot be named in a question")
