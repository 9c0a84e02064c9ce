"""Which files a scope has."""

import os
from pathlib import Path
from typing import Literal

import pytest

from gekko.errors import ConfigurationError
from gekko.sources.listing import MOST_LINKS, CommandPath, Listing, list_cases, list_commands, list_specs
from gekko.sources.scopes import Scope


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return Scope("project", tmp_path / ".gekko")


def write(scope: Scope, *paths: str) -> None:
    for path in paths:
        (scope.root / path).parent.mkdir(parents=True, exist_ok=True)
        (scope.root / path).write_text("")


def problems(listing: Listing[CommandPath], scope: Scope) -> list[tuple[CommandPath, str]]:
    """Return the words of each problem, and the path that it names."""
    return [
        (problem.words, problem.issue.where.path.relative_to(scope.root).as_posix()) for problem in listing.problems
    ]


def test_an_empty_scope_has_nothing(scope: Scope) -> None:
    assert list_specs(scope, "backends") == ()
    assert list_commands(scope) == Listing({})
    assert list_cases(scope) == Listing({})


def test_backends_and_models_are_the_toml_files_of_their_folder(scope: Scope) -> None:
    write(scope, "backends/b.toml", "backends/a.toml", "backends/.c.toml", "backends/d.TOML", "backends/sub/e.toml")
    write(scope, "models/m.toml", "models/notes.md")

    assert list_specs(scope, "backends") == (scope.root / "backends/a.toml", scope.root / "backends/b.toml")
    assert list_specs(scope, "models") == (scope.root / "models/m.toml",)


def test_a_folder_of_backends_that_is_none_is_an_error(scope: Scope) -> None:
    write(scope, "backends")

    with pytest.raises(ConfigurationError) as refused:
        list_specs(scope, "backends")

    assert refused.value.issues[0].where.path == scope.root / "backends"


def test_commands_have_the_words_of_their_path(scope: Scope) -> None:
    write(scope, "commands/git/review.md", "commands/git.md", "commands/a-b.md", "commands/a.md", "commands/é.md")
    write(scope, "commands/git/notes.txt", "commands/README", "commands/x.MD")

    listing = list_commands(scope)

    assert listing.problems == ()
    assert list(listing.files.items()) == [
        (("a",), scope.root / "commands/a.md"),
        (("a-b",), scope.root / "commands/a-b.md"),
        (("git",), scope.root / "commands/git.md"),
        (("git", "review"), scope.root / "commands/git/review.md"),
        (("é",), scope.root / "commands/é.md"),
    ]


def test_names_that_begin_with_a_dot_are_ignored_in_every_folder(scope: Scope) -> None:
    write(scope, "commands/.a.md", "commands/.git/b.md", "commands/c/.d.md", "commands/c/.e/f.md")

    assert list_commands(scope) == Listing({})


def test_cases_have_a_command_and_a_name(scope: Scope) -> None:
    write(scope, "tests/git/review/a.toml", "tests/git/review/a-b.toml", "tests/git/c.toml", "tests/d/e.toml")
    write(scope, "tests/git/review/a.txt")

    assert list(list_cases(scope).files.items()) == [
        ((("d",), "e"), scope.root / "tests/d/e.toml"),
        ((("git",), "c"), scope.root / "tests/git/c.toml"),
        ((("git", "review"), "a"), scope.root / "tests/git/review/a.toml"),
        ((("git", "review"), "a-b"), scope.root / "tests/git/review/a-b.toml"),
    ]


@pytest.mark.parametrize(
    ("within", "found"),
    [
        pytest.param(("git",), {(("git",), "c"), (("git", "review"), "a")}, id="group"),
        pytest.param(("git", "review"), {(("git", "review"), "a")}, id="command"),
        pytest.param(("nothing",), set(), id="nothing"),
        pytest.param(("..", "tests"), set(), id="no-way-up"),
        pytest.param(("git/review",), set(), id="no-separator"),
    ],
)
def test_cases_are_looked_for_where_they_are_selected(
    scope: Scope, within: CommandPath, found: set[tuple[CommandPath, str]]
) -> None:
    write(scope, "tests/git/review/a.toml", "tests/git/c.toml", "tests/d/e.toml", "tests/homeless.toml")

    listing = list_cases(scope, within)

    assert (set(listing.files), listing.problems) == (found, ())


def test_a_case_of_no_command_is_a_problem(scope: Scope) -> None:
    write(scope, "tests/homeless.toml", "tests/git/c.toml")

    listing = list_cases(scope)

    assert list(listing.files) == [(("git",), "c")]
    assert [problem.issue.where.path for problem in listing.problems] == [scope.root / "tests/homeless.toml"]


