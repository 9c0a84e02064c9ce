"""Classes whose annotations are texts, as they are in a module that postpones them."""

from __future__ import annotations

from attrs import frozen


@frozen
class Inside:
    name: str
    size: int


@frozen
class Outside:
    inside: Inside
    nam: str = ""
