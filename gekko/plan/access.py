"""How a backend is reached: the values of its headers, or the engine that gko starts itself."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from attrs import field, frozen

from gekko import templates
from gekko.errors import ConfigurationError, Issue
from gekko.plan.targets import Target
from gekko.sources.processor import engine_problem
from gekko.sources.weights import WeightsError, find_weights
from gekko.specs.backend import Backend, Embedded, Engine, Server, is_header_value
from gekko.specs.sourced import Sourced


@frozen
class Header:
    """A header that a backend's file declares; its value may be printed nowhere."""

    name: str
    value: str = field(repr=False)


@frozen
class ServerAccess:
    """A server, with the headers that it wants."""

    server: Server
    headers: tuple[Header, ...]


@frozen
class EngineAccess:
    """The embedded engine, able to run here, and the weights that it loads."""

    weights: Path
    settings: Engine


Access: TypeAlias = ServerAccess | EngineAccess

Accesses: TypeAlias = Mapping[str, Access]
"""How each backend is reached, by its id."""


def reach(targets: Iterable[Target], environ: Mapping[str, str]) -> Accesses:
    """Return how the backend of every target is reached.

    Raises:
        ConfigurationError: a header's variable is not set, or the engine or its weights are missing; with every reason.
    """
    backends = {target.backend.spec.id: target.backend for target in targets}
    accesses: dict[str, Access] = {}
    issues: list[Issue] = []
    for name, backend in backends.items():
        try:
            accesses[name] = access(backend, environ)
        except ConfigurationError as error:
            issues += error.issues
    if issues:
        raise ConfigurationError(issues)
    return accesses


def access(backend: Sourced[Backend], environ: Mapping[str, str]) -> Access:
    """Return how one backend is reached; raises as `reach` does."""
    spec = backend.spec
    return _engine_access(backend, spec) if isinstance(spec, Embedded) else _server_access(backend, spec, environ)


def _engine_access(backend: Sourced[Backend], spec: Embedded) -> EngineAccess:
    issues: list[Issue] = []
    if (found := engine_problem()) is not None:
        issues.append(backend.issue(*found, "type"))
    try:
        weights = find_weights(spec.weights, backend.path.parent)
    except WeightsError as error:
        issues.append(backend.issue(error.problem, error.hint, "weights"))
    if issues:
        raise ConfigurationError(issues)
    return EngineAccess(weights, spec.engine)


def _server_access(backend: Sourced[Backend], spec: Server, environ: Mapping[str, str]) -> ServerAccess:
    headers: list[Header] = []
    issues: list[Issue] = []
    for name, written in spec.headers.items():
        template, _ = templates.parse(written)
        unset = [each.name for each in template.placeholders if each.name not in environ]
        key = ("headers", name)
        if unset:
            hint = "an empty value would do"
            issues += (backend.issue(f"the environment variable '{each}' is not set", hint, *key) for each in unset)
            continue
        value = template.render({each: environ[each.name] for each in template.placeholders})
        if is_header_value(value):
            headers.append(Header(name, value.strip()))
        else:
            hint = "look at the environment variables that it uses"
            issues.append(backend.issue("its value holds a line end or another control character", hint, *key))
    if issues:
        raise ConfigurationError(issues)
    return ServerAccess(spec, tuple(headers))
