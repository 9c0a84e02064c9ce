"""The keys that begin with "/"."""

import pytest

from expectations.equals import Equals
from expectations.pointer import Pointer
from gekko import MISSING, BindError, Checker, Mismatch, Place
from gekko.testkit import Context
from tests.expectations.judged import bound, mismatches


def pointer(key: str, value: object) -> Checker:
    return bound(Pointer, value, key, Place.POINTER)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("/", 1, id="the-member-with-the-empty-name"),
        pytest.param("/a~1b", 2, id="a-slash"),
        pytest.param("/m~0n", 3, id="a-tilde"),
        pytest.param("/~01", 4, id="a-tilde-is-undone-last"),
        pytest.param("/list/1", 5, id="an-index"),
        pytest.param("/list", [0, 5], id="an-array"),
        pytest.param("/01", 6, id="a-name-that-is-no-index"),
    ],
)
def test_a_pointer_finds_its_place(key: str, value: object) -> None:
    document = {"": 1, "a/b": 2, "m~n": 3, "~1": 4, "list": [0, 5], "01": 6}

    assert mismatches(pointer(key, value), document) == []


@pytest.mark.parametrize("key", ["/~", "/~2", "/a~", "/a/~x"])
def test_a_tilde_that_escapes_nothing_is_malformed(key: str) -> None:
    with pytest.raises(BindError):
        pointer(key, 1)


@pytest.mark.parametrize(
    "key", ["/list/-", "/list/2", "/list/01", "/list/-1", "/list/ 1", "/list/\u0661", "/categorie", "/category/x"]
)
@pytest.mark.parametrize("value", ["hardware", {"min": 0}, {"is": {"equals": 1, "lines": 1}}, {"min": 1, "max": 2}])
def test_a_place_that_is_not_there_fails_once(key: str, value: object) -> None:
    document = {"category": "hardware", "list": [1, 2]}

    [mismatch] = mismatches(pointer(key, value), document)

    assert (mismatch.found, mismatch.at) == (MISSING, "")


def test_a_missing_place_is_told_with_how_far_the_document_goes() -> None:
    [mismatch] = mismatches(pointer("/ticket/categorie", "hardware"), {"ticket": {"category": "hardware"}})

    assert '"hardware"' in mismatch.expected
    assert "/ticket" in mismatch.expected
    assert "did you mean 'category'?" in mismatch.expected


@pytest.mark.parametrize(
    "value", [{"min": 1, "max": 2}, {"min": 1, "is": {"min": 1}}, {"max": 2}, {"is": 1, "x": 2}, {}, {"x": {"min": 1}}]
)
def test_a_table_that_is_neither_form_is_an_exact_value(value: object) -> None:
    checker = pointer("/place", value)

    assert mismatches(checker, {"place": value}) == []
    assert len(mismatches(checker, {"place": 1.5})) == 1


def test_a_form_as_an_exact_value_is_written_with_equals() -> None:
    checker = pointer("/place", {"is": {"equals": {"is": 1}}})

    assert mismatches(checker, {"place": {"is": 1}}) == []
    assert mismatches(checker, {"place": 1}) == [Mismatch('{"is": 1}', 1)]


def test_every_comparison_has_its_say() -> None:
    checker = pointer("/place", {"is": {"lines": 1, "contains": ["b", "c"]}})

    assert [mismatch.found for mismatch in mismatches(checker, {"place": "a\nb"})] == ["a\nb", "a\nb"]


def test_only_the_places_that_differ_are_told_and_below_the_key() -> None:
    checker = pointer("/ticket", {"category": "hardware", "lines": [1, 2], "where": "b"})

    found = mismatches(checker, {"ticket": {"category": "hardware", "lines": [1, 3], "where": "c", "more": 1}})

    assert [(mismatch.at, mismatch.found) for mismatch in found] == [("/lines/1", 3), ("/where", "c"), ("/more", 1)]


@pytest.mark.parametrize(
    ("value", "there", "written"),
    [
        pytest.param({"min": 0.8, "max": 0.9}, 0.85, "{ is = { min = 0.8, max = 0.9 } }", id="range"),
        pytest.param({"contains": ["x"]}, "x", '{ is = { contains = ["x"] } }', id="contains"),
        pytest.param({"lines": 1}, "x", "{ is = { lines = 1 } }", id="lines"),
        pytest.param({"equals": {"min": 1}}, {"min": 1}, "", id="where-a-table-is-found-a-table-was-meant"),
        pytest.param({"equals": {"a": 1}}, "x", "{ is = { equals = { … } } }", id="a-table-inside"),
    ],
)
def test_a_missed_table_of_comparisons_is_told_how_they_are_written(value: object, there: object, written: str) -> None:
    found = mismatches(pointer("/place", value), {"place": there})

    assert all(written in mismatch.expected for mismatch in found)
    assert all(("is =" in mismatch.expected) == bool(written) for mismatch in found)
    assert found != []


def test_a_missed_table_of_a_plug_ins_comparisons_is_told_so_too() -> None:
    context = Context("/place", Place.POINTER, comparisons={"near": Equals})

    [mismatch] = mismatches(Pointer.bind({"near": 1, "lines": 2}, context), {"place": 1})

    assert "{ is = { near = 1, lines = 2 } }" in mismatch.expected


@pytest.mark.parametrize(
    ("value", "document"),
    [
        pytest.param({"min": 1, "max": 2}, {"place": {"min": 1, "max": 3}}, id="the-output-has-such-a-table"),
        pytest.param({"min": 1, "unit": "mm"}, {"place": 1}, id="other-members"),
        pytest.param({"exit_code": 4}, {"place": 1}, id="an-expectation-of-the-whole-run"),
        pytest.param({"/pointer": 4}, {"place": 1}, id="the-name-of-the-pointers-themselves"),
        pytest.param({}, {"place": 1}, id="an-empty-table"),
        pytest.param({"is": {"equals": {"min": 1, "max": 2}}}, {"place": 1}, id="meant-exactly"),
    ],
)
def test_what_was_hardly_meant_as_comparisons_gets_no_such_hint(value: object, document: object) -> None:
    [mismatch] = mismatches(pointer("/place", value), document)

    assert "is =" not in mismatch.expected


@pytest.mark.parametrize(
    ("value", "at"),
    [
        pytest.param({"min": float("nan")}, ("min",), id="nan-as-a-bound"),
        pytest.param({"is": 1}, ("is",), id="no-table"),
        pytest.param({"is": {}}, ("is",), id="nothing-compared"),
        pytest.param({"is": {"exit_code": 0}}, ("is", "exit_code"), id="no-comparison"),
        pytest.param({"is": {"mim": 0}}, ("is", "mim"), id="a-slip"),
        pytest.param({"is": {"lines": 1.0}}, ("is", "lines"), id="a-float-for-an-integer"),
        pytest.param({"x": [float("inf")]}, ("x", 0), id="inf-in-an-exact-value"),
    ],
)
def test_a_malformed_value_is_located(value: object, at: tuple[object, ...]) -> None:
    with pytest.raises(BindError) as caught:
        pointer("/place", value)

    assert [problem.at for problem in caught.value.problems] == [at]


def test_all_problems_of_one_table_are_told_together() -> None:
    with pytest.raises(BindError) as caught:
        pointer("/place", {"is": {"lines": -1, "contains": [""], "mim": 3}})

    assert [problem.at for problem in caught.value.problems] == [("is", "lines"), ("is", "contains", 0), ("is", "mim")]
