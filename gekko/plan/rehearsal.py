"""What a trial would send, without sending it."""

from attrs import frozen

from gekko.messages import Message
from gekko.plan.inputs import InFile
from gekko.plan.trials import Trial


@frozen
class Rehearsal:
    """The rendered messages of a trial; *file* is the name under which a binary input would be uploaded."""

    command: str
    case: str
    model: str
    messages: tuple[Message, ...]
    file: str | None = None


def rehearse(trial: Trial) -> Rehearsal:
    """Return what the trial would send.

    Raises:
        ConfigurationError: a file changed since it was checked.
    """
    command, case, model = trial.address
    if trial.job.recipe.command.takes_bytes and isinstance(trial.input, InFile):
        prompt = trial.job.prompt()
        messages = (Message("user", prompt),) if prompt.strip() else ()
        return Rehearsal(command, case, model, messages, trial.input.path.name)
    return Rehearsal(command, case, model, trial.job.messages(trial.input.read()))
