"""What a backend's file may say about its port and its runtime."""

from pathlib import Path

import pytest

from gekko.errors import ConfigurationError
from gekko.locations import key_text
from gekko.sources.document import read_toml
from gekko.specs.backend import Server, read_backend
from gekko.specs.runtime import DockerRuntime, ProcessRuntime

SERVER = """
id = "stub"
type = "openai-compatible"
operations = { chat = { path = "/v1/chat/completions" } }
"""

PROCESS = 'base_url = "http://127.0.0.1:1"\n[runtime]\ntype = "process"\ncommand = "serve"\n'
DOCKER = 'base_url = "http://127.0.0.1:1"\n[runtime]\ntype = "docker"\nimage = "serve"\n'


def read(text: str) -> Server:
    spec = read_backend(read_toml(Path("stub.toml"), (SERVER + text).encode())).spec
    assert isinstance(spec, Server)
    return spec


def test_the_port_is_put_in_everywhere() -> None:
    process = read(
        'port = 8123\nbase_url = "http://127.0.0.1:{{ backend.port }}/v3"\n'
        '[runtime]\ntype = "process"\ncommand = "serve"\narguments = ["--port", "{{backend.port}}"]\n'
        'env = { ADDRESS = "[::]:{{ backend.port }}" }\n'
    )
    docker = read(
        'port = 8123\nbase_url = "http://127.0.0.1:{{ backend.port }}"\n'
        '[runtime]\ntype = "docker"\nimage = "serve"\noptions = ["-p", "{{ backend.port }}:80"]\n'
        'args = ["{{ backend.port }}"]\n'
    )

    assert process.base_url == "http://127.0.0.1:8123/v3"
    assert process.runtime == ProcessRuntime(
        type="process", command="serve", arguments=("--port", "8123"), env={"ADDRESS": "[::]:8123"}
    )
    assert docker.runtime == DockerRuntime(type="docker", image="serve", options=("-p", "8123:80"), args=("8123",))


def test_a_runtime_waits_for_a_minute_unless_told_otherwise() -> None:
    for written, seconds in (("", 60), ("startup_timeout_secs = 1.5\n", 1.5)):
        for family in (PROCESS, DOCKER):
            runtime = read(family + written).runtime

            assert runtime is not None
            assert runtime.startup_timeout_secs == seconds


@pytest.mark.parametrize(
    ("text", "key", "named"),
    [
        pytest.param('base_url = "http://h:{{ backend.port }}"', "base_url", "port = ", id="port-missing"),
        pytest.param('base_url = "http://h"\nport = 1', "port", "{{ backend.port }}", id="port-unused"),
        pytest.param('base_url = "http://h:{{ backend.port }}"\nport = 0', "port", "greater than 0", id="port-0"),
        pytest.param('base_url = "http://h:{{ backend.port }}"\nport = 65536', "port", "65535", id="port-too-high"),
        pytest.param('base_url = "http://h:{{ backend.port }}"\nport = "1"', "port", "integer", id="port-a-string"),
        pytest.param('base_url = "http://{{ env.H }}"', "base_url", "{{ backend.port }}", id="url-with-a-variable"),
        pytest.param('base_url = "http://h:{{ backend.prot }}"', "base_url", "{{ backend.port }}", id="misspelt"),
        pytest.param('base_url = "h:{{ backend.port }}"\nport = 1', "base_url", "http", id="url-without-scheme"),
        pytest.param('base_url = "http://h"\nruntime = "serve"', "runtime", "table", id="runtime-a-string"),
        pytest.param('base_url = "http://h"\n[runtime]\ncommand = "x"', "runtime.type", "'docker'", id="type-missing"),
        pytest.param(PROCESS.replace("process", "proces"), "runtime.type", "'process'", id="type-misspelt"),
        pytest.param(PROCESS + "arguments = 'a b'", "runtime.arguments", "array", id="arguments-a-string"),
        pytest.param(PROCESS + "arguments = [1]", "runtime.arguments[0]", "string", id="argument-a-number"),
        pytest.param(PROCESS + "arguments = ['{{ x }}']", "runtime.arguments[0]", "{{ x }}", id="placeholder"),
        pytest.param(PROCESS + "arguments = ['a', '{{ backend.port }}']", "runtime.arguments[1]", "port", id="no-port"),
        pytest.param(PROCESS + 'arguments = ["\\u0000"]', "runtime.arguments[0]", "NUL", id="argument-with-nul"),
        pytest.param(PROCESS + "env = { 'A=B' = 'x' }", 'runtime.env."A=B"', "variable", id="strange-variable"),
        pytest.param(PROCESS + "env = { A = 1 }", "runtime.env.A", "string", id="variable-a-number"),
        pytest.param(PROCESS + "startup_timeout_secs = 0", "runtime.startup_timeout_secs", "0", id="no-time"),
        pytest.param(PROCESS + "image = 'x'", "runtime.image", "unknown key", id="key-of-the-other-family"),
        pytest.param(PROCESS.replace('"serve"', '" "'), "runtime.command", "blank", id="command-blank"),
        pytest.param(DOCKER.replace('"serve"', '"--rm"'), "runtime.image", "option", id="image-an-option"),
        pytest.param(DOCKER + "options = ['--name', 'x']", "runtime.options[0]", "'--name'", id="name"),
        pytest.param(DOCKER + "options = ['-t', '--rm=true']", "runtime.options[1]", "'--rm'", id="rm"),
        pytest.param(DOCKER + "command = 'x'", "runtime.command", "unknown key", id="key-of-a-process"),
    ],
)
def test_a_mistake_is_told_at_its_key(text: str, key: str, named: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read(text)

    (issue,) = refused.value.issues
    assert key_text(issue.where.key) == key
    assert named in str(issue)
