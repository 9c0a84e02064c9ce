"""How many requests at a time pay: found by trying more, and fewer, and counting what is answered meanwhile."""

from typing import Final

from attrs import define, field

FIRST: Final = 4
"""So many at a time are certainly no burden, and enough to learn from."""

MOST: Final = 64
"""Beyond this, one process of Python is what keeps answers from coming faster."""

WORTH: Final = 1 / 3
"""Twice as many requests pay where they bring a third more answers; what is less may as well be chance."""

LOOKS: Final = 3
"""A trial has paid if it has after any of so many rounds: answers take very different times, and one says little."""

PATIENCE: Final = 16
"""After trials that did not pay, at most so many measurements go by until the next."""


@define
class Climb:
    """The number of requests at a time, as it is now; and what is known of the one that it was before.

    It doubles until that does not pay. From then on it goes up or down by a quarter now and then, and stays where it
    got as many answers as with more, or more than with fewer. A refusal that more requests brought about takes back
    those; one that came all the same halves the number.
    """

    _since: float
    """When the count of answers began."""
    limit: int = field(default=FIRST, init=False)
    _proven: int = field(default=FIRST, init=False)
    """The limit that a trial goes back to; where it is `limit`, no trial is under way."""
    _rate: float = field(default=0.0, init=False)
    """How many answers a second that one gets, 0 where it is not known."""
    _is_rising: bool = field(default=True, init=False)
    _is_doubling: bool = field(default=True, init=False)
    _patience: int = field(default=1, init=False)
    _idle_for: int = field(default=0, init=False)
    _answers: int = field(default=0, init=False)

    def restart(self, now: float) -> None:
        """Begin to count anew, at the time *now* in seconds."""
        self._since, self._answers = now, 0

    def answered(self, now: float, *, is_used: bool) -> None:
        """Take note of an answer. Where the limit *is_used* by fewer requests than it allows, nothing is learned."""
        if not is_used:
            self.restart(now)
            return
        self._answers += 1
        if self._answers % self.limit == 0 and now > self._since:
            self._look(self._answers // self.limit, self._answers / (now - self._since), now)

    def refused(self, now: float) -> None:
        """Take note that the backend has too much to do."""
        if self.limit > self._proven:
            self._take_back()
        else:
            self._proven = self.limit = max(1, self.limit // 2)
            self._rate = 0.0
            self._is_doubling = False
        self._is_rising = True
        self.restart(now)

    def _look(self, rounds: int, rate: float, now: float) -> None:
        """Draw conclusions from a number of whole rounds, if they allow any."""
        if self.limit == self._proven:
            if rounds < LOOKS - 1:
                return
            self._rate = (self._rate + rate) / 2 if self._rate else rate
            self._idle_for += 1
            if self._is_doubling or self._idle_for >= self._patience:
                self._try_another()
        elif rate >= self._rate * (1 + (self.limit / self._proven - 1) * WORTH):
            self._proven, self._rate, self._patience = self.limit, rate, 1
            self._try_another()
        elif rounds < LOOKS:
            return
        else:
            self._take_back()
        self.restart(now)

    def _try_another(self) -> None:
        self._idle_for = 0
        step = self.limit if self._is_doubling else max(1, self.limit // 4)
        self.limit = min(self.limit + step, MOST) if self._is_rising else max(1, self.limit - step)
        if self.limit == self._proven:  # there is no further to go
            self._take_back()

    def _take_back(self) -> None:
        self.limit = self._proven
        self._is_doubling = False
        self._is_rising = not self._is_rising
        self._idle_for = 0
        self._patience = min(PATIENCE, self._patience * 2)
