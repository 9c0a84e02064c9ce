"""A stand-in for the docker command line: a container is a process of this machine, an image says what it does.

Every call is written to `calls.jsonl` in the folder that `STAND_IN_DOCKER` names. The words of its complaints are those
of Docker 28. The image `little` is the little server; `broken` cannot be started.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

FOLDER = Path(os.environ["STAND_IN_DOCKER"])
LITTLE_SERVER = Path(__file__).with_name("little_server.py")
WITH_VALUE = ("-p", "-e", "-v", "--label", "--name", "--tail", "-t")


def main() -> None:
    """Do what the command line says."""
    with (FOLDER / "calls.jsonl").open("a") as calls:
        calls.write(json.dumps(sys.argv[1:]) + "\n")
    if (FOLDER / "daemon-is-down").exists():
        fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?")
    match sys.argv[1:]:
        case ["run", *args]:
            run(args)
        case ["container", "inspect", name]:
            container = found(name)
            state = {"Running": is_running(container), "ExitCode": exit_code(container)}
            print(json.dumps([{"Id": container["id"], "State": state}]))
        case ["stop", "-t", seconds, name]:
            stop(found(name), int(seconds))
        case ["rm", *options, name]:
            remove(found(name), is_forced="--force" in options)
        case ["logs", "--tail", lines, name]:
            sys.stderr.write("".join(log(found(name)).read_text().splitlines(keepends=True)[-int(lines) :]))
        case ["watch", name, *command]:
            watch(name, command)
        case other:
            sys.exit(f"the stand-in does not know: {other}")


def run(args: list[str]) -> None:
    options, rest = split(args)
    image, *given = rest
    name = options["--name"]
    if (FOLDER / f"{name}.json").exists():
        fail(f'Error response from daemon: Conflict. The container name "/{name}" is already in use.', 125)
    container = {"name": name, "id": os.urandom(32).hex(), "pid": 0}
    save(container)
    if image == "broken":
        fail("Error response from daemon: failed to create task for container", 127)
    command = [sys.executable, str(LITTLE_SERVER), *given]
    watching = [sys.executable, "-S", "-E", __file__, "watch", name, *command]
    nowhere = subprocess.DEVNULL
    subprocess.Popen(watching, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
    while not found(name)["pid"]:
        time.sleep(0.01)
    print(container["id"])


def split(args: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    rest = list(args)
    while rest[0].startswith("-"):
        option = rest.pop(0)
        options[option] = rest.pop(0) if option in WITH_VALUE else ""
    return options, rest


def watch(name: str, command: list[str]) -> None:
    """Be a container: run the command, and keep how it ended."""
    container = found(name)
    with log(container).open("wb") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    save({**container, "pid": child.pid})
    code = child.wait()
    (FOLDER / f"{container['id']}.exit").write_text(str(code if code >= 0 else 128 - code))


def stop(container: dict[str, Any], seconds: int) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if is_running(container):
            os.kill(container["pid"], number)
        deadline = time.monotonic() + seconds
        while is_running(container) and time.monotonic() < deadline:
            time.sleep(0.02)
    print(container["name"])


def remove(container: dict[str, Any], *, is_forced: bool) -> None:
    if is_running(container):
        if not is_forced:
            fail(f'Error response from daemon: cannot remove container "/{container["name"]}": container is running')
        stop(container, 0)
    (FOLDER / f"{container['name']}.json").unlink()


def found(name: str) -> dict[str, Any]:
    """Return the container with that name or id."""
    containers: list[dict[str, Any]] = [json.loads(path.read_text()) for path in FOLDER.glob("gko-*.json")]
    known = {container[key]: container for container in containers for key in ("name", "id")}
    if name not in known:
        print("[]")
        fail(f"Error response from daemon: No such container: {name}")
    return known[name]


def save(container: dict[str, Any]) -> None:
    beside = FOLDER / f"{container['name']}.new"
    beside.write_text(json.dumps(container))
    beside.replace(FOLDER / f"{container['name']}.json")


def is_running(container: dict[str, Any]) -> bool:
    return bool(container["pid"]) and not (FOLDER / f"{container['id']}.exit").exists()


def exit_code(container: dict[str, Any]) -> int:
    path = FOLDER / f"{container['id']}.exit"
    return int(path.read_text()) if path.exists() else 0


def log(container: dict[str, Any]) -> Path:
    return FOLDER / f"{container['id']}.log"


def fail(words: str, code: int = 1) -> NoReturn:
    print(words, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
