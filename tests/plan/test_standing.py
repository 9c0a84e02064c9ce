"""A key of `[expect]` that cannot stand there: what was meant, and how that is written."""

from typing import Final

import pytest

from gekko.checks.checker import Place
from gekko.checks.outcome import Format
from gekko.checks.registry import Registry, discover
from gekko.plan.standing import misfit, unknown

SCHEMA: Final = {"type": "object", "properties": {"category": {}, "tags": {}, "exit_code": {}}}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return discover()


def hint_of(registry: Registry, key: str, output_format: Format = "json", schema: object = None) -> str:
    """Return the hint for a key of `[expect]` that nobody registered."""
    problem, hint = unknown(key, Place.EXPECT, registry, output_format, schema)
    assert problem == "unknown expectation"
    return hint


class TestAForgottenSlash:
    def test_of_a_member_that_the_schema_names_is_all_there_is_to_say(self, registry: Registry) -> None:
        hint = hint_of(registry, "category", schema=SCHEMA)

        assert "did you mean '/category'?" in hint
        assert "plug-in" not in hint

    def test_of_a_member_that_is_misspelt_too(self, registry: Registry) -> None:
        assert "did you mean '/category'?" in hint_of(registry, "categorie", schema=SCHEMA)

    @pytest.mark.parametrize("schema", [None, True, {}, {"properties": 1}, SCHEMA])
    def test_of_a_member_that_no_schema_names_is_possible(self, registry: Registry, schema: object) -> None:
        hint = hint_of(registry, "judge_says", schema=schema)

        assert '"/judge_says"' in hint
        assert "plug-in" in hint

    def test_is_not_meant_by_a_slip_of_an_expectation(self, registry: Registry) -> None:
        assert hint_of(registry, "exit_cod", schema=SCHEMA) == "did you mean 'exit_code'?"

    @pytest.mark.parametrize(("key", "output_format"), [("category", "text"), ("", "json")])
    def test_is_none_where_there_is_no_such_place(self, registry: Registry, key: str, output_format: Format) -> None:
        assert "slash" not in hint_of(registry, key, output_format)


@pytest.mark.parametrize("key", ["input", "args", "tags", "repeat"])
@pytest.mark.parametrize("output_format", ["text", "json"])
def test_a_key_of_the_case_belongs_above(registry: Registry, key: str, output_format: Format) -> None:
    hint = hint_of(registry, key, output_format)

    assert hint == f"'{key}' belongs at the top level, above every [table]"


def test_a_key_of_the_case_that_is_a_member_of_the_document_may_be_either(registry: Registry) -> None:
    hint = hint_of(registry, "tags", schema=SCHEMA)

    assert "'tags' belongs at the top level" in hint
    assert "did you mean '/tags'?" in hint


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_the_table_of_comparisons_belongs_to_a_pointer(registry: Registry, output_format: Format) -> None:
    hint = hint_of(registry, "is", output_format)

    assert '"/place" = { is = { COMPARISON = … } }' in hint
    assert ("JSON" in hint) == (output_format == "text")


def misfit_of(registry: Registry, key: str, place: Place, output_format: Format) -> str | None:
    """Return the hint for a registered key, or None where it can stand there."""
    claim = registry.find(key)
    assert claim is not None
    found = misfit(key, place, registry.load(claim), output_format)
    return found and found[1]


@pytest.mark.parametrize(
    ("key", "place", "output_format", "told"),
    [
        pytest.param("min", Place.EXPECT, "json", '"/place" = { is = { min = … } }', id="comparison"),
        pytest.param("min", Place.EXPECT, "text", "whose output is JSON", id="comparison-of-a-text"),
        pytest.param(
            "lines", Place.EXPECT, "json", '"/place" = { is = { lines = … } }', id="of-a-text-in-the-document"
        ),
        pytest.param("/a", Place.POINTER, "text", "'/a' is for 'json'", id="pointer-into-a-text"),
        pytest.param("exit_code", Place.VALUE, "json", "[expect]", id="no-comparison"),
    ],
)
def test_what_stands_in_the_wrong_place_is_told_the_right_one(
    registry: Registry, key: str, place: Place, output_format: Format, told: str
) -> None:
    hint = misfit_of(registry, key, place, output_format)

    assert hint is not None
    assert told in hint


@pytest.mark.parametrize(
    ("key", "place", "output_format"),
    [
        ("exit_code", Place.EXPECT, "text"),
        ("exit_code", Place.EXPECT, "json"),
        ("lines", Place.EXPECT, "text"),
        ("lines", Place.VALUE, "json"),
        ("min", Place.VALUE, "json"),
        ("/a", Place.POINTER, "json"),
    ],
)
def test_nothing_is_said_of_what_stands_in_its_place(
    registry: Registry, key: str, place: Place, output_format: Format
) -> None:
    assert misfit_of(registry, key, place, output_format) is None
