"""Projects of any size, each case small and unlike every other, as a person would write it."""

import json
from pathlib import Path

from tests.project import Project

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
# Report {number}
args = {{ urgency = "{urgency}" }}
input = "{text}"

[expect]
"/category" = "hardware"
"/confidence" = {{ min = {confidence} }}
"/summary" = {{ is = {{ contains = ["{thing}"] }} }}
"""

SUMMARISE_CASE = """\
# Report {number}
input = "{text}"

[expect]
lines = 1
contains = ["{thing}", "{place}"]
"""

TEXT = "This is {name} in {place}: the {thing} {trouble} since {hour} o'clock. Please send somebody."

URGENCIES = ("low", "normal", "high")
NAMES = ("Ada", "Grace", "Edsger", "Barbara", "Alan", "Radia", "Niklaus")
PLACES = ("room 12", "the lobby", "hall B", "the archive", "floor 3")
THINGS = ("printer", "projector", "scanner", "keyboard", "monitor", "headset", "badge reader", "telephone", "laptop")
TROUBLES = ("is on fire", "has been silent", "prints nothing but stars", "smells of burnt dust")

ANSWER = json.dumps(
    {"category": "hardware", "confidence": 0.93, "summary": f"Broken: {', '.join(THINGS)}, in {', '.join(PLACES)}"}
)
"""What satisfies every case, whether it is read as JSON or as text."""


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
        command, case = ("summarise", SUMMARISE_CASE) if number % 2 else ("classify", CLASSIFY_CASE)
        project.write(f"tests/ticket/{command}/report-{number:05}.toml", case.format(**facts(number)))
    return project


def facts(number: int) -> dict[str, object]:
    """Return what a case is about; lists of different lengths make hardly two of them equal."""
    chosen = {
        "name": NAMES[number % len(NAMES)],
        "place": PLACES[number % len(PLACES)],
        "thing": THINGS[number % len(THINGS)],
        "trouble": TROUBLES[number % len(TROUBLES)],
        "hour": number % 24,
    }
    return {
        **chosen,
        "number": number,
        "text": TEXT.format(**chosen),
        "urgency": URGENCIES[number % len(URGENCIES)],
        "confidence": (50 + number % 40) / 100,
    }


def environment(project: Project) -> dict[str, str]:
    """Return the environment of every contender, in which nothing measures coverage."""
    return {name: value for name, value in project.environment().items() if not name.startswith("COVERAGE")}
