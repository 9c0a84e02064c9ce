"""Which servers gko can start, and how: the backends that declare `[runtime]`."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from attrs import asdict, field, frozen

from gekko.errors import ConfigurationError
from gekko.plan.catalog import Catalog
from gekko.specs.backend import Backend, Server
from gekko.specs.runtime import DockerRuntime, ProcessRuntime, Runtime
from gekko.specs.sourced import Sourced
from gekko.wording import shown

STEM_CHARACTERS = 40


@frozen
class Service:
    """A backend's server, which gko can start. *root* is the root of the scope that its file stands in."""

    model: str
    backend: Sourced[Server]
    runtime: Runtime
    root: Path

    @property
    def id(self) -> str:
        """The backend's id."""
        return self.backend.spec.id

    @property
    def url(self) -> str:
        """Where it accepts connections."""
        return self.backend.spec.base_url

    @property
    def name(self) -> str:
        """A name for files and containers, which no backend of another scope has: two projects may use one id."""
        readable = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.id)[:STEM_CHARACTERS]
        return f"{readable}-{_digest([str(self.root), self.id])}"

    @property
    def settings(self) -> str:
        """A digest of all that the file says about how the server is started and reached."""
        return _digest([self.url, asdict(self.runtime)])


@frozen
class ProcessLaunch:
    """A program, found, with all that it is given."""

    program: Path
    arguments: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    folder: Path


@frozen
class ContainerLaunch:
    """A container's name and image, with all that `docker run` is given."""

    name: str
    options: tuple[str, ...]
    image: str
    args: tuple[str, ...]


Launch: TypeAlias = ProcessLaunch | ContainerLaunch


def services(catalog: Catalog) -> Iterator[Service]:
    """Yield, for each model whose backend has a runtime, the backend's server; sorted by model."""
    for name, model in sorted(catalog.models.items()):
        backend = catalog.backends.get(model.spec.backend)
        if backend is not None and (found := _service(name, backend)) is not None:
            yield found


def service(catalog: Catalog, model: str) -> Service:
    """Return the server of a model's backend.

    Raises:
        UsageError: there is no such model.
        ConfigurationError: its backend is not there, or has no runtime.
    """
    catalog.require_model(model)
    backend = catalog.target(model).backend
    found = _service(model, backend)
    if found is None:
        raise ConfigurationError([backend.issue(*_reason(backend.spec))])
    return found


def launch(service: Service, environ: Mapping[str, str]) -> Launch:
    """Return how the server is started, its program found.

    Raises:
        ConfigurationError: there is no such program.
    """
    match service.runtime:
        case ProcessRuntime() as runtime:
            laid_over = {**environ, **runtime.env}
            program = _program(service, runtime.command, laid_over)
            return ProcessLaunch(program, runtime.arguments, laid_over, service.root)
        case DockerRuntime() as runtime:
            if shutil.which("docker", path=environ.get("PATH")) is None:
                problem = "the program 'docker' is not on the PATH"
                raise ConfigurationError([service.backend.issue(problem, "install Docker", "runtime", "type")])
            return ContainerLaunch(f"gko-{service.name}", runtime.options, runtime.image, runtime.args)


def port_of(url: str) -> int:
    """Return the port of an http or https URL, written or implied."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def _service(model: str, backend: Sourced[Backend]) -> Service | None:
    spec = backend.spec
    if not isinstance(spec, Server) or spec.runtime is None:
        return None
    return Service(model, Sourced(backend.path, spec), spec.runtime, backend.path.parent.parent.resolve())


def _reason(spec: Backend) -> tuple[str, str]:
    if isinstance(spec, Server):
        return f"the backend '{spec.id}' has no [runtime], so gko cannot start it", "start it by other means"
    return f"the backend '{spec.id}' is embedded", "it is started with each run, and ends with it"


def _program(service: Service, command: str, environ: Mapping[str, str]) -> Path:
    # A path is seen from the root of the scope, as those of schemas are; which() would see it from the current folder.
    # Path.expanduser() raises where there is no such user.
    sought = service.root / os.path.expanduser(command) if "/" in command else command  # noqa: PTH111
    found = shutil.which(sought, path=environ.get("PATH"))
    if found is None:
        problem = f"there is no program {shown(str(sought))}" + ("" if "/" in command else " on the PATH")
        hint = "accepted are a program on the PATH and the path of one, seen from the root of the scope"
        raise ConfigurationError([service.backend.issue(problem, hint, "runtime", "command")])
    return Path(found).absolute()  # the server will not see it from here


def _digest(value: object) -> str:
    return sha256(json.dumps(value).encode()).hexdigest()[:12]
