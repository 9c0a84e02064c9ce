"""Reports for people: aligned columns, and under each failed row why it failed and where that is asked for."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import combining, east_asian_width

from gekko.locations import Location
from gekko.wording import counted

if TYPE_CHECKING:
    from gekko.plan.rehearsal import Rehearsal
    from gekko.run.events import CaseResult

HEADER = ("COMMAND", "CASE", "RESULT", "DURATION")

GAP = "  "

GREEN, RED, DIM, BOLD = "32", "31", "2", "1"

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


def result_table(results: "Sequence[CaseResult]", paint: Paint, locate: Locate) -> str:
    """Return the report of a suite: a row for each case, and the reasons of a failure under its row."""
    aligned = columns([HEADER, *map(_cells, results)], right_aligned=(3,))
    lines = [paint(GAP.join(next(aligned)).rstrip(), BOLD)]
    for result, cells in zip(results, aligned, strict=True):
        colour = GREEN if result.has_passed else RED
        lines.append(GAP.join((*cells[:2], paint(cells[2], colour), cells[3])).rstrip())
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


def summary(results: "Sequence[CaseResult]", seconds: float) -> str:
    """Return one line that says how a suite went."""
    failed = sum(not result.has_passed for result in results)
    passed = len(results) - failed
    verdict = f"{passed} passed" + (f", {failed} failed" if failed else "")
    return f"{counted(len(results), 'case')}: {verdict}, in {seconds:.1f} s"


def failures(results: "Sequence[CaseResult]") -> str:
    """Return "3 of 12 cases failed"."""
    failed = sum(not result.has_passed for result in results)
    return f"{failed} of {counted(len(results), 'case')} failed"


def duration(milliseconds: int) -> str:
    """Return a duration as people read it: "85 ms", "1.52 s"."""
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
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text if not combining(char))


def _cells(result: "CaseResult") -> tuple[str, ...]:
    return result.command, result.case, "pass" if result.has_passed else "fail", duration(result.duration_ms)


def _reasons(result: "CaseResult", paint: Paint, locate: Locate) -> list[str]:
    if result.has_passed:
        return []
    lines = [] if result.runs == 1 else [f"  {result.failed_runs} of {result.runs} runs failed"]
    for reason in result.reasons:
        lines.append(f"  {_indented(reason.text)}")
        lines.append("    " + paint(f"at {locate(result, reason.key)}", DIM))
    return lines


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
