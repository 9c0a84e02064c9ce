"""Scopes together: a nearer entry replaces a whole one, and what is replaced is not read."""

from pathlib import Path

import pytest

from gekko.errors import ConfigurationError
from gekko.plan.catalog import Catalog, listed_cases, load_catalog
from gekko.sources.scopes import Scope
from tests.project import Project

BACKEND = """\
id = "server"
type = "openai-compatible"
base_url = "{url}"
[operations.chat]
path = "/v1/chat/completions"
"""


class Scopes:
    """Three empty scopes in one folder, to be filled."""

    def __init__(self, folder: Path) -> None:
        self.system = Scope("system", folder / "system")
        self.user = Scope("user", folder / "user")
        self.project = Scope("project", folder / "project")

    def catalog(self) -> Catalog:
        return load_catalog((self.system, self.user, self.project))


def write(scope: Scope, name: str, text: str) -> Path:
    path = scope.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def backend(scope: Scope, name: str = "server", *, url: str = "http://127.0.0.1:1") -> Path:
    return write(scope, f"backends/{name}.toml", BACKEND.format(url=url))


def model(scope: Scope, more: str = "", *, name: str = "fast", backend: str = "server") -> Path:
    text = f'id = "{name}"\nbackend = "{backend}"\noperation = "chat"\nmodel = "m"\n{more}'
    return write(scope, f"models/{name}.toml", text)


@pytest.fixture
def scopes(tmp_path: Path) -> Scopes:
    return Scopes(tmp_path)


def issues(scopes: Scopes) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        scopes.catalog()
    return [str(issue) for issue in caught.value.issues]


def test_a_nearer_backend_replaces_a_whole_one_by_its_id_whatever_the_files_are_called(scopes: Scopes) -> None:
    backend(scopes.system, "far", url="http://127.0.0.1:1")
    nearer = backend(scopes.project, "near", url="http://127.0.0.1:2")

    (found,) = scopes.catalog().backends.values()

    assert (found.path, getattr(found.spec, "base_url", None)) == (nearer, "http://127.0.0.1:2")


def test_nothing_of_a_replaced_model_is_left(scopes: Scopes) -> None:
    backend(scopes.system)
    model(scopes.system, "[generation]\ntemperature = 0.5\n")
    model(scopes.user)

    found = scopes.catalog().models["fast"].spec

    assert found.generation.temperature is None


def test_a_model_of_the_project_uses_the_backend_of_the_system(scopes: Scopes) -> None:
    path = backend(scopes.system)
    model(scopes.project)

    assert scopes.catalog().target("fast").backend.path == path


def test_a_model_of_the_system_uses_the_backend_that_the_project_replaced(scopes: Scopes) -> None:
    backend(scopes.system)
    model(scopes.system)
    path = backend(scopes.project, "other")

    assert scopes.catalog().target("fast").backend.path == path


def test_one_id_twice_in_one_scope_names_both_files(scopes: Scopes) -> None:
    first = backend(scopes.user, "a")
    second = backend(scopes.user, "b")

    (issue,) = issues(scopes)

    assert issue.startswith(f"{second}: id: ")
    assert str(first) in issue


def test_a_broken_backend_is_fatal_even_where_a_nearer_one_might_replace_it(scopes: Scopes) -> None:
    write(scopes.system, "backends/server.toml", "id = ")
    backend(scopes.project)

    (issue,) = issues(scopes)

    assert str(scopes.system.root / "backends/server.toml") in issue


def test_every_broken_file_of_every_scope_is_named(scopes: Scopes) -> None:
    write(scopes.system, "backends/a.toml", "id = ")
    write(scopes.user, "models/b.toml", "id = 7\n")
    write(scopes.project, "models/c.toml", "")

    named = {issue.split(".toml")[0][-1] for issue in issues(scopes)}

    assert named == {"a", "b", "c"}


