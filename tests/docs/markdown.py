"""What a page of the documentation consists of, as far as it can be checked: headings, links, and fenced blocks."""

import re
from pathlib import Path
from typing import Final

from attrs import frozen

ROOT: Final = Path(__file__).parents[2]

PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

FENCED: Final = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

NAMED: Final = re.compile(r"`(?P<path>[\w./-]+\.[a-z]+)`")
"""A paragraph that begins so says to which file the block after it belongs."""

HEADING: Final = re.compile(r"^(?P<level>#+) (?P<title>.+)$", re.MULTILINE)

LINK: Final = re.compile(r"(?<!`)\[[^\]\n]+\]\((?P<target>[^)\s]+)\)")


@frozen
class Block:
    """A fenced block: its language, the further words of its info string, its text, and the line it begins on.

    *path* is the file that it shows, as the paragraph before it says, relative to the project folder.
    """

    language: str
    words: frozenset[str]
    text: str
    line: int
    path: str | None


def blocks(page: str) -> tuple[Block, ...]:
    """Return the fenced blocks of a page, in order."""
    return tuple(_block(page, match) for match in FENCED.finditer(page))


def _block(page: str, match: re.Match[str]) -> Block:
    language, *words = match["info"].split() or [""]
    named = NAMED.match(_paragraph_before(page, match.start()))
    shows_file = language not in ("console", "sh")
    path = named["path"] if named and shows_file else None
    line = page.count("\n", 0, match.start()) + 1
    return Block(language, frozenset(words), match["text"], line, path)


def _paragraph_before(page: str, offset: int) -> str:
    return page[:offset].rstrip().rpartition("\n\n")[2]


def without_blocks(page: str) -> str:
    """Return the prose of a page."""
    return FENCED.sub("", page)


def headings(page: str) -> tuple[str, ...]:
    """Return the titles of a page's sections, as written."""
    return tuple(match["title"] for match in HEADING.finditer(without_blocks(page)))


def anchor(title: str) -> str:
    """Return the fragment under which a section is linked to: the rule of GitHub and of most who render Markdown."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def links(page: str) -> tuple[str, ...]:
    """Return the targets of all links."""
    return tuple(match["target"] for match in LINK.finditer(without_blocks(page)))


def tables(page: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the cells of the first table of each section, by the section's title; the header is left out."""
    prose = without_blocks(page)
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    starts = [*HEADING.finditer(prose)]
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        section = prose[start.end() : following.start() if following else len(prose)]
        if table := re.search(r"(?:^\|.*\n)+", section, re.MULTILINE):
            rows = table[0].splitlines()[2:]
            found[start["title"]] = tuple(tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows)
    return found
