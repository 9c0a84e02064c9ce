"""What the shell learns; part of the public interface."""

from enum import IntEnum


class Exit(IntEnum):
    """How a run of the program ended."""

    SUCCESS = 0
    IO = 1
    CONFIGURATION = 2
    BACKEND = 3
    OUTPUT = 4
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143
