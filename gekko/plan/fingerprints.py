"""What a request depends on, part by part, as digests: so that a change can be named without keeping what changed."""

from collections.abc import Mapping

from attrs import asdict

from gekko.jsonschemas import bundle
from gekko.jsontext import compact
from gekko.plan.inputs import InFile, Text
from gekko.plan.job import Job, Recipe
from gekko.plan.targets import Target
from gekko.plan.trials import Input, Trial
from gekko.sources.files import digest
from gekko.specs.backend import Embedded
from gekko.templates import Template


def command_parts(recipe: Recipe) -> dict[str, str]:
    """Return a digest of each part of a command that its requests or the verdict on its answers depend on.

    They are `prompt`, `partials`, `schemas`, `environment`, `generation`, `model`, `operation` and `output`, and
    `fallback` where there is one. Of an environment variable it is what a template uses, never a header's value.
    """
    command, target = recipe.command, recipe.target
    output = asdict(command.front.output)
    document = None if recipe.schema is None else bundle(recipe.schema)  # with all that it refers to
    is_structured = isinstance(target.backend.spec, Embedded) or target.backend.spec.structured_output
    parts: dict[str, object] = {
        "prompt": [_written(template) for template in command.templates],
        "partials": _values(recipe, "partials"),
        "schemas": [_values(recipe, "schemas"), document],
        "environment": _values(recipe, "env"),
        "generation": recipe.generation.sent(),
        "model": target.model.spec.model,
        "operation": [target.protocol, target.operation.path, is_structured],
        "output": output,
    }
    if recipe.fallback is not None:
        parts["fallback"] = command_parts(recipe.fallback)
    return {name: digest_of(part) for name, part in parts.items()}


def case_parts(trial: Trial) -> dict[str, str]:
    """Return a digest of the arguments of a case, and of its input."""
    return {"args": digest_of(_arguments(trial.job)), "input": _input(trial.input)}


def changed_parts(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the names of the parts that are not what they were."""
    return [name for name in {**now, **then} if then.get(name) != now.get(name)]


def model_facts(target: Target) -> list[object]:
    """Return what decides on the answers of a model to a given conversation, wherever it is reached."""
    return [target.model.spec.model, target.operation.path, target.generation.sent()]


def digest_of(part: object) -> str:
    """Return the digest of something that JSON can say."""
    return digest(compact(part).encode()).sha256


def _written(template: Template) -> str:
    return "".join(map(str, template.parts))


def _values(recipe: Recipe, kind: str) -> Mapping[str, str]:
    return {place.name: value for place, value in recipe.values.items() if place.kind == kind}


def _arguments(job: Job) -> Mapping[str, str]:
    return {name: _input(text) for name, text in job.args.items()}


def _input(given: Input | Text) -> str:
    # A file may be long, and was read when it was checked.
    return given.digest.sha256 if isinstance(given, InFile) else digest(given.read().encode()).sha256
