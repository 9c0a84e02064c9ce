"""What somebody may have meant who named on the command line what is not there."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from gekko.locations import shown_path
from gekko.sources.listing import CASE_SUFFIX, CaseKey, CommandPath
from gekko.wording import did_you_mean


def case_hint(words: CommandPath, cases: Mapping[CaseKey, Path]) -> str:
    """Return how a case is selected that *words*, one or more, name as if it were a command; of a slip, the nearest.

    *cases* are all that are configured, each with its file. Where nothing is near the hint is empty.
    """
    *command, last = words
    names = {name: path for (tested, name), path in cases.items() if tested == tuple(command)}
    case = last.removesuffix(CASE_SUFFIX)
    if case not in names:
        return did_you_mean(case, names)
    by_file = shlex.join(("gko", "config", "test", shown_path(names[case])))
    by_name = shlex.join(("gko", "config", "test", *command, "--case", case))
    return f"it is a case of '{' '.join(command)}': `{by_file}`, or `{by_name}`"
