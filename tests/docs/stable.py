"""What may differ between a page and a run of it, and nothing else."""

import re
from typing import Final

VARYING: Final = (
    # How long something took: the last column of a report, whose width varies, and a number in JSON.
    (re.compile(r" +\d+(?: ms|\.\d\d s)$", re.MULTILINE), "  <duration>"),
    (re.compile(r'("(?:duration_ms|median_ms|p95_ms|timestamp_ms)": ?)\d+'), r"\1<number>"),
    # When a suite began that goes on.
    (re.compile(r"(\bof )\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), r"\1<time>"),
    # gko's own version, in a sentence, in JSON and in a table.
    (re.compile(r'(\bgko +|"version": ")\d+\.\d+\.\d+[\w.+-]*'), r"\1<version>"),
)


def stable(text: str) -> str:
    """Return *text* with a placeholder for each thing that may differ."""
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return text