@pytest.mark.parametrize("name", ["a b", "-a", "a\tb", "a\u00a0b", "a\u200bb", "a\nb"])
def test_a_name_that_nobody_could_type_is_a_problem(scope: Scope, name: str) -> None:
    write(scope, f"commands/x/{name}.md", f"commands/{name}/y.md", f"commands/{name}/z.md", "commands/fine.md")

    listing = list_commands(scope)

    assert list(listing.files) == [("fine",)]
    assert problems(listing, scope) == [((name,), f"commands/{name}"), (("x", name), f"commands/x/{name}.md")]


def test_a_name_that_is_no_text_is_a_problem(scope: Scope) -> None:
    write(scope, "commands/fine.md")
    Path(os.fsdecode(os.fsencode(scope.root / "commands") + b"/\xff.md")).write_text("")

    listing = list_commands(scope)

    assert list(listing.files) == [("fine",)]
    (problem,) = listing.problems
    assert "\\udcff" in problem.issue.problem


def test_a_folder_without_commands_may_be_called_anything(scope: Scope) -> None:
    write(scope, "commands/fine.md", "commands/Raw Data/x.txt")

    assert list_commands(scope).problems == ()


def test_names_that_differ_by_letter_case_alone_are_a_problem_each(scope: Scope) -> None:
    write(scope, "commands/Git.md", "commands/git/review.md", "commands/a/x.md", "commands/b/X.md", "commands/GIT.md")

    listing = list_commands(scope)

    assert list(listing.files) == [("a", "x"), ("b", "X")]
    assert problems(listing, scope) == [
        (("GIT",), "commands/GIT.md"),
        (("Git",), "commands/Git.md"),
        (("git",), "commands/git"),
    ]


def test_a_case_may_be_called_like_a_group(scope: Scope) -> None:
    write(scope, "tests/git/Review.toml", "tests/git/review/a.toml", "tests/git/b.toml", "tests/git/B.toml")

    listing = list_cases(scope)

    assert set(listing.files) == {(("git",), "Review"), (("git", "review"), "a")}
    assert [problem.words for problem in listing.problems] == [("git", "B"), ("git", "b")]


def test_a_folder_of_commands_that_is_none_is_an_error(scope: Scope) -> None:
    write(scope, "commands")

    with pytest.raises(ConfigurationError) as refused:
        list_commands(scope)

    assert [issue.where.path for issue in refused.value.issues] == [scope.root / "commands"]


def test_a_folder_of_cases_that_is_none_is_a_problem(scope: Scope) -> None:
    write(scope, "tests")

    assert [problem.issue.where.path for problem in list_cases(scope).problems] == [scope.root / "tests"]


@pytest.mark.parametrize("target", [".", "..", "../..", "/", "loop", "nowhere"])
def test_a_link_to_no_folder_below_is_a_problem_of_its_own_path(scope: Scope, target: str) -> None:
    write(scope, "commands/git/review.md")
    (scope.root / "commands/git/loop").symlink_to(target)

    listing = list_commands(scope)

    assert dict(listing.files) == {("git", "review"): scope.root / "commands/git/review.md"}
    assert problems(listing, scope) == [(("git", "loop"), "commands/git/loop")]


@pytest.mark.parametrize("within", [(), ("git",), ("git", "review")], ids=len)
@pytest.mark.parametrize("link", ["tests", "tests/git"])
def test_cases_behind_a_link_that_leads_nowhere_are_a_problem(scope: Scope, within: CommandPath, link: str) -> None:
    (scope.root / link).parent.mkdir(parents=True)
    (scope.root / link).symlink_to("nowhere")

    (problem,) = list_cases(scope, within).problems

    assert problem.issue.where.path == scope.root / link
    assert "'nowhere'" in problem.issue.hint


@pytest.mark.parametrize("kind", ["backends", "models", "commands"])
def test_a_folder_that_is_a_link_to_nowhere_is_an_error(
    scope: Scope, kind: Literal["backends", "models", "commands"]
) -> None:
    scope.root.mkdir()
    (scope.root / kind).symlink_to("nowhere")

    with pytest.raises(ConfigurationError) as refused:
        list_commands(scope) if kind == "commands" else list_specs(scope, kind)

    assert [issue.where.path for issue in refused.value.issues] == [scope.root / kind]


