"""Which case files a selection comes to before any of them is read."""

from pathlib import Path

import pytest
from attrs import evolve

from gekko.errors import UsageError
from gekko.plan.catalog import Catalog, load_catalog
from gekko.plan.selection import Selection, choose, known_tags
from gekko.sources.scopes import Scope
from gekko.sources.shards import Shard
from tests.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with cases of two commands, of a group and of none."""
    project = Project(tmp_path)
    for name in ("hardware", "software", "soft"):
        project.case(f"git/review/{name}")
    project.case("ask/hardware")
    project.write("tests/ask/tagged.toml", 'tags = ["slow", "smoke"]\n[[[ broken')
    return project


def catalog_of(*projects: Project) -> Catalog:
    """Return what is configured in projects, the last being the most local."""
    scopes = [Scope("user", project.root) for project in projects[:-1]]
    return load_catalog([*scopes, Scope("project", projects[-1].root)])


def chosen(project: Project, selection: Selection) -> list[str]:
    cases, issues = choose(catalog_of(project), selection)
    assert issues == []
    return ["/".join((*words, name)) for words, name in cases]


class TestPatterns:
    @pytest.mark.parametrize(
        ("globs", "cases"),
        [
            (("hard*",), ["ask/hardware", "git/review/hardware"]),
            (("soft",), ["git/review/soft"]),
            (("[st]*", "hard*"), None),
            (("git/*",), ["git/review/hardware", "git/review/soft", "git/review/software"]),
            (("*/hardware",), ["ask/hardware", "git/review/hardware"]),
            (("ask/hardware", "soft"), ["ask/hardware", "git/review/soft"]),
        ],
    )
    def test_fit_the_name_or_the_whole_path(
        self, project: Project, globs: tuple[str, ...], cases: list[str] | None
    ) -> None:
        everything = chosen(project, Selection())

        assert chosen(project, Selection(cases=globs)) == (everything if cases is None else cases)

    @pytest.mark.parametrize(("glob", "near"), [("hardwrae", "hardware"), ("Hard*", "hardware"), ("ask/hard", None)])
    def test_that_fit_nothing_are_refused_with_the_nearest_name(
        self, project: Project, glob: str, near: str | None
    ) -> None:
        with pytest.raises(UsageError) as refused:
            choose(catalog_of(project), Selection(cases=("soft", glob)))

        assert f"'{glob}'" in str(refused.value)
        assert f"'{near or 'ask/hardware'}'" in str(refused.value)

    def test_fit_within_the_words_alone(self, project: Project) -> None:
        selection = Selection(words=("ask",), cases=("soft*",))

        with pytest.raises(UsageError, match="'ask'"):
            choose(catalog_of(project), selection)

        assert chosen(project, evolve(selection, words=("git",))) == ["git/review/soft", "git/review/software"]


class TestFiles:
    def test_of_every_scope_are_cases(self, tmp_path: Path) -> None:
        broad, local = Project(tmp_path / "broad"), Project(tmp_path / "local")
        for project in (broad, local):
            project.case("ask/both")
        own = broad.case("ask/own")
        files = (own, local.root / "tests/ask/both.toml")

        cases, issues = choose(catalog_of(broad, local), Selection(files=files))

        assert issues == []
        assert [(name, path) for (_, name), (path, _) in cases.items()] == [("both", files[1]), ("own", own)]

    def test_that_a_more_local_one_replaces_are_refused_with_that(self, tmp_path: Path) -> None:
        broad, local = Project(tmp_path / "broad"), Project(tmp_path / "local")
        hidden, shown = broad.case("ask/both"), local.case("ask/both")

        with pytest.raises(UsageError) as refused:
            choose(catalog_of(broad, local), Selection(files=(hidden,)))

        assert [str(path) in str(refused.value) for path in (hidden, shown)] == [True, True]

    def test_are_found_by_any_spelling_of_their_path(self, project: Project, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(project.root)
        spellings = [
            project.root / "tests/ask/hardware.toml",
            project.root / "tests/ask/../ask/./hardware.toml",
            link / "tests/ask/hardware.toml",
        ]

        assert [chosen(project, Selection(files=(path,))) for path in spellings] == [["ask/hardware"]] * 3

    def test_below_a_link_are_the_case_that_they_are_spelt_as(self, project: Project) -> None:
        (project.root / "tests/other").symlink_to(project.root / "tests/ask")

        assert chosen(project, Selection(files=(project.root / "tests/other/hardware.toml",))) == ["other/hardware"]
        assert chosen(project, Selection(files=(project.root / "tests/ask/hardware.toml",))) == ["ask/hardware"]

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("tests/ask/hardwrae.toml", "hardware.toml"),
            ("tests/akk/hardware.toml", "no such file"),
            ("tests/hardware.toml", "COMMAND PATH"),
            ("notes/hardware.toml", "COMMAND PATH"),
            ("tests/ask/.hidden.toml", "'.'"),
        ],
    )
    def test_that_are_no_case_are_refused_with_the_reason(self, project: Project, name: str, told: str) -> None:
        if told not in ("hardware.toml", "no such file"):
            project.write(name, "")

        with pytest.raises(UsageError) as refused:
            choose(catalog_of(project), Selection(files=(project.root / name,)))

        assert str(project.root / name) in str(refused.value)
        assert told in str(refused.value)

    def test_leave_what_is_wrong_with_their_neighbours_alone(self, project: Project) -> None:
        project.case("ask/Hard ware")
        project.write("tests/ask/misnamed.tml", "")

        cases, issues = choose(catalog_of(project), Selection(files=(project.root / "tests/ask/hardware.toml",)))

        assert ([name for _, name in cases], issues) == (["hardware"], [])

    def test_with_an_impossible_name_are_an_issue(self, project: Project) -> None:
        path = project.case("ask/hard ware")

        cases, issues = choose(catalog_of(project), Selection(files=(path,)))

        assert (dict(cases), [issue.where.path for issue in issues]) == ({}, [path])


def test_the_files_are_those_of_all_shards(project: Project) -> None:
    whole = chosen(project, Selection(words=("git",)))

    assert [chosen(project, Selection(words=("git",), shard=Shard(index, 2))) for index in (1, 2)] == [whole] * 2


def test_tags_are_known_of_files_that_can_be_read(project: Project) -> None:
    for index, tags in enumerate(('["slow", "smoke"]', '["smoke", 7]', '"loose"', '["lone"]\nunknown = 1')):
        project.write(f"tests/ask/tagged-{index}.toml", f"tags = {tags}")

    assert known_tags(choose(catalog_of(project), Selection())[0]) == {"slow", "smoke", "lone"}
