"""Projects of any size, each case small and unlike every other, as a person would write it."""

import os
from pathlib import Path

from tests.project import Project

ANSWER = '{"category": "hardware", "confidence": 0.93, "summary": "The printer on floor 3 is on fire."}'
"""What satisfies every case below, whether it is read as JSON or as text."""

SCHEMA = """\
{
  "type": "object",
  "properties": {
    "category": {"enum": ["hardware", "software", "network"]},
    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    "summary": {"type": "string"}
  },
  "required": ["category", "confidence", "summary"],
  "additionalProperties": false
}
"""

CLASSIFY = """\
---
description = "Classify a ticket"
model = "fast"
system = "You sort tickets. Answer with JSON of this schema: {{ schemas.ticket }}"

[schemas]
ticket = "ticket"

[args.urgency]
default = "normal"

[output]
format = "json"
schema = "ticket"
---
A ticket of {{ args.urgency }} urgency arrived:

{{ input }}
"""

SUMMARISE = """\
---
description = "Summarise a ticket"
model = "fast"
---
Say in one sentence what this ticket is about:

{{ input }}
"""

CLASSIFY_CASE = """\
# Reported on day {number}; hardware whatever the tone.
args = {{ urgency = "high" }}
input = "Ticket {number}: the printer on floor 3 is on fire, please send somebody."

[expect]
"/category" = "hardware"
"/confidence" = {{ min = 0.8 }}
"/summary" = {{ is = {{ lines = 1, contains = ["printer"] }} }}
"""

SUMMARISE_CASE = """\
# One sentence, whatever the length of the ticket.
input = "Ticket {number}: the printer on floor 3 is on fire, please send somebody."

[expect]
lines = 1
contains = ["printer", "fire"]
"""


def write_suite(folder: Path, cases: int, url: str = "http://127.0.0.1:9") -> Project:
    """Write a project with that many cases, half of them of a JSON command, whose server is at *url*."""
    folder.mkdir(parents=True, exist_ok=True)
    project = Project(folder)
    project.backend(url)
    project.model()
    project.write("schemas/ticket.json", SCHEMA)
    project.write("commands/ticket/classify.md", CLASSIFY)
    project.write("commands/ticket/summarise.md", SUMMARISE)
    for number in range(cases):
        command, text = ("summarise", SUMMARISE_CASE) if number % 2 else ("classify", CLASSIFY_CASE)
        project.write(f"tests/ticket/{command}/report-{number:05}.toml", text.format(number=number))
    return project


def environment(project: Project) -> dict[str, str]:
    """Return the environment for all contenders: bytecode is cached, and nothing measures coverage."""
    return {name: value for name, value in project.environment().items() if not name.startswith("COVERAGE")} | {
        "PYTHONHASHSEED": "0",
        "PATH": os.environ.get("PATH", ""),
    }