def test_a_model_whose_backend_is_missing_breaks_nothing_until_it_is_used(scopes: Scopes) -> None:
    model(scopes.project, backend="nowhere")

    catalog = scopes.catalog()

    with pytest.raises(ConfigurationError, match="nowhere"):
        catalog.target("fast")


def test_the_fallback_is_looked_up_after_merging(scopes: Scopes) -> None:
    backend(scopes.system)
    model(scopes.system, 'fallback = "slow"\n')
    model(scopes.project, name="slow")

    assert scopes.catalog().models["fast"].spec.fallback == "slow"


def test_a_command_that_a_nearer_one_replaces_is_not_read(scopes: Scopes) -> None:
    write(scopes.system, "commands/git/review.md", "broken, and never looked at")
    write(scopes.project, "commands/git/review.md", '---\nmodel = "fast"\n---\nReview {{ input }}\n')

    command = scopes.catalog().command(("git", "review"))

    assert command.scope_root == scopes.project.root


def test_a_broken_command_breaks_no_other_one(scopes: Scopes) -> None:
    write(scopes.project, "commands/broken.md", "no front matter")
    write(scopes.project, "commands/sound.md", '---\nmodel = "fast"\n---\nReview {{ input }}\n')

    catalog = scopes.catalog()

    assert catalog.command(("sound",)).words == ("sound",)
    with pytest.raises(ConfigurationError, match=r"broken\.md"):
        catalog.command(("broken",))


def test_a_command_and_a_group_of_one_name_clash_across_scopes_below_that_path_alone(scopes: Scopes) -> None:
    sound = '---\nmodel = "fast"\n---\nReview {{ input }}\n'
    group = write(scopes.project, "commands/git/review.md", sound)
    command = write(scopes.system, "commands/git.md", sound)
    write(scopes.system, "commands/other.md", sound)

    catalog = scopes.catalog()

    for words in (("git",), ("git", "review")):
        with pytest.raises(ConfigurationError) as caught:
            catalog.command(words)
        assert str(command) in str(caught.value)
        assert str(group) in str(caught.value)
    assert catalog.command(("other",)).words == ("other",)


def test_a_case_is_replaced_by_command_path_and_name(scopes: Scopes) -> None:
    write(scopes.system, "tests/git/review/a.toml", "broken, and never looked at")
    kept = write(scopes.system, "tests/git/review/b.toml", "")
    nearer = write(scopes.project, "tests/git/review/a.toml", "")

    cases, problems = listed_cases((scopes.system, scopes.user, scopes.project), ())

    assert problems == []
    assert {key: path for key, (path, _) in cases.items()} == {
        (("git", "review"), "a"): nearer,
        (("git", "review"), "b"): kept,
    }


def test_cases_are_in_the_order_of_command_path_and_name(scopes: Scopes) -> None:
    for name in ("b/z", "a-b/x", "a/c/y", "a/z", "a/b"):
        write(scopes.project, f"tests/{name}.toml", "")

    cases, _ = listed_cases((scopes.project,), ())

    assert list(cases) == [(("a",), "b"), (("a",), "z"), (("a", "c"), "y"), (("a-b",), "x"), (("b",), "z")]


def test_names_of_two_scopes_that_differ_by_letter_case_alone_are_an_error(project: Project) -> None:
    project.command("git/review")
    user = project.folder / "home/.config/gekko/commands/Git/review.md"
    user.parent.mkdir(parents=True)
    user.write_text("---\n---\nIt is not read")

    run = project.gko("git", "review")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert ".gekko/commands/git: " in run.stderr
    assert "'Git'" in run.stderr


def test_cases_of_two_scopes_that_differ_by_letter_case_alone_are_an_error(project: Project) -> None:
    project.command("review")
    project.case("review/first")
    user = project.folder / "home/.config/gekko/tests/review/First.toml"
    user.parent.mkdir(parents=True)
    user.write_text('input = ""\n[expect]\n')

    run = project.gko("config", "test")

    assert (run.exit_code, run.stdout) == (2, b"")
    assert ".gekko/tests/review/first.toml" in run.stderr
    assert "'First'" in run.stderr
