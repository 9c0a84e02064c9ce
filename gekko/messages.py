"""One turn of a conversation with a model."""

from typing import Literal, TypeAlias

from attrs import frozen

Role: TypeAlias = Literal["system", "user", "assistant"]
"""Who speaks."""


@frozen
class Message:
    """What one side says."""

    role: Role
    content: str
