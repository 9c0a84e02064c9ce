"""Which case files a selection comes to before any of them is read."""

from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gekko.errors import UsageError
from gekko.plan.catalog import Catalog, load_catalog
from gekko.plan.selection import Selection, Shard, choose, known_tags
from gekko.sources.listing import CaseKey
from gekko.sources.scopes import Scope
from tests.project import Project

WORDS = st.text("abcdefgh-é", min_size=1, max_size=6)
KEYS = st.tuples(st.lists(WORDS, min_size=1, max_size=3).map(tuple), WORDS)


class TestShards:
    @given(st.sets(KEYS, max_size=50), st.integers(1, 9))
    def test_together_hold_every_case_once(self, keys: set[CaseKey], count: int) -> None:
        shards = [Shard(index, count) for index in range(1, count + 1)]

        assert [[shard.holds(key) for shard in shards].count(True) for key in keys] == [1] * len(keys)

    @given(st.sets(KEYS, max_size=20), st.sets(KEYS, max_size=20), st.integers(1, 9), st.data())
    def test_keep_their_cases_when_others_are_added(
        self, keys: set[CaseKey], added: set[CaseKey], count: int, data: st.DataObject
    ) -> None:
        shard = Shard(data.draw(st.integers(1, count)), count)

        before, after = (set(filter(shard.holds, some)) for some in (keys, keys | added))

        assert after - added == before - added

    def test_are_the_same_in_every_version(self) -> None:
        """Shards of one suite may run on machines with different versions of gko."""
        keys = [(("git", "review"), name) for name in ("hardware", "software", "nothing", "network")]

        assert [[index for index in range(1, 4) if Shard(index, 3).holds(key)] for key in keys] == [[2], [1], [1], [1]]

    def test_are_of_about_one_size(self) -> None:
        keys = [(("ask",), f"case-{number}") for number in range(4000)]

        sizes = [sum(Shard(index, 4).holds(key) for key in keys) for index in range(1, 5)]

        assert [900 < size < 1100 for size in sizes] == [True] * 4


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


def test_a_shard_narrows_what_was_selected_and_may_come_to_nothing(project: Project) -> None:
    shards = [chosen(project, Selection(words=("git",), shard=Shard(index, 40))) for index in range(1, 41)]

    assert sorted(case for shard in shards for case in shard) == chosen(project, Selection(words=("git",)))
    assert [] in shards


def test_tags_are_known_of_files_that_can_be_read(project: Project) -> None:
    for index, tags in enumerate(('["slow", "smoke"]', '["smoke", 7]', '"loose"', '["lone"]\nunknown = 1')):
        project.write(f"tests/ask/tagged-{index}.toml", f"tags = {tags}")

    assert known_tags(choose(catalog_of(project), Selection())[0]) == {"slow", "smoke", "lone"}
