"""Which class answers for which expectation key: entry points, their owners, and their conflicts."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from attrs import field, frozen

from gekko.checks.checker import API, Checker, Place
from gekko.checks.ending import Ending
from gekko.checks.fragments import FragmentError, validator_of
from gekko.checks.outcome import FORMATS
from gekko.wording import cut, did_you_mean, printable

GROUP: Final = "gekko.expectations"

POINTERS: Final = "/pointer"
"""The entry that answers for every key that begins with "/"."""

BUGS: Final = BaseException
"""What may come out of a checker's code: its own fault, whatever it is; `raised` lets pass what is not."""

REASON_CHARACTERS: Final = 1000
"""What a checker raises is cut to this many characters: it may quote a whole answer."""


def raised(error: BaseException) -> str:
    """Return what a checker's code did instead of returning: "raised KeyError: 'confidence'".

    Raises:
        Ending: *error* is none of the checker's doing, and is raised again.
    """
    if isinstance(error, Ending):
        raise error
    try:
        told = _told(error)
    except BUGS as another:  # what an exception says of itself may be the checker's code as well
        told = f"raised {type(error).__name__}, and cannot say why: that {raised(another)}"
    return printable(cut(told, REASON_CHARACTERS))


def _told(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"called sys.exit({error.code!r})"
    return f"raised {type(error).__name__}: {error}".removesuffix(": ")


class CheckerError(Exception):
    """A registered key has no usable checker; the message names key, distribution and reason."""


@frozen
class Claim:
    """A key and the entry points that claim it: one, unless distributions are in conflict."""

    key: str
    entries: tuple[EntryPoint, ...]

    @property
    def distribution(self) -> str:
        """The name of the distribution that answers for the key, or all names where several claim it."""
        return ", ".join(dict.fromkeys(_distribution(entry) for entry in self.entries))

    @property
    def version(self) -> str:
        """The version of that distribution, or all versions in the same order."""
        return ", ".join(dict.fromkeys(_version(entry) for entry in self.entries))

    def __str__(self) -> str:
        return f"'{self.key}' of {self.distribution} {self.version}"


@frozen
class Registry:
    """Every claim, by key; classes are imported one by one, when they are asked for."""

    claims: Sequence[Claim]
    _loaded: dict[str, type[Checker] | CheckerError] = field(factory=dict, init=False, eq=False, repr=False)

    @cached_property
    def _by_key(self) -> dict[str, Claim]:
        return {claim.key: claim for claim in self.claims}

    def find(self, key: str) -> Claim | None:
        """Return who answers for *key* as written in a case, or None where nobody does."""
        return self._by_key.get(POINTERS if key.startswith("/") else key)

    def has(self, name: str) -> bool:
        """Return whether an expectation of that very name is registered; the pointers have no names."""
        return name != POINTERS and name in self._by_key

    def load(self, claim: Claim) -> type[Checker]:
        """Return the checker class, importing it at the first call.

        Raises:
            CheckerError: several entries claim the key, or the class cannot be used.
        """
        if claim.key not in self._loaded:
            try:
                self._loaded[claim.key] = _load(claim)
            except CheckerError as error:
                self._loaded[claim.key] = error
        found = self._loaded[claim.key]
        if isinstance(found, CheckerError):
            raise found
        return found

    def suggestion(self, key: str, place: Place) -> str:
        """Return what to say of a *key* that nobody registered: the nearest name, and that a plug-in may be missing."""
        # Without importing anything, which places a key serves is unknown; a slip is a slip all the same.
        near = did_you_mean(key, (claim.key for claim in self.claims if claim.key != POINTERS))
        accepted = "a comparison" if place is Place.VALUE else "an expectation"
        return near or f"no installed distribution registers {accepted} of that name; is a plug-in missing?"


def discover() -> Registry:
    """Return the registry of this environment; reads metadata only, and imports nothing."""
    return registry_of(entry_points(group=GROUP))


def registry_of(entries: Iterable[EntryPoint]) -> Registry:
    """Return the registry of these entry points, whatever their order."""
    owners: defaultdict[str, list[EntryPoint]] = defaultdict(list)
    for entry in entries:
        owners[entry.name].append(entry)
    return Registry(tuple(Claim(key, tuple(sorted(owners[key], key=_order))) for key in sorted(owners)))


def unusable(key: str, candidate: object) -> str | None:
    """Return why *candidate* cannot answer for *key*, or None where it can."""
    if reason := undeclared(key, candidate):
        return reason
    try:
        validator_of(cast("type[Checker]", candidate))
    except FragmentError as error:
        return f"its fragment {error}"
    return None


def undeclared(key: str, candidate: object) -> str | None:
    """Return what *candidate* does not declare as a checker of *key* must, or None; its fragment is not looked into."""
    if not isinstance(candidate, type) or not issubclass(candidate, Checker):
        return f"{candidate!r} is not a subclass of gekko.Checker"
    if candidate.api != API:
        return f"it was written for version {candidate.api!r} of the checker API, and this gko speaks version {API}"
    if candidate.judge is Checker.judge:
        return "it does not override judge()"
    return _misdeclared(key, candidate)


def _misdeclared(key: str, checker: type[Checker]) -> str | None:
    places: object = checker.places
    formats: object = checker.formats
    if not isinstance(places, frozenset) or not places or not all(isinstance(place, Place) for place in places):
        return f"its places must be a non-empty frozenset of Place, not {places!r}"
    if not isinstance(formats, frozenset) or not formats or not formats <= FORMATS:
        return f"its formats must be a non-empty subset of {sorted(FORMATS)}, not {formats!r}"
    fragment: object = checker.fragment
    if not isinstance(fragment, dict):
        return f"its fragment must be a JSON Schema as a dict, not {fragment!r}"
    # With -OO the interpreter has no docstrings at all, which is nobody's fault.
    if not summary(checker) and sys.flags.optimize < 2:
        return "it has no docstring"
    if (key == POINTERS) != (places == {Place.POINTER}):
        return f"the place 'pointer' belongs to the entry '{POINTERS}', which serves no other"
    if key != POINTERS and not re.fullmatch(r"[^\s/.][^\s]*", key):
        return f"a key is printable, has no white space and does not begin with '/', unlike {key!r}"
    return None


def summary(checker: type[Checker]) -> str:
    """Return the first line of the class's own docstring."""
    lines = (checker.__dict__.get("__doc__") or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def _load(claim: Claim) -> type[Checker]:
    if len(claim.entries) > 1:
        names = [_distribution(entry) for entry in claim.entries]
        who = f"{names[0]} registers it twice" if len(set(names)) == 1 else f"{' and '.join(names)} all register it"
        raise CheckerError(f"the expectation '{claim.key}' is ambiguous: {who}; uninstall all but one")
    try:
        candidate = claim.entries[0].load()
        reason = unusable(claim.key, candidate)
    except BUGS as error:
        # A plug-in's module can raise anything while it is imported; none of it may end the program.
        raise CheckerError(f"the expectation {claim} cannot be imported: it {raised(error)}") from error
    if reason:
        raise CheckerError(f"the expectation {claim} cannot be used: {reason}")
    loaded: type[Checker] = candidate
    return loaded


# An installation that was cut short leaves metadata in which both are None, whatever their types say.
def _distribution(entry: EntryPoint) -> str:
    return (entry.dist and entry.dist.name) or "an unnamed distribution"


def _version(entry: EntryPoint) -> str:
    return (entry.dist and entry.dist.version) or "unknown"


def _order(entry: EntryPoint) -> tuple[str, str]:
    return _distribution(entry), entry.value
