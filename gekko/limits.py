"""The hard limits, each with its reason."""

MIB = 1024 * 1024

INPUT_BYTES = 64 * MIB
"""An input, a prompt or a schema: larger than any context window, small enough to hold in memory."""

ANSWER_BYTES = 64 * MIB
"""A backend's answer: a server that never stops sending must not fill the memory."""

RECORDING_BYTES = 256 * MIB
"""What was answered in the runs of one case: a few answers of the greatest length, and more than anybody commits."""

SPEC_FILE_BYTES = 1 * MIB
"""A case, command, model or backend file: people write these by hand."""

JSON_DEPTH = 200
"""Nesting of a JSON text: deeper than any real answer, shallow enough for every recursive reader."""

NUMBER_DIGITS = 1000
"""Digits of one number in a JSON text: converting them takes quadratic time."""

MISMATCHES = 1000
"""What one expectation finds in one output: more than anybody reads, and an answer can hold millions."""

QUESTIONS = 1000
"""What one expectation asks while it judges one output: each is a request that takes time and costs money."""

SCHEMA_SECS = 5
"""Processor time for evaluating a schema on one value: ten times what a long answer needs, on a schema that is sane."""

PATTERN_CHARACTERS = 1024 * 1024
"""A string that a pattern is tried on: more than a model writes, and each step of a bad one can go over all of it."""

LOCATED_FILE_BYTES = 64 * 1024
"""Files up to this size have their problems located by line; beyond it the file alone is named."""
