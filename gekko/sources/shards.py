"""Which part of all cases one of several machines takes."""

import re
from typing import Final, Self

from attrs import frozen

from gekko.sources.files import digest
from gekko.sources.listing import CaseKey
from gekko.wording import one_of

WRITTEN: Final = re.compile("([0-9]{1,9})/([0-9]{1,9})")


@frozen
class Shard:
    """One of *count* parts of all cases, counted from 1; where a case belongs depends on nothing but its name."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the part that is written as "2/4".

        Raises:
            ValueError: there is no such part; the message says what is accepted.
        """
        found = WRITTEN.fullmatch(text)
        index, count = map(int, found.groups()) if found else (0, 0)
        if not 1 <= index <= count:
            raise ValueError(f"expected I/N, such as 1/4, with I from 1 to N, found {one_of([text])}")
        return cls(index, count)

    def holds(self, key: CaseKey) -> bool:
        """Return whether a case belongs to this part; all models of a case do, or none."""
        words, name = key
        # Not hash(), which is another one in each process.
        return int(digest("/".join((*words, name)).encode()).sha256, 16) % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
