"""Which folders are scopes."""

from pathlib import Path

import pytest

from gekko.errors import ConfigurationError
from gekko.sources.scopes import Scope, find_scopes, skipped_scopes


def folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return folder(tmp_path / "home")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment that keeps the tests away from this machine's own /etc/gekko."""
    return {"GKO_SYSTEM_DIR": str(tmp_path / "system")}


def test_scopes_come_broadest_first(environ: dict[str, str], home: Path, tmp_path: Path) -> None:
    system, user, project = folder(tmp_path / "system"), folder(home / ".config/gekko"), folder(home / "work/.gekko")

    assert find_scopes(environ, home / "work", home) == (
        Scope("system", system),
        Scope("user", user),
        Scope("project", project),
    )


def test_a_scope_that_does_not_exist_is_skipped(environ: dict[str, str], home: Path) -> None:
    assert find_scopes(environ, home, home) == ()


@pytest.mark.parametrize("target", ["nowhere", ".gekko"], ids=["to-nowhere", "to-itself"])
@pytest.mark.parametrize("path", ["home/.gekko", "system", "home/.config/gekko"])
def test_a_link_that_leads_nowhere_is_an_error(
    environ: dict[str, str], home: Path, tmp_path: Path, path: str, target: str
) -> None:
    link = folder((tmp_path / path).parent) / Path(path).name
    link.symlink_to(link if target == ".gekko" else target)

    with pytest.raises(ConfigurationError) as refused:
        find_scopes(environ, home, home)

    assert [issue.where.path for issue in refused.value.issues] == [link]


def test_a_scope_that_somebody_may_count_on_is_named_where_it_is_skipped(
    environ: dict[str, str], home: Path, tmp_path: Path
) -> None:
    environ["XDG_CONFIG_HOME"] = "relative"

    system, user = skipped_scopes(environ, home, home)

    assert str(tmp_path / "system") in system
    assert "'relative'" in user
    assert str(home / ".config/gekko") in user


@pytest.mark.parametrize("named", ["", "{tmp}/there"], ids=["unset", "there"])
def test_a_scope_that_nobody_named_is_skipped_in_silence(home: Path, tmp_path: Path, named: str) -> None:
    folder(tmp_path / "there")

    assert list(skipped_scopes({"GKO_SYSTEM_DIR": named.format(tmp=tmp_path)}, home, home)) == []


def test_a_scope_in_a_folder_that_cannot_be_looked_into_is_named(home: Path) -> None:
    (home / ".config").symlink_to(".config")

    (user,) = skipped_scopes({}, home, home)

    assert str(home / ".config/gekko") in user


@pytest.mark.parametrize(
    ("value", "root"),
    [
        pytest.param("{tmp}/xdg", "xdg/gekko", id="absolute"),
        pytest.param("", "home/.config/gekko", id="empty"),
        pytest.param("xdg", "home/.config/gekko", id="relative-is-invalid"),
    ],
)
def test_the_users_scope_is_where_xdg_says(
    environ: dict[str, str], home: Path, tmp_path: Path, value: str, root: str
) -> None:
    for path in ("xdg/gekko", "home/xdg/gekko", "home/.config/gekko"):
        folder(tmp_path / path)
    environ["XDG_CONFIG_HOME"] = value.format(tmp=tmp_path)

    assert find_scopes(environ, home, home) == (Scope("user", tmp_path / root),)


@pytest.mark.parametrize("value", ["", None])
def test_an_empty_system_folder_is_an_unset_one(home: Path, value: str | None) -> None:
    environ = {} if value is None else {"GKO_SYSTEM_DIR": value}

    roots = [scope.root for scope in find_scopes(environ, home, home)]

    assert roots in ([], [Path("/etc/gekko")])


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        pytest.param(["home/a/.gekko", "home/.gekko"], "home/a/.gekko", id="nearest"),
        pytest.param(["home/.gekko"], "home/.gekko", id="home-is-looked-into"),
        pytest.param([".gekko"], None, id="not-above-home"),
        pytest.param(["home/a/.git", "home/a/.gekko"], "home/a/.gekko", id="repository-is-looked-into"),
        pytest.param(["home/a/.git", "home/.gekko"], None, id="not-above-a-repository"),
        pytest.param(["home/a/b/.git", "home/a/.gekko"], None, id="nearest-repository"),
    ],
)
def test_the_project_is_the_nearest_up_to_the_repository_or_home(
    environ: dict[str, str], home: Path, tmp_path: Path, present: list[str], expected: str | None
) -> None:
    for path in present:
        folder(tmp_path / path)

    scopes = find_scopes(environ, folder(home / "a/b"), home)

    assert scopes == (() if expected is None else (Scope("project", tmp_path / expected),))


