"""What a JSON Schema accepts: load one with all it refers to, list every violation, check a value from a TOML file.

`jsonschema` costs more to import than most commands to run, so it is imported where it is first needed.
"""

from gekko.jsonschemas.bundling import bundle
from gekko.jsonschemas.fragments import FragmentValidator, fragment_validator
from gekko.jsonschemas.problems import CannotEvaluate, SchemaError
from gekko.jsonschemas.schema import Schema, load

__all__ = [
    "CannotEvaluate",
    "FragmentValidator",
    "Schema",
    "SchemaError",
    "bundle",
    "fragment_validator",
    "load",
]
