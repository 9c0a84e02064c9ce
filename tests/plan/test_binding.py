"""What cases that say the same share of what is bound, and what each has for itself."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import ClassVar, Final, Self

import pytest
from attrs import define, evolve, frozen

from gekko import BindContext, Checker, Judging, Outcome, Place
from gekko.checks.registry import GROUP, POINTERS, registry_of
from gekko.plan.binding import Binder, Surroundings
from gekko.sources.files import digest


class Silent(Checker):
    """Finds nothing."""

    places: ClassVar[frozenset[Place]] = frozenset({Place.EXPECT})

    def judge(self, value: object, outcome: Outcome) -> Judging:
        """Yield nothing."""
        yield from ()


@frozen
class FromFile(Silent):
    """Holds what a file says."""

    text: str

    @classmethod
    def bind(cls, value: object, context: BindContext) -> Self:
        """Read the file that the value names."""
        return cls(context.read_text(str(value)))


@define
class Changeable(Silent):
    """Could remember what it saw."""

    value: object


@define(eq=False)
class ByIdentity(Silent):
    """Has a hash that says nothing of what is in it."""

    value: object


@frozen
class Vicious(Silent):
    """Cannot be told from others."""

    value: object

    def __hash__(self) -> int:
        """Raise."""
        raise RuntimeError


CLASSES: Final = {
    "from_file": "tests.plan.test_binding:FromFile",
    "changeable": "tests.plan.test_binding:Changeable",
    "by_identity": "tests.plan.test_binding:ByIdentity",
    "vicious": "tests.plan.test_binding:Vicious",
    "lines": "expectations.lines:Lines",
    "min": "expectations.min:Min",
    POINTERS: "expectations.pointer:Pointer",
}


@pytest.fixture
def binder() -> Binder:
    return Binder(registry_of(EntryPoint(key, value, GROUP) for key, value in CLASSES.items()))


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return Surroundings("text", None, tmp_path, tmp_path)


def checkers(binder: Binder, key: str, value: object, *cases: Surroundings) -> list[Checker]:
    """Return the checker of each case, all of which say the same of one key."""
    found = []
    for around in cases:
        expectations, problems = binder.bind({key: value}, around)
        assert problems == []
        found.append(expectations.bound[0].checker)
    return found


def test_cases_that_say_the_same_share_a_checker(binder: Binder, around: Surroundings, tmp_path: Path) -> None:
    one, other = checkers(binder, "lines", 1, around, evolve(around, folder=tmp_path / "elsewhere"))

    assert one is other


def test_what_is_nested_in_a_shared_checker_is_known_of_each_case(binder: Binder, around: Surroundings) -> None:
    around = evolve(around, format="json")

    one, other = (binder.bind({"/a": {"min": 1}, "/b": {"min": 1}}, around)[0] for _ in range(2))

    assert [bound.key for bound in one.everyone] == ["/a", "/b", "min", "min"]
    assert other == one
    assert all(left is right for left, right in zip(one.everyone, other.everyone, strict=True))


@pytest.mark.parametrize(("value", "other"), [(1, 1.0), (1, True), ("1", 1)])
def test_values_of_different_types_are_not_the_same(
    binder: Binder, around: Surroundings, value: object, other: object
) -> None:
    around = evolve(around, format="json")

    [one], [another] = (checkers(binder, "/a", each, around) for each in (value, other))

    assert one is not another


def test_another_format_or_schema_is_not_the_same(binder: Binder, around: Surroundings) -> None:
    json = evolve(around, format="json")
    schemas = [evolve(json, output_schema={"type": "object"}) for _ in range(2)]

    found = checkers(binder, "/a", 1, json, *schemas)

    assert len({id(checker) for checker in found}) == 3
    assert checkers(binder, "/a", 1, schemas[-1])[0] is found[-1]


def test_a_file_is_read_for_each_case_and_noted_there(binder: Binder, around: Surroundings, tmp_path: Path) -> None:
    places = [evolve(around, folder=tmp_path / name, read=[]) for name in ("a", "b")]
    for place in places:
        place.folder.mkdir()
        (place.folder / "said.txt").write_text(place.folder.name)

    found = checkers(binder, "from_file", "said.txt", *places)

    assert found == [FromFile("a"), FromFile("b")]
    assert [place.read for place in places] == [[("said.txt", digest(name))] for name in (b"a", b"b")]


def test_a_file_that_was_read_before_is_noted_as_well(binder: Binder, around: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text("a")

    [one] = checkers(binder, "from_file", "said.txt", around)
    (tmp_path / "said.txt").write_text("b")
    [other] = checkers(binder, "from_file", "said.txt", around)

    assert (one, other) == (FromFile("a"), FromFile("b"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("changeable", 1, id="without-hash"),
        pytest.param("by_identity", 1, id="hash-of-the-object"),
        pytest.param("vicious", 1, id="hash-that-raises"),
        pytest.param("/a", [1], id="holds-a-list"),
    ],
)
def test_what_could_change_is_not_shared(binder: Binder, around: Surroundings, key: str, value: object) -> None:
    around = evolve(around, format="json")

    one, other = checkers(binder, key, value, around, around)

    assert one is not other


def test_what_is_wrong_is_told_of_every_case(binder: Binder, around: Surroundings) -> None:
    found = [binder.bind({"lines": -1}, around)[1] for _ in range(2)]

    assert len(found[0]) == 1
    assert found[0] == found[1]
