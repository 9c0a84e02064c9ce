"""What a file was surely meant to be, whatever it is called and wherever it is: told by what stands in it."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from attrs import frozen

from gekko import limits
from gekko.sources.files import FileProblem, mode, read_bytes

Kind: TypeAlias = Literal["backends", "models", "commands", "tests"]
"""The folder of a scope that its files belong in."""


def _key(name: str) -> re.Pattern[bytes]:
    """Return what finds a key of TOML, YAML or JSON whose value is a text; in the schema of a model it is a table."""
    return re.compile(rb"(?:^|[{,])[ \t]*[\"']?%s[\"']?[ \t]*[=:][ \t]*[\"'\w]" % name.encode(), re.MULTILINE)


@frozen
class Habit:
    """How the files of a kind are called, what people call them by mistake, and by what their text is known.

    *slips* are suffixes, in small letters; the right one stands among them for the sake of `.TOML`.
    """

    suffix: str
    slips: tuple[str, ...]
    marks: tuple[re.Pattern[bytes], ...]

    def name(self, name: str) -> str | None:
        """Return what a file called *name* would have to be called, or None where its suffix was surely meant."""
        if "." not in name:
            return name + self.suffix
        folded = name.lower()
        slip = max((each for each in self.slips if folded.endswith(each)), key=len, default=None)
        return None if slip is None else name[: -len(slip)] + self.suffix


TOML_SLIPS: Final = (".toml", ".tml", ".tom", ".tolm", ".tmol", ".toml.txt")
OTHER_NOTATIONS: Final = (".yaml", ".yml", ".json")
MARKDOWN_SLIPS: Final = (".md", ".markdown", ".mdown", ".mkd", ".md.txt")

TYPE: Final = re.compile(
    rb"(?:^|[{,])[ \t]*[\"']?type[\"']?[ \t]*[=:][ \t]*[\"']?(?:openai-compatible|embedded)\b", re.MULTILINE
)
FRONT_MATTER: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
MODEL: Final = re.compile(rb"^[ \t]*model[ \t]*=", re.MULTILINE)  # which YAML, as of a blog's page, cannot have
EXPECT: Final = re.compile(rb"^[ \t]*(?:\[[ \t]*expect[ \t]*\]|expect[ \t]*[.=])", re.MULTILINE)

HABITS: Final[Mapping[Kind, Habit]] = {
    "backends": Habit(".toml", TOML_SLIPS + OTHER_NOTATIONS, (TYPE,)),
    "models": Habit(".toml", TOML_SLIPS + OTHER_NOTATIONS, (_key("backend"), _key("operation"))),
    "commands": Habit(".md", MARKDOWN_SLIPS, (FRONT_MATTER, MODEL)),
    "tests": Habit(".toml", TOML_SLIPS, (EXPECT,)),
}

KINDS: Final = tuple(HABITS)


@frozen
class Likeness:
    """What a file reads like, and what it would then have to be called."""

    kind: Kind
    name: str


def likeness(path: Path, kinds: Collection[Kind] = KINDS) -> Likeness | None:
    """Return which of *kinds* the file at *path* reads like; it is opened only where its name leaves that open.

    A name with anything but a known slip at its end, such as `a.toml.bak`, was chosen to be passed over; and so was
    `a.yaml` beside an `a.toml`.
    """
    names = {
        kind: name
        for kind in kinds
        if (name := HABITS[kind].name(path.name)) is not None and not _is_other_file(path.with_name(name), path)
    }
    if not names:
        return None
    try:
        text = read_bytes(path, limits.SPEC_FILE_BYTES)
    except FileProblem:
        return None
    alike = (kind for kind in names if all(mark.search(text) for mark in HABITS[kind].marks))
    return next((Likeness(kind, names[kind]) for kind in alike), None)


def _is_other_file(right: Path, path: Path) -> bool:
    # Where letter case does not count, a.toml is there as soon as a.TOML is.
    return right != path and mode(right) is not None and not right.samefile(path)
