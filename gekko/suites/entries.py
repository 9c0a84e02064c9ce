"""What happens in a suite, as the lines of its record."""

from collections.abc import Iterable
from typing import Final

from gekko.plan.selection import Selection
from gekko.plan.trials import Trial
from gekko.record.entries import CaseEntry, ErrorEntry, Invocation, Miss, RunEntry, now_ms
from gekko.run.asking import NoAnswerError
from gekko.run.execute import Run
from gekko.sources.files import digest

SAID_CHARACTERS: Final = 200
"""A server may say anything in the place of a name."""


def invocation(
    selection: Selection, *, fails_on_flaky: bool = False, replays: bool = False, records: bool = False
) -> Invocation:
    """Return what was asked for, as the first line of a record says it."""
    return Invocation(
        words=selection.words,
        files=tuple(map(str, selection.files)),
        models=selection.models,
        cases=selection.cases,
        tags=selection.tags,
        shard=None if selection.shard is None else str(selection.shard),
        failed=selection.addresses is not None,
        changed=None if selection.since is None else selection.since.ref,
        repeat=selection.repeat,
        fail_on_flaky=fails_on_flaky,
        replay=replays,
        record=records,
    )


def case_entry(trial: Trial, asked: str | None = None) -> CaseEntry:
    """Return the line of a case that is to be run; *asked* is the digest of what its expectations ask."""
    command, case, model = trial.address
    return CaseEntry(
        command=command,
        case=case,
        model=model,
        file=trial.file,
        expects_at=trial.expects_at,
        definition=trial.definition,
        asked=asked,
        runs=trial.runs,
        needed=trial.needed,
        xfail=trial.xfail,
        tags=trial.tags,
    )


def run_entry(trial: Trial, index: int, run: Run, mismatches: Iterable[Miss], other_retries: int = 0) -> RunEntry:
    """Return the line of a run that was judged; no mismatches mean that it passed.

    *other_retries* are those of what was asked for its sake.
    """
    command, case, model = trial.address
    outcome, reply = run.outcome, run.answered.reply
    missed = tuple(mismatches)
    return RunEntry(
        command=command,
        case=case,
        model=model,
        run=index,
        result="fail" if missed else "pass",
        exit_code=0 if outcome.exit_code == 0 else 4,
        request=run.request,
        definition=trial.definition,
        output=outcome.written,
        output_digest=None if outcome.written is None else digest(outcome.written.encode()).sha256,
        reasons=outcome.reasons,
        mismatches=missed,
        timestamp_ms=now_ms(),
        duration_ms=round(outcome.duration_ms, 3),
        prompt_tokens=outcome.prompt_tokens,
        completion_tokens=outcome.completion_tokens,
        finish_reason=_cut(outcome.finish_reason),
        retries=run.answered.retries + other_retries,
        model_answered=outcome.model_answered if run.is_from_fallback else None,
        first_failure=run.first_failure,
        server_model=_cut(reply.model),
        system_fingerprint=_cut(reply.fingerprint),
        replayed=run.answered.is_replayed,
    )


def error_entry(trial: Trial, index: int, error: NoAnswerError, other_retries: int = 0) -> ErrorEntry:
    """Return the line of a run that got no answer; *other_retries* are those of requests that got one."""
    command, case, model = trial.address
    return ErrorEntry(
        command=command,
        case=case,
        model=model,
        run=index,
        message=str(error),
        timestamp_ms=now_ms(),
        duration_ms=round(error.duration_ms, 3),
        retries=error.retries + other_retries,
        replayed=not error.has_asked,
    )


def _cut(said: str | None) -> str | None:
    return said and said[:SAID_CHARACTERS]
