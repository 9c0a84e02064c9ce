"""What a text with placeholders stands for: found, checked, and rendered once."""

import re
from collections.abc import Collection, Mapping

from attrs import field, frozen

from gekko.wording import cut, did_you_mean, one_of

FORMS: Mapping[str, str] = {
    "input": "{{ input }}",
    "args": "{{ args.NAME }}",
    "env": "{{ env.NAME }}",
    "schemas": "{{ schemas.ID }}",
    "partials": "{{ partials.ID }}",
    "backend": "{{ backend.port }}",
}
"""Every kind of placeholder, and how it is written."""

IN_COMMANDS = FORMS.keys() - {"backend"}
"""The kinds that can stand in a command file."""

_BARE = (re.compile(r"[A-Za-z0-9_-]+"), "a name consists of letters, digits, '_' and '-'")
NAMES = {
    "args": (re.compile(r"[A-Za-z][A-Za-z0-9_-]*"), "a name consists of letters, digits, '_' and '-', a letter first"),
    "env": (re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), "a name consists of letters, digits and '_', no digit first"),
    "schemas": _BARE,
    "partials": _BARE,
    "backend": (re.compile("port"), f"expected '{FORMS['backend']}'"),
}

# The two braces nearest to what they enclose: in "{{{ input }}}" the outer ones are text, and so are the first two in
# "{{ {{ input }}". Possessive, for a text of megabytes must not be kept for going back.
CLOSED = re.compile(r"\{\{(?!\{)((?:[^{}]++|\{(?!\{)|\}(?!\}))*+)\}\}")


@frozen(cache_hash=True)
class Placeholder:
    """A place for a text that is known later; equal to any other for the same text, wherever it stands."""

    kind: str
    name: str = ""
    offset: int = field(default=0, eq=False)

    def __str__(self) -> str:
        return f"{{{{ {self.kind}.{self.name} }}}}" if self.name else f"{{{{ {self.kind} }}}}"


@frozen
class TemplateProblem:
    """A placeholder that stands for nothing: at which character, what was found, what is accepted."""

    offset: int
    problem: str
    hint: str


@frozen
class Template:
    """Texts and placeholders in turn."""

    parts: tuple[str | Placeholder, ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All placeholders, in order, repetitions included."""
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    def render(self, values: Mapping[Placeholder, str]) -> str:
        """Return the text with a value for each placeholder; what a value holds is never taken for a placeholder.

        Raises:
            KeyError: a placeholder has no value.
        """
        return "".join([part if isinstance(part, str) else values[part] for part in self.parts])


def parse(text: str, allowed: Collection[str] = FORMS.keys()) -> tuple[Template, tuple[TemplateProblem, ...]]:
    """Return the template in *text*, and every closed placeholder that is none of the *allowed* kinds.

    A placeholder is whatever stands between two pairs of braces; white space and line ends are free there. An
    unclosed pair is text. Whether a name is declared is for the caller to say.
    """
    parts: list[str | Placeholder] = []
    problems: list[TemplateProblem] = []
    end = 0
    for match in CLOSED.finditer(text):
        found = _understood(match[1].strip(), match.start(), allowed)
        if isinstance(found, TemplateProblem):
            problems.append(found)
            continue
        parts += [text[end : match.start()], found]
        end = match.end()
    parts.append(text[end:])
    return Template(tuple(part for part in parts if part != "")), tuple(problems)


def first_placeholder(text: str) -> int | None:
    """Return the offset of the first closed pair of braces in *text*, whatever it encloses; None without one."""
    match = CLOSED.search(text)
    return match.start() if match else None


def _understood(content: str, offset: int, allowed: Collection[str]) -> Placeholder | TemplateProblem:
    kind, dot, name = (part.strip() for part in content.partition("."))
    if problem := _problem(kind, dot, name, allowed):
        found, hint = problem
        return TemplateProblem(offset, f"'{{{{ {_shown(content)} }}}}': {found}", hint)
    return Placeholder(kind, name, offset)


def _problem(kind: str, dot: str, name: str, allowed: Collection[str]) -> tuple[str, str] | None:
    """Return what is wrong with a placeholder and what would be right, or None where nothing is."""
    accepted = f"accepted here: {one_of((FORMS[kind] for kind in FORMS if kind in allowed), conjunction='and')}"
    if kind not in FORMS:
        return "unknown placeholder", did_you_mean(kind, allowed) or accepted
    if kind not in allowed:
        return "this placeholder cannot stand here", accepted
    if kind not in NAMES:
        return (f"'{kind}' takes no name", f"expected '{FORMS[kind]}'") if dot else None
    pattern, accepted_names = NAMES[kind]
    if not name:
        return "the name is missing", f"expected '{FORMS[kind]}'"
    return None if pattern.fullmatch(name) else ("not a name", accepted_names)


def _shown(content: str) -> str:
    text = cut(" ".join(content.split()), 60)
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