def test_a_git_file_ends_the_walk(environ: dict[str, str], home: Path) -> None:
    folder(home / ".gekko")
    (folder(home / "worktree") / ".git").write_text("gitdir: elsewhere")

    assert find_scopes(environ, home / "worktree", home) == ()


def test_outside_home_the_walk_goes_on_to_the_root(environ: dict[str, str], home: Path, tmp_path: Path) -> None:
    project = folder(tmp_path / ".gekko")

    assert find_scopes(environ, folder(tmp_path / "elsewhere/deep"), home) == (Scope("project", project),)


def test_a_home_behind_a_link_ends_the_walk(environ: dict[str, str], home: Path, tmp_path: Path) -> None:
    folder(tmp_path / ".gekko")
    (tmp_path / "link").symlink_to(home)

    assert find_scopes(environ, home, tmp_path / "link") == ()


@pytest.mark.parametrize("path", ["home/.gekko", "system", "home/.config/gekko"])
def test_a_file_where_a_scope_should_be_is_an_error(
    environ: dict[str, str], home: Path, tmp_path: Path, path: str
) -> None:
    folder((tmp_path / path).parent)
    (tmp_path / path).write_text("")

    with pytest.raises(ConfigurationError) as refused:
        find_scopes(environ, home, home)

    assert [issue.where.path for issue in refused.value.issues] == [tmp_path / path]


def test_a_named_folder_is_the_project(environ: dict[str, str], home: Path) -> None:
    folder(home / ".gekko")
    by_variable, by_flag = folder(home / "variable"), folder(home / "flag")
    environ["GKO_CONFIG_DIR"] = "variable"

    assert find_scopes(environ, home, home) == (Scope("project", by_variable),)
    assert find_scopes(environ, home, home, Path("flag")) == (Scope("project", by_flag),)


def test_an_empty_variable_names_nothing(environ: dict[str, str], home: Path) -> None:
    environ["GKO_CONFIG_DIR"] = ""

    assert find_scopes(environ, home, home) == ()


@pytest.mark.parametrize("content", [None, ""])
@pytest.mark.parametrize("source", ["--config-dir", "GKO_CONFIG_DIR"])
def test_a_named_folder_that_is_not_there_is_an_error(
    environ: dict[str, str], home: Path, source: str, content: str | None
) -> None:
    if content is not None:
        (home / "missing").write_text(content)
    if source == "GKO_CONFIG_DIR":
        environ[source] = "missing"

    with pytest.raises(ConfigurationError) as refused:
        find_scopes(environ, home, home, Path("missing") if source == "--config-dir" else None)

    assert source in str(refused.value)
    assert [issue.where.path for issue in refused.value.issues] == [home / "missing"]


def test_one_folder_is_one_scope(environ: dict[str, str], home: Path, tmp_path: Path) -> None:
    user = folder(home / ".config/gekko")
    (tmp_path / "system").symlink_to(user)

    assert find_scopes(environ, home, home) == (Scope("user", user),)
    assert find_scopes(environ, home, home, user) == (Scope("project", user),)


def test_windows_has_folders_of_its_own(home: Path, tmp_path: Path) -> None:
    system, user = folder(tmp_path / "ProgramData/gekko"), folder(home / "Roaming/gekko")
    default = folder(home / "AppData/Roaming/gekko")
    environ = {"PROGRAMDATA": str(tmp_path / "ProgramData"), "APPDATA": str(home / "Roaming")}

    found = find_scopes(environ, home, home, platform="win32")
    without = find_scopes({"PROGRAMDATA": str(tmp_path)}, home, home, platform="win32")

    assert found == (Scope("system", system), Scope("user", user))
    assert without == (Scope("user", default),)
