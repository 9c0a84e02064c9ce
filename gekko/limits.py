"""The hard limits, each with its reason."""

from typing import Final

MIB: Final = 1024 * 1024

INPUT_BYTES: Final = 64 * MIB
"""An input, a prompt or a schema: larger than any context window, small enough to hold in memory."""

ANSWER_BYTES: Final = 64 * MIB
"""A backend's answer: a server that never stops sending must not fill the memory."""

RECORDING_BYTES: Final = 256 * MIB
"""What was answered in the runs of one case: a few answers of the greatest length, and more than anybody commits."""

SPEC_FILE_BYTES: Final = 1 * MIB
"""A case, command, model or backend file: people write these by hand."""

LONGEST_MS: Final = 2**53
"""A duration beyond this is none, and a float could not hold it."""

JSON_DEPTH: Final = 200
"""Nesting of a JSON text: deeper than any real answer, shallow enough for every recursive reader."""

NUMBER_DIGITS: Final = 1000
"""Digits of one number in a JSON text: converting them takes quadratic time."""

MISMATCHES: Final = 1000
"""What one expectation finds in one output: more than anybody reads, and an answer can hold millions."""

QUESTIONS: Final = 1000
"""What one expectation asks while it judges one output: each is a request that takes time and costs money."""

SCHEMA_SECS: Final = 5
"""Processor time for evaluating a schema on one value: ten times what a long answer needs, on a schema that is sane."""

PATTERN_CHARACTERS: Final = 1024 * 1024
"""A string that a pattern is tried on: more than a model writes, and each step of a bad one can go over all of it."""

LOCATED_FILE_BYTES: Final = 64 * 1024
"""Files up to this size have their problems located by line; beyond it the file alone is named."""
