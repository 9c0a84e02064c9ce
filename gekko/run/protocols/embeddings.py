"""The protocol `embeddings`: a text goes out, a vector comes back."""

from math import isfinite

from attrs import define, evolve, field

from gekko import jsontext
from gekko.run.exchange import Reply
from gekko.run.protocols.envelope import JsonBody, text_or_none, usage_in
from gekko.wording import described


def embeddings_body(model: str, text: str) -> bytes:
    """Return the body of a request.

    Raises:
        JsonTextError: the text cannot be written as JSON.
    """
    return jsontext.compact({"model": model, "input": text}).encode()


@define
class EmbeddingsParser:
    """Reads an embedding."""

    _body: JsonBody = field(factory=lambda: JsonBody("embeddings"), init=False)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer."""
        self._body.feed(chunk)

    def finish(self) -> Reply:
        """Return the first vector, as a JSON array.

        Raises:
            BackendError: there is none, or it holds something other than finite numbers.
        """
        document = self._body.document()
        return Reply(
            content=jsontext.compact(self._vector(document.get("data"))),
            model=text_or_none(document.get("model")),
            # Nothing is written, whatever the server counts.
            usage=evolve(usage_in(document.get("usage")), completion_tokens=None),
        )

    def _vector(self, data: object) -> list[object]:
        """Return `data[0].embedding`."""
        if not isinstance(data, list) or not data or not isinstance(data[0], dict):
            raise self._body.broken(f"data: expected an array that begins with an object, found {described(data)}")
        vector = data[0].get("embedding")
        if not isinstance(vector, list) or not vector:
            raise self._body.broken(f"data[0].embedding: expected an array of numbers, found {described(vector)}")
        for index, number in enumerate(vector):
            if not jsontext.is_number(number) or (isinstance(number, float) and not isfinite(number)):
                place = f"data[0].embedding[{index}]"
                raise self._body.broken(f"{place}: expected a finite number, found {described(number)}")
        return vector
