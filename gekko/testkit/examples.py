"""An example of a key, and what is judged at each place where the key can stand."""

import json
from collections.abc import Iterable, Mapping

from attrs import field, frozen

from gekko.checks.checker import AskReply, Place
from gekko.checks.outcome import MISSING, Format, Outcome


@frozen
class Example:
    """A value of the key, as TOML's reader gives it, with outputs that satisfy it and outputs that do not.

    An output is a string or a JSON value; MISSING, for a place that is not there or a rejected answer; or a whole
    Outcome. Each is judged at every place of the class where it can occur: no text command's output is a number.
    *key* is the key as it is written, where it is not the entry's name: "/category". *files* stand next to the case,
    and *replies* are given in turn to whatever `judge` asks, from the first again for each output.
    """

    value: object
    holds: tuple[object, ...] = field(default=(), converter=tuple[object, ...])
    fails: tuple[object, ...] = field(default=(), converter=tuple[object, ...])
    key: str = field(default="", kw_only=True)
    output_schema: object = field(default=None, kw_only=True)
    files: Mapping[str, str | bytes] = field(factory=dict, kw_only=True)
    replies: tuple[AskReply, ...] = field(default=(), converter=tuple[AskReply, ...], kw_only=True)


@frozen
class Subject:
    """What `judge` is given: a value and the outcome to which it belongs."""

    value: object
    outcome: Outcome


def subjects(outputs: Iterable[object], place: Place, output_format: Format) -> list[Subject]:
    """Return what is judged at *place* for each of *outputs* that a command of this format can have."""
    made = (_subject(output, place, output_format) for output in outputs)
    return [subject for subject in made if subject is not None]


def _subject(output: object, place: Place, output_format: Format) -> Subject | None:
    if isinstance(output, Outcome):
        return Subject(output.output, output) if output.format == output_format else None
    if output is MISSING:
        # Inside `is`, a place is missing from an answer that was accepted.
        accepted = Outcome(0, output_format, output={}, written="{}")
        return Subject(MISSING, accepted if place is Place.VALUE else Outcome(4, output_format, reasons=("rejected",)))
    if output_format == "json":
        return Subject(output, Outcome(0, "json", output=output, written=json.dumps(output, separators=(",", ":"))))
    return Subject(output, Outcome(0, "text", output=output, written=output)) if isinstance(output, str) else None
