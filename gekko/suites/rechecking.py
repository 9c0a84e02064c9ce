"""Outputs of an earlier suite, judged again: each run is put together anew from its line in a record."""

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from gekko import jsontext
from gekko.checks.outcome import MISSING, Outcome
from gekko.errors import Issue
from gekko.locations import Location, shown_path
from gekko.messages import Message
from gekko.plan.fingerprints import changed_parts, command_parts
from gekko.plan.job import Job, Recipe
from gekko.plan.suite import Suite
from gekko.plan.targets import Target
from gekko.plan.trials import Trial
from gekko.record.entries import ErrorEntry, RunEntry
from gekko.record.reading import Record, RecordError
from gekko.run.asking import Answered
from gekko.run.exchange import Reply, Usage
from gekko.run.execute import Input, Run, request_body, request_digest
from gekko.run.showing import Showing
from gekko.sources.files import digest
from gekko.sources.listing import Address
from gekko.suites.resuming import JUDGING_PARTS
from gekko.suites.unrecorded import NotRecordedError, in_words, runs_in_words


def require_intact(record: Record) -> None:
    """Check that the outputs of *record* are those that its runs had.

    Raises:
        RecordError: one is not what its digest says.
    """
    for run in record.runs:
        if isinstance(run, RunEntry) and run.output is not None and run.output_digest != _digest(run.output):
            which = f"run number {run.run + 1} of {run.command} {run.case} on the model '{run.model}'"
            problem = f"the output of {which} does not have its output_digest: it is not what the run put out"
            raise RecordError(Issue(Location(record.path), problem))


def _digest(output: str) -> str:
    return digest(output.encode("utf-8", "surrogatepass")).sha256


@frozen
class Outputs:
    """The runs of a record, ready to be judged again."""

    record: Record
    _runs: Mapping[tuple[Address, int], RunEntry | ErrorEntry] = field(init=False)
    _parts: Mapping[tuple[str, str], Mapping[str, str]] = field(init=False)

    @_runs.default
    def _(self) -> Mapping[tuple[Address, int], RunEntry | ErrorEntry]:
        return {(run.address, run.run): run for run in self.record.runs}

    @_parts.default
    def _(self) -> Mapping[tuple[str, str], Mapping[str, str]]:
        return self.record.suite.parts

    def runner(self, trial: Trial, index: int) -> "Rerun":
        """Return what gives the outcome of the *index*-th run of *trial* once more."""
        return Rerun(self, trial, index)

    def run_of(self, trial: Trial, index: int) -> RunEntry:
        """Return the line of a run, whose output would be judged today as it was then but for what the case expects.

        Raises:
            NotRecordedError: there is none, or it is of another request, or of another output contract.
            ConfigurationError: a file changed since it was checked.
        """
        run = self._runs.get((trial.address, index))
        name = self.record.path.name
        if run is None:
            raise NotRecordedError(self._why_missing(trial, index))
        if isinstance(run, ErrorEntry):
            raise NotRecordedError(f"{name} has no output of it, for it got no answer: {run.message}")
        if changed := self._changed(trial, run):
            raise NotRecordedError(f"{changed} changed since {name} was written, and its output tells nothing any more")
        if run.exit_code == 0 and run.output is None:
            raise NotRecordedError(f"{name} has no output of it, for it was too long to be kept")
        return run

    def _why_missing(self, trial: Trial, index: int) -> str:
        name = self.record.path.name
        command, case, model = trial.address
        models = {each[2] for each, _ in self._runs if each[:2] == (command, case)}
        if model in models:
            runs = runs_in_words(number for each, number in self._runs if each == trial.address)
            return f"{name} has {runs} of it on the model '{model}', and not number {index + 1}"
        if models:
            return f"{name} has no run of it on the model '{model}'"
        return f"{name} has no run of it"

    def _changed(self, trial: Trial, run: RunEntry) -> str:
        """Return in words what changed of all that the outcome depends on; nothing where it is as it was."""
        recipe = trial.job.recipe
        parts = changed_parts(self._parts.get((run.command, run.model), {}), command_parts(recipe))
        if run.request != request_digest(request_body(trial.job, recipe, trial.input)):
            return in_words(parts) if parts else "an argument or the input has"
        decisive = JUDGING_PARTS if run.first_failure is None else (*JUDGING_PARTS, "fallback")
        return in_words([part for part in parts if part in decisive])


@frozen
class Rerun:
    """Gives the outcome that a run had: a Runner that asks nobody."""

    _outputs: Outputs
    _trial: Trial
    _index: int

    async def run(self, job: Job, given: Input, showing: Showing | None = None) -> Run:
        """Return the run, its output as it was; raises as `Outputs.run_of` does."""
        entry = self._outputs.run_of(self._trial, self._index)
        usage = Usage(entry.prompt_tokens, entry.completion_tokens)
        reply = Reply(entry.output or "", entry.finish_reason, entry.server_model, usage, entry.system_fingerprint)
        return Run(
            outcome=_outcome(entry, job.recipe),
            printed="",  # which only a command that is run has a use for
            backend=job.recipe.target.backend.spec.id,
            request=entry.request,
            answered=Answered(reply, 0.0, is_replayed=True),
            first_failure=entry.first_failure,
        )

    async def converse(self, target: Target, messages: Sequence[Message]) -> Run:
        """Refuse: a record has no answers to questions."""
        raise NotRecordedError(f"nobody is asked, and so not the model '{target.id}'")


def _outcome(entry: RunEntry, recipe: Recipe) -> Outcome:
    output: object = MISSING if entry.output is None else entry.output
    if entry.output is not None and recipe.format == "json":
        try:
            output = jsontext.parse(entry.output)
        except jsontext.JsonTextError as error:
            raise NotRecordedError(f"its output in the record is not JSON: {error}") from None
    return Outcome(
        exit_code=entry.exit_code,
        format=recipe.format,
        output=output,
        written=entry.output,
        reasons=entry.reasons,
        finish_reason=entry.finish_reason,
        model_requested=entry.model,
        model_answered=entry.model_answered or entry.model,
        duration_ms=entry.duration_ms,
        prompt_tokens=entry.prompt_tokens,
        completion_tokens=entry.completion_tokens,
    )


def first_question(suite: Suite) -> str | None:
    """Return which case of a suite has an expectation that asks somebody, and which expectation that is."""
    asking = ((trial, bound) for trial in suite.trials for bound in trial.expectations.everyone)
    return next(
        (
            f"{shown_path(trial.path)}: '{bound.key}'"
            for trial, bound in asking
            if bound.models_asked or bound.commands_asked
        ),
        None,
    )
