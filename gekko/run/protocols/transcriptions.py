"""The protocol `transcriptions`: a recording goes out, what was said comes back."""

from attrs import define, field

from gekko.run.exchange import Form, Reply, Upload
from gekko.run.protocols.envelope import JsonBody
from gekko.wording import described


def transcription_form(model: str, prompt: str, content: bytes, file_name: str) -> Form:
    """Return the body of a request; a prompt of white space is left out."""
    fields = [("model", model), ("prompt", prompt)] if prompt.strip() else [("model", model)]
    return Form(tuple(fields), Upload("file", file_name, content))


@define
class TranscriptionParser:
    """Reads a transcription."""

    _body: JsonBody = field(factory=lambda: JsonBody("transcriptions"), init=False)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer."""
        self._body.feed(chunk)

    def finish(self) -> Reply:
        """Return the text.

        Raises:
            BackendError: there is none.
        """
        document = self._body.document()
        text = document.get("text")
        if not isinstance(text, str):
            found = described(text) if "text" in document else "nothing"
            raise self._body.broken(f"text: expected a string, found {found}")
        return Reply(content=text)
