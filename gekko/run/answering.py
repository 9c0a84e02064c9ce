"""Performing what checkers ask for: the same requests, deadlines and contract as of any other run."""

from attrs import frozen

from gekko.checks.checker import Ask, AskCommand, AskModel, AskReply
from gekko.checks.judging import AskError
from gekko.checks.outcome import Outcome
from gekko.plan.arguments import bind_arguments
from gekko.plan.inputs import Held, Text
from gekko.plan.job import Job
from gekko.plan.suite import Asked
from gekko.run.execute import Executor
from gekko.sources.files import FileProblem


@frozen
class Answering:
    """Answers what the checkers of a suite ask; an Answerer."""

    executor: Executor
    asked: Asked

    async def __call__(self, ask: Ask) -> AskReply:
        """Perform the request of *ask*.

        Raises:
            AskError: it asks what its checker did not announce, or what the command does not take.
            BackendError: there is no answer.
        """
        match ask.request:
            case AskModel():
                return await self._model(ask.request)
            case AskCommand():
                return await self._command(ask.request)

    async def _model(self, request: AskModel) -> AskReply:
        if request.model not in self.asked.models:
            raise AskError(f"it asked the model '{request.model}', which its models_asked does not name")
        return _reply(await self.executor.converse(self.asked.models[request.model], request.messages))

    async def _command(self, request: AskCommand) -> AskReply:
        if request.command not in self.asked.commands:
            raise AskError(f"it asked the command '{request.command}', which its commands_asked does not name")
        recipe = self.asked.commands[request.command]
        args, problems = bind_arguments(recipe.command, request.args, _no_file, _no_file)
        if problems:
            raise AskError(f"it asked the command '{request.command}' with wrong arguments: {problems[0].problem}")
        return _reply((await self.executor.run(Job(recipe, args), Held(request.input))).outcome)


def _no_file(name: str) -> Text:
    raise FileProblem(f"the file '{name}' cannot be named in a question")


def _reply(outcome: Outcome) -> AskReply:
    return AskReply(outcome.output, outcome.exit_code, outcome.reasons)
