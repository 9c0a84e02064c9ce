"""Whoever brings runs to their outcomes: by asking models, or from what is known of them."""

from collections.abc import Sequence
from typing import Protocol

from gekko.messages import Message
from gekko.plan.job import Job
from gekko.plan.targets import Target
from gekko.run.execute import Input, Run
from gekko.run.showing import Showing


class Runner(Protocol):
    """Runs jobs and holds conversations, as Executor does."""

    async def run(self, job: Job, given: Input, showing: Showing | None = None) -> Run:
        """Run *job* on an input.

        Raises:
            NoAnswerError: there is no answer.
            ConfigurationError: a file changed since it was checked.
        """
        ...

    async def converse(self, target: Target, messages: Sequence[Message]) -> Run:
        """Put a conversation before a chat model; its answer is a text.

        Raises:
            NoAnswerError: there is no answer.
        """
        ...
