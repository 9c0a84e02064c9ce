"""Why a key cannot stand where it stands in a case, and where it or what was meant by it can."""

from collections.abc import Collection
from typing import Final, TypeAlias

from gekko.checks.checker import Checker, Place
from gekko.checks.outcome import Format
from gekko.checks.registry import POINTERS, Registry
from gekko.locations import key_text, quoted
from gekko.specs.belonging import misplaced
from gekko.specs.case import Case
from gekko.wording import did_you_mean, joined, one_of

Complaint: TypeAlias = tuple[str, str]
"""What is wrong, and a hint."""

FORM: Final = "is"
"""The key of a pointer's table below which comparisons stand."""

SLASH: Final = "a place in the document begins with a slash"


def unknown(key: str, place: Place, registry: Registry, output_format: Format, output_schema: object) -> Complaint:
    """Return what to say of a key that nobody registered."""
    if place is Place.VALUE:
        return "unknown comparison", registry.suggestion(key, place)
    members = _members(output_schema) if output_format == "json" else ()
    return "unknown expectation", _instead(key, registry, output_format, members)


def misfit(key: str, place: Place, checker_class: type[Checker], output_format: Format) -> Complaint | None:
    """Return what to say of a registered key where it cannot stand here, or None."""
    if place not in checker_class.places:
        if place is Place.VALUE:
            return f"'{key}' is not a comparison", "it stands in [expect] itself"
        return f"'{key}' is a comparison", f"it stands{_below_a_pointer(key_text([key]), output_format)}"
    # Inside of a pointer all is JSON, whatever the formats for which the key can stand in [expect].
    if place is Place.VALUE or output_format in checker_class.formats:
        return None
    fits = f"'{key}' is for {one_of(sorted(checker_class.formats))}"
    compares = f"of a string in the document it stands{_below_a_pointer(key_text([key]), output_format)}"
    is_at_hand = output_format == "json" and Place.VALUE in checker_class.places
    return f"the command's output format is '{output_format}'", joined(fits, compares if is_at_hand else "")


def _instead(key: str, registry: Registry, output_format: Format, members: Collection[str]) -> str:
    """Return what may be meant by a key of [expect] that nobody registered; *members* are some of the document's."""
    if key == FORM:
        return f"comparisons stand{_below_a_pointer('COMPARISON', output_format)}"
    if hint := misplaced(key, Case):
        return joined(hint, _slash_forgotten(key, members) if key in members else "")
    names = [claim.key for claim in registry.claims if claim.key != POINTERS]
    if key not in members and (slip := did_you_mean(key, names)):
        return slip
    if hint := _slash_forgotten(key, members):
        return hint
    # The empty key names no place: with a slash it would be the member whose name is empty.
    slash = f"{SLASH}: {quoted(f'/{key}')}" if key and output_format == "json" else ""
    return joined(slash, registry.suggestion(key, Place.EXPECT))


def _below_a_pointer(key: str, output_format: Format) -> str:
    among = "" if output_format == "json" else ", in a case of a command whose output is JSON,"
    return f'{among} below a pointer: "/place" = {{ is = {{ {key} = … }} }}'


def _slash_forgotten(key: str, members: Collection[str]) -> str:
    """Return the hint for a key that is a member of the document, or nearly, or nothing."""
    near = did_you_mean(f"/{key}", [f"/{member}" for member in members])
    return f"{near} {SLASH}, and needs quotes" if near else ""


def _members(schema: object) -> Collection[str]:
    """Return the names that an output schema gives to members of the document."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else ()
