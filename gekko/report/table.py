"""Reports for people: aligned columns, and under each failed row why it failed and where that is asked for."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias
from unicodedata import combining, east_asian_width

from attrs import frozen

from gekko.locations import Location
from gekko.report.rows import NONE, Extras
from gekko.wording import counted

if TYPE_CHECKING:
    from gekko.plan.rehearsal import Rehearsal
    from gekko.record.results import CaseResult, Result

GAP = "  "

UNKNOWN: Final = "-"
"""Stands for what nobody knows, which is no zero."""

GREEN, RED, YELLOW, DIM, BOLD = "32", "31", "33", "2", "1"

COLOURS = {"pass": GREEN, "fail": RED, "error": YELLOW, "xfail": DIM}

Paint: TypeAlias = Callable[[str, str], str]
"""Colours a text with an ANSI code, or leaves it as it is."""

Locate: TypeAlias = Callable[["CaseResult", str | None], Location]
"""Where in its file a case says what it expects of a key."""


def plain(text: str, _: str) -> str:
    """Return the text as it is."""
    return text


def coloured(text: str, code: str) -> str:
    """Return the text in a colour of the terminal."""
    return f"\x1b[{code}m{text}\x1b[0m"


def painter(*, has_colour: bool) -> Paint:
    """Return what paints a report, or leaves it plain."""
    return coloured if has_colour else plain


def result_table(results: "Sequence[CaseResult]", paint: Paint, locate: Locate, extras: Extras = NONE) -> str:
    """Return the report of a suite: a row for each case, and the reasons of a failure under its row."""
    shown = _columns(results, extras)
    aligned = columns(
        [[each.title for each in shown], *([each.cell(result) for each in shown] for result in results)],
        right_aligned=[index for index, each in enumerate(shown) if each.is_number],
    )
    verdict_at = [each.title for each in shown].index("RESULT")
    lines = [paint(GAP.join(next(aligned)).rstrip(), BOLD)]
    for result, cells in zip(results, aligned, strict=True):
        cells[verdict_at] = paint(cells[verdict_at], COLOURS[result.result])
        lines.append(GAP.join(cells).rstrip())
        lines += _reasons(result, paint, locate)
    return "\n".join(lines) + "\n"


def rehearsal_text(rehearsals: "Iterable[Rehearsal]", paint: Paint) -> str:
    """Return the messages of every case, each under its command, case and model."""
    blocks: list[str] = []
    for each in rehearsals:
        head = paint(f"{each.command} {each.case}", BOLD) + paint(f" (model {each.model})", DIM)
        file = [f"  file: {each.file}"] if each.file is not None else []
        spoken = [f"  {message.role}: {_indented(message.content)}" for message in each.messages]
        blocks.append("\n".join((head, *file, *spoken)) + "\n")
    return "\n".join(blocks)


def summary(results: "Sequence[CaseResult]", seconds: float | None = None) -> str:
    """Return one line that says how a suite went, and how long it took, where that is known."""
    told = f"{counted(len(results), 'case')}: {counts(results)}"
    return told if seconds is None else f"{told}, in {seconds:.1f} s"


def counts(results: "Sequence[CaseResult]") -> str:
    """Return "9 passed, 3 failed", and what else there was."""
    by_result = Counter(result.result for result in results)
    words: dict[Result, str] = {
        "pass": "passed",
        "fail": "failed",
        "error": "without an answer",
        "xfail": "failed as expected",
    }
    told = [f"{by_result[result]} {word}" for result, word in words.items() if by_result[result] or result == "pass"]
    flaky = sum(result.verdict == "flaky" for result in results)
    replayed = sum(result.duration_ms is None for result in results)
    saved = sum(result.saved_runs for result in results)
    retries = sum(result.retries for result in results)
    told += [f"{flaky} flaky"] if flaky else []
    told += [f"{replayed} replayed"] if replayed else []
    told += [f"{counted(saved, 'run')} saved"] if saved else []
    told += [counted(retries, "retry", "retries")] if retries else []
    return ", ".join(told)


def failure(result: "CaseResult", locate: Locate, *, has_models: bool) -> str:
    """Return that a case is not good, and why, as the report says it below its row."""
    model = f" (model {result.model})" if has_models else ""
    ended = "got no answer" if result.result == "error" else "failed"
    return "\n".join((f"{result.command} {result.case}{model} {ended}:", *_reasons(result, plain, locate)))


def failures(results: "Sequence[CaseResult]") -> str:
    """Return "3 of 12 cases failed", or how many of them were not judged."""
    by_result = Counter(result.result for result in results)
    of_all = f"of {counted(len(results), 'case')}"
    told = [f"{by_result['fail']} {of_all} failed"] if by_result["fail"] else []
    told += [f"{by_result['error']} {of_all} got no answer"] if by_result["error"] else []
    return ", ".join(told)


def count(number: int | None) -> str:
    """Return a number of tokens or the like."""
    return UNKNOWN if number is None else str(number)


def duration(milliseconds: int | None) -> str:
    """Return a duration as people read it: "85 ms", "1.52 s"."""
    if milliseconds is None:
        return UNKNOWN
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    return f"{milliseconds / 1000:.2f} s"


def columns(rows: Sequence[Sequence[str]], right_aligned: Collection[int] = ()) -> Iterator[list[str]]:
    """Yield each row with its cells padded to the width of their columns; some columns are aligned at their right."""
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        gaps = (" " * (widths[index] - width(cell)) for index, cell in enumerate(row))
        yield [
            gap + cell if index in right_aligned else cell + gap
            for index, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]


def aligned_text(rows: Sequence[Sequence[str]], right_aligned: Collection[int] = ()) -> str:
    """Return the rows as lines of aligned columns."""
    return "".join(f"{GAP.join(row).rstrip()}\n" for row in columns(rows, right_aligned))


def width(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text if not combining(char))


@frozen
class Column:
    """A column of the report."""

    title: str
    cell: "Callable[[CaseResult], str]"
    is_number: bool = False


def _columns(results: "Sequence[CaseResult]", extras: Extras) -> list[Column]:
    """Return the columns that everybody gets, and those that an option or a case asks for."""
    shown = [Column("COMMAND", lambda result: result.command), Column("CASE", lambda result: result.case)]
    if extras.model:
        shown.append(Column("MODEL", lambda result: result.model))
    shown.append(Column("RESULT", lambda result: result.result))
    if any(result.verdict is not None for result in results):
        shown.append(Column("PASSES", _passes, is_number=True))
        shown.append(Column("VERDICT", lambda result: result.verdict or ""))
    if extras.retries:
        shown.append(Column("RETRIES", lambda result: str(result.retries), is_number=True))
    shown.append(Column("DURATION", _duration, is_number=True))
    return shown


def _passes(result: "CaseResult") -> str:
    return "" if result.verdict is None else f"{result.passes}/{result.runs}"


def _duration(result: "CaseResult") -> str:
    return "replayed" if result.duration_ms is None else duration(result.duration_ms)


def _reasons(result: "CaseResult", paint: Paint, locate: Locate) -> list[str]:
    if result.is_plain and not result.saved_runs:
        return []
    lines = [] if result.headline is None else [f"  {result.headline}"]
    if result.saved_runs:
        lines.append(f"  {result.saved_runs} of {counted(result.planned, 'run')} not needed: the verdict was certain")
    for reason in result.reasons:
        lines.append(f"  {_indented(reason.text)}")
        lines.append("    " + paint(f"at {locate(result, reason.key)}", DIM))
    return lines


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
