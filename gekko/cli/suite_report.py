"""The report of a suite and its exit code, whether it has just been run or was recorded."""

from collections.abc import Sequence

from gekko.cli.exits import Exit
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.errors import BackendError, Issue, OutputError
from gekko.locations import Location
from gekko.record.results import CaseResult
from gekko.report.by_model import ByModel
from gekko.report.rows import Extras, json_rows, result_row
from gekko.report.table import failures, painter, result_table
from gekko.sources.document import pinpoint
from gekko.wording import counted


def write_report(
    session: Session,
    results: Sequence[CaseResult],
    extras: Extras,
    by_model: ByModel | None = None,
    *,
    as_json: bool,
) -> None:
    """Write the rows of all cases to stdout; for people, with a table of the models below, where there are several."""
    if as_json:
        write_result(json_rows(result_row(result, extras) for result in results))
        return
    paint = painter(has_colour=session.has_colour)
    report = result_table(results, paint, place_of, extras)
    write_result(f"{report}\n{by_model.table(results, paint)}" if by_model is not None and results else report)


def verdict(results: Sequence[CaseResult]) -> Exit:
    """Return the exit code that results come to: a failure is worse than a case without an answer."""
    found = {result.result for result in results}
    if "fail" in found:
        return Exit.OUTPUT
    return Exit.BACKEND if "error" in found else Exit.SUCCESS


def complain(session: Session, results: Sequence[CaseResult], unjudged: int = 0) -> None:
    """Say in one line on stderr that not all is well, where that is so."""
    code = verdict(results)
    if code is Exit.SUCCESS:
        return
    bad = {result: sum(each.result == result for each in results) for result in ("fail", "error")}
    facts = {"exit_code": int(code), "failed": bad["fail"], "cases": len(results)}
    if bad["error"]:
        facts["errors"] = bad["error"]
    if unjudged:
        facts["not_run"] = unjudged
    kind = OutputError.kind if code is Exit.OUTPUT else BackendError.kind
    text = failures(results) + (f"; {stopped_early(unjudged)}" if unjudged else "")
    session.utter(kind, text, **facts)


def stopped_early(unjudged: int) -> str:
    """Return the words for cases that were left out."""
    return f"stopped there, {counted(unjudged, 'case')} not run"


def fallback_text(title: str, asked: str, answered: str | None, failure: str | None) -> str:
    """Return the warning that a verdict is on another model than the one that was to be tested."""
    return f"{title}: '{asked}' failed, and its fallback '{answered}' answered: {failure}"


def place_of(result: CaseResult, key: str | None) -> Location:
    """Return where in its file a case says what it expects of a key."""
    where = Location(result.path, (*result.expects_at,) if key is None else (*result.expects_at, key))
    return pinpoint([Issue(where, "")])[0].where
