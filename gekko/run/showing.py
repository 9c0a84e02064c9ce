"""A text that is shown while it arrives, such that at the end there stands what the output contract makes of it."""

from collections.abc import Callable

from attrs import define, field

from gekko.jsontext import lone_surrogate
from gekko.run.contract import CLOSING, OPENING


@define
class Showing:
    """Writes a text piece by piece.

    White space is held back until something follows it, since the contract trims the text at both ends; so is a leading
    block of reasoning where *strip_reasoning* says that the contract takes it away.
    """

    write: Callable[[str], None]
    strip_reasoning: bool
    has_begun: bool = field(default=False, init=False)
    """Whether anything was written."""
    _held: str = field(default="", init=False)
    _has_ended: bool = field(default=False, init=False)
    _may_reason: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._may_reason = self.strip_reasoning

    def feed(self, piece: str) -> None:
        """Take the next piece of the text, and write what is certain to stay."""
        self._held += piece
        if self._may_reason and self._is_reasoning():
            return
        self._may_reason = False
        text = self._held if self.has_begun else self._held.lstrip()
        # Half of a surrogate pair cannot be written, and breaks the contract: nothing is certain from there on.
        lone = lone_surrogate(text)
        certain = text[: lone.start() if lone else None].rstrip()
        self._held = text[len(certain) :]
        if certain:
            self.has_begun = True
            self.write(certain)

    def end(self) -> None:
        """End the line of a text that was begun; once is enough."""
        if self.has_begun and not self._has_ended:
            self._has_ended = True
            self.write("\n")

    def forget(self) -> None:
        """Drop what is held back: another answer takes the place of this one, of which nothing was written."""
        self._held = ""
        self._may_reason = self.strip_reasoning

    def _is_reasoning(self) -> bool:
        """Whether the text so far is, or may become, a block of reasoning; one that is complete is dropped."""
        opening = self._held.lstrip()
        if not opening.startswith(OPENING):
            return OPENING.startswith(opening)
        _, closing, rest = opening.partition(CLOSING)
        if closing:
            self._held = rest
        return not closing
