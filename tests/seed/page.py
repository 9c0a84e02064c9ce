"""The example of the page, and what comes out of a run."""

import json
from typing import Any, Final

from tests.project import Finished

ANSWER: Final = '{"category":"hardware","confidence":0.98}'

GIVEN: Final = 'args = { kind = "ticket" }\ninput = "The printer is on fire"'
"""What a case of `gko git review` is given."""

EXAMPLE: Final = """\
args = { kind = "ticket" }
input = { file = "hardware.txt" } # a file next to this case; or input = "inline text"

[expect]
exit_code = 0
"/category" = "hardware"
"/confidence" = { min = 0.8 }
"""
"""A case, letter by letter as the page prints it."""


def rows(run: Finished) -> list[dict[str, Any]]:
    """Return the rows of a report in JSON."""
    found = json.loads(run.stdout)
    assert isinstance(found, list)
    return found


def results(run: Finished) -> dict[str, str]:
    """Return the result of each case by its name."""
    return {row["case"]: row["result"] for row in rows(run)}


def contents(request: Any) -> list[str]:
    """Return what the messages of a request say."""
    return [message["content"] for message in request.json["messages"]]
