"""The cases that a suite would run, as rows."""

from collections.abc import Sequence

from gekko.locations import shown_path
from gekko.plan.trials import Trial
from gekko.report.rows import Extras
from gekko.report.table import aligned_text


def trial_row(trial: Trial) -> dict[str, object]:
    """Return the row of one case with its model."""
    command, case, model = trial.address
    return {
        "command": command,
        "case": case,
        "model": model,
        "tags": trial.tags,
        "runs": trial.runs,
        "file": str(trial.path.absolute()),
    }


def trial_table(trials: Sequence[Trial], extras: Extras) -> str:
    """Return the cases as a table; the column of tags is there where a case has any."""
    is_tagged = any(trial.tags for trial in trials)
    titles = ("COMMAND", "CASE", *(["MODEL"] if extras.model else []), *(["TAGS"] if is_tagged else []), "FILE")
    return aligned_text([titles, *(_cells(trial, extras, is_tagged=is_tagged) for trial in trials)])


def _cells(trial: Trial, extras: Extras, *, is_tagged: bool) -> list[str]:
    command, case, model = trial.address
    models = [model] if extras.model else []
    tags = [", ".join(trial.tags) or "-"] if is_tagged else []
    return [command, case, *models, *tags, shown_path(trial.path)]
