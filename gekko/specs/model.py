"""A model file: which backend answers, by which operation, and with which generation parameters."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import Factory, evolve, fields, frozen

from gekko.errors import Problem
from gekko.specs.rules import all_not_empty, json_values, not_blank, not_empty, not_negative, positive, share
from gekko.specs.shape import in_schema
from gekko.specs.structure import StructureError, ruled

CONTROLLED = ("temperature", "max_tokens", "seed", "top_p", "stop", "model", "messages", "stream", "response_format")
"""The top-level keys of a request that gko itself writes; `extra` cannot replace them."""


@in_schema(object={"propertyNames": {"not": {"enum": list(CONTROLLED)}}})
def _leaves_ours_alone(extra: Mapping[str, object]) -> None:
    taken = [key for key in extra if key in CONTROLLED]
    if taken:
        hint = "set it outside of `extra`, or not at all"
        raise StructureError(Problem("a key that gko itself controls", hint, (key,)) for key in taken)


@frozen
class Generation:
    """Parameters of an answer; what is None is not sent. *extra* is sent as it is at the top level of the request."""

    temperature: float | None = ruled(not_negative, default=None, doc="How freely the model chooses; 0 or more.")
    max_tokens: int | None = ruled(positive, default=None, doc="The most tokens of an answer.")
    seed: int | None = ruled(default=None, doc="Where the server's random numbers begin.")
    top_p: float | None = ruled(share, default=None, doc="The share of likely tokens that is chosen from; 0 to 1.")
    stop: tuple[str, ...] | None = ruled(not_empty, all_not_empty, default=None, doc="Texts that end the answer.")
    extra: Mapping[str, object] = ruled(
        _leaves_ours_alone,
        json_values,
        default=Factory(dict),
        doc="Sent as it is, at the top level of the request; not what gko itself sets there.",
    )

    def over(self, base: "Generation") -> "Generation":
        """Return *base* with what is set here laid over it, key by key; `extra` merges at its top level."""
        return evolve(base, **self.given(), extra={**base.extra, **self.extra})

    def given(self) -> dict[str, Any]:
        """Return the parameters that are set, other than `extra`, in the order in which they are sent."""
        return {name: value for name in _OUR_OWN if (value := getattr(self, name)) is not None}

    def sent(self) -> dict[str, object]:
        """Return the keys of the request that these parameters make."""
        return {**self.given(), **self.extra}


_OUR_OWN: Final = tuple(field.name for field in fields(Generation) if field.name != "extra")


@frozen(kw_only=True)
class Model:
    """The content of a model file."""

    id: str = ruled(not_blank, doc="The name by which commands and --model refer to it.")
    backend: str = ruled(doc="The id of a backend.")
    operation: str = ruled(doc="One of the backend's operations.")
    model: str = ruled(not_blank, doc="The name that the server knows.")
    fallback: str | None = ruled(default=None, doc="The id of another model, tried once when this one does not answer.")
    generation: Generation = ruled(default=Generation(), doc="Parameters of an answer; what is not here is not sent.")