@pytest.mark.parametrize("name", ["a.TOML", "a.tml", "a.toml.txt", "a"])
def test_a_case_with_a_wrong_suffix_is_a_problem(scope: Scope, name: str) -> None:
    write(scope, f"tests/git/{name}")
    (scope.root / "tests/git" / name).write_text('input = ""\n[expect]\n')

    listing = list_cases(scope)

    assert listing.files == {}
    (problem,) = listing.problems
    assert (problem.words, problem.issue.where.path.name) == (("git", "a"), name)
    assert "'a.toml'" in problem.issue.hint


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml.txt", '[project]\nname = "an input"\n'),
        ("a.TOML", "an input"),
        ("hardware", "What I expect is = a printer"),
        ("a.toml.bak", '[expect]\n"/a" = 1\n'),
        ("a.toml~", '[expect]\n"/a" = 1\n'),
        ("a.html", "[expect]\n"),
        (".a.TOML", "[expect]\n"),
        ("b.toml.txt", "[expect]\n"),
    ],
    ids=str,
)
def test_what_a_case_may_have_beside_it_is_none(scope: Scope, name: str, text: str) -> None:
    write(scope, "tests/git/b.toml", f"tests/git/{name}")
    (scope.root / "tests/git" / name).write_text(text)

    assert list_cases(scope) == Listing({(("git",), "b"): scope.root / "tests/git/b.toml"})


@pytest.mark.parametrize("name", ["x.MD", "x.markdown", "x.md.txt", "x"])
def test_a_command_with_a_wrong_suffix_is_a_problem_of_that_command(scope: Scope, name: str) -> None:
    write(scope, "commands/fine.md", f"commands/git/{name}", "commands/README.MD", "commands/notes.markdown")
    (scope.root / "commands/git" / name).write_text('---\nmodel = "fast"\n---\nHello\n')
    (scope.root / "commands/notes.markdown").write_text("---\ntitle: of a page\n---\nHello\n")

    listing = list_commands(scope)

    assert list(listing.files) == [("fine",)]
    assert problems(listing, scope) == [(("git", "x"), f"commands/git/{name}")]


@pytest.mark.parametrize("within", [(), ("git",)], ids=len)
def test_cases_in_a_folder_that_is_almost_called_tests_are_a_problem(scope: Scope, within: CommandPath) -> None:
    write(scope, "test/git/a.toml")
    (scope.root / "test/git/a.toml").write_text("[expect]\n")

    (problem,) = list_cases(scope, within).problems

    assert problem.issue.where.path == scope.root / "test"
    assert "'tests'" in problem.issue.hint


@pytest.mark.parametrize(
    ("paths", "within"),
    [
        pytest.param(["test/git/a.toml", "tests/git/b.toml"], (), id="beside-tests"),
        pytest.param(["tests-old/git/a.toml"], (), id="set-aside"),
        pytest.param([".test/git/a.toml"], (), id="hidden"),
        pytest.param(["texts/a.md"], (), id="of-another-kind"),
        pytest.param(["test/git/a.toml"], ("ask",), id="not-selected"),
    ],
)
def test_other_folders_beside_tests_are_no_problem(scope: Scope, paths: list[str], within: CommandPath) -> None:
    write(scope, *paths)
    for path in paths:
        (scope.root / path).write_text("[expect]\n")

    assert list_cases(scope, within).problems == ()


def test_folders_that_link_to_each_other_end(scope: Scope, tmp_path: Path) -> None:
    write(scope, "commands/a/x.md", "commands/b/y.md")
    (scope.root / "commands/a/to-b").symlink_to("../b")
    (scope.root / "commands/b/to-a").symlink_to("../a")

    listing = list_commands(scope)

    assert set(listing.files) == {("a", "x"), ("b", "y"), ("a", "to-b", "y"), ("b", "to-a", "x")}
    assert listing.problems == ()


def test_links_elsewhere_are_followed(scope: Scope, tmp_path: Path) -> None:
    write(scope, "commands/x.md")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/y.md").write_text("")
    for name in ("a", "b"):
        (scope.root / "commands" / name).symlink_to(tmp_path / "shared")
    (scope.root / "commands/z.md").symlink_to(tmp_path / "nowhere.md")

    assert set(list_commands(scope).files) == {("x",), ("a", "y"), ("b", "y"), ("z",)}


def test_links_that_multiply_folders_end_in_a_problem(scope: Scope, tmp_path: Path) -> None:
    for level in range(15):
        (tmp_path / f"level{level}").mkdir()
        for side in ("left", "right"):
            (tmp_path / f"level{level}" / side).symlink_to(tmp_path / f"level{level + 1}")
    (tmp_path / "level15").mkdir()
    scope.root.mkdir()
    (scope.root / "commands").symlink_to(tmp_path / "level0")

    with pytest.raises(ConfigurationError) as refused:
        list_commands(scope)

    assert str(MOST_LINKS) in str(refused.value)
