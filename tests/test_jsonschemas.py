"""Schemas: which are valid, where their references lead, what they object to, and what is sent of them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.jsonschemas import CannotEvaluate, Schema, SchemaError, bundle, fragment_validator, load
from gekko.jsonschemas.schema import MOST_VIOLATIONS
from gekko.limits import JSON_DEPTH
from tests.json_values import VALUES

DRAFTS = [
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
]

TICKET = {
    "type": "object",
    "properties": {
        "category": {"enum": ["hardware", "software"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["category", "confidence"],
    "additionalProperties": False,
}


class Folder:
    """A folder of schema files, of which it is known which were read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read: list[str] = []

    def write(self, name: str, content: object) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def load(self, content: object, **others: object) -> Schema:
        """Load a schema from `root.json`; each of *others* is the content of another file, by its stem."""
        for stem, other in others.items():
            self.write(f"{stem}.json", other)
        return load(self.write("root.json", content), self.reader)

    def reader(self, path: Path) -> bytes:
        self.read.append(str(path.relative_to(self.path)))
        return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def problems(folder: Folder, content: object, **others: object) -> list[tuple[str, str, str]]:
    """Return what is wrong with a schema: file, pointer and reason."""
    with pytest.raises(SchemaError) as caught:
        folder.load(content, **others)
    return [(each.file.name if each.file else "", each.pointer, each.reason) for each in caught.value.problems]


# --- what a schema objects to


def test_every_violation_is_listed_by_place(folder: Folder) -> None:
    schema = folder.load(TICKET)

    violations = schema.violations({"category": "hardwre", "confidence": 5, "tags": [1, "a", None], "tag": "x"})

    assert violations == [
        'at /category: expected "hardware" or "software", found the string "hardwre"; did you mean \'hardware\'?',
        "at /confidence: expected a number of at most 1, found the number 5",
        "at /tag: unknown member; did you mean 'tags'?",
        "at /tags/0: expected a string, found the number 1",
        "at /tags/2: expected a string, found null",
    ]


def test_items_are_ordered_by_number(folder: Folder) -> None:
    violations = folder.load({"items": {"type": "string"}}).violations(list(range(12)))

    assert [text.split(":")[0] for text in violations] == [f"at /{index}" for index in range(12)]


@pytest.mark.parametrize(
    ("schema", "value", "violation"),
    [
        ({"type": "integer"}, "1", 'at the root: expected an integer, found the string "1"'),
        ({"type": ["integer", "null"]}, True, "at the root: expected an integer or null, found true"),
        ({"type": "object"}, [], "at the root: expected an object, found an empty array"),
        ({"const": 5}, 6, "at the root: expected 5, found the number 6"),
        ({"exclusiveMinimum": 1}, 1, "at the root: expected a number above 1, found the number 1"),
        ({"multipleOf": 2}, 3, "at the root: expected a multiple of 2, found the number 3"),
        ({"minLength": 1}, "", 'at the root: expected at least 1 character, found the string ""'),
        ({"pattern": "^a$"}, "b", 'at the root: expected a string that matches "^a$", found the string "b"'),
        ({"minItems": 2}, [1], "at the root: expected at least 2 items, found the array [1]"),
        ({"uniqueItems": True}, [1, 1.0], "at the root: expected items that all differ, found the array [1, 1.0]"),
        ({"required": ["a", "b", "c"]}, {"b": 1}, "at the root: lacks the required members 'a' and 'c'"),
        ({"not": {"const": 1}}, 1, 'at the root: expected anything that does not fit {"const": 1}, found the number 1'),
        ({"properties": {"~/": False}}, {"~/": 1}, "at /~0~1: nothing is accepted here, found the number 1"),
        ({"items": False}, [[]], "at /0: nothing is accepted here, found an empty array"),
        ({"prefixItems": [True, False]}, [0, 1], "at /1: nothing is accepted here, found the number 1"),
        ({"$schema": DRAFTS[3], "items": [False]}, [1], "at /0: nothing is accepted here, found the number 1"),
        ({"patternProperties": {"^x": False}}, {"x": 1}, "at /x: nothing is accepted here, found the number 1"),
        (
            {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            {"a": 1, "b": 2},
            "at the root: Unevaluated properties are not allowed ('b' was unexpected)",
        ),
        (
            {"anyOf": [{"type": "null"}, {"type": "array"}]},
            1,
            "at the root: fits no alternative: expected null, found the number 1; expected an array, found ",
        ),
        (
            {"anyOf": [False, {"properties": {"a": {"type": "string"}}, "type": "object"}]},
            {"a": 1},
            "at /a: expected a string, found the number 1",
        ),
        (
            {"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "string"}}, "type": "object"}]},
            {"a": 1},
            "at /a: expected a string, found the number 1",
        ),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
            1,
            "at the root: fits more than one alternative, where exactly one is accepted; found the number 1",
        ),
        (
            {"$schema": DRAFTS[1], "minimum": 5, "exclusiveMinimum": True},
            5,
            "at the root: expected a number above 5, found the number 5",
        ),
        ({"$schema": DRAFTS[0], "type": [{"minimum": 2}]}, 1, 'at the root: expected what fits {"minimum": 2}, found'),
    ],
)
def test_a_violation_says_what_is_accepted_and_what_was_found(
    folder: Folder, schema: object, value: object, violation: str
) -> None:
    (found,) = folder.load(schema).violations(value)

    assert found.startswith(violation)


def test_violations_are_short_whatever_was_found(folder: Folder) -> None:
    schema = folder.load({"enum": ["x" * 5000], "dependentRequired": {"a": ["y" * 5000]}, "maxProperties": 0})

    violations = schema.violations({"a": "\x1b[31m" + "z" * 5000})

    assert len(violations) == 3
    assert all(len(text) < 400 and text.isprintable() for text in violations)


def test_the_place_of_a_violation_is_short_whatever_its_name(folder: Folder) -> None:
    schema = folder.load({"additionalProperties": {"type": "string"}})

    violations = schema.violations({"\x1b[31m": 1, "y" * 5000: 1, "\ud800": 1})

    assert [text.partition(":")[0] for text in violations[:1]] == ["at /\\u001b[31m"]
    assert len(violations) == 3
    assert all(len(text) < 600 and text.isprintable() for text in violations)


def test_of_a_million_members_that_nobody_accepts_the_first_are_looked_at(folder: Folder) -> None:
    schema = folder.load({"properties": {"category": {}}, "additionalProperties": False})

    violations = schema.violations({f"categori-{number}": 0 for number in range(1_000_000)})

    assert len(violations) == MOST_VIOLATIONS + 1
    assert violations[0] == "at /categori-0: unknown member; did you mean 'category'?"


def test_listing_violations_ends(folder: Folder) -> None:
    schema = folder.load({"items": {"type": "string"}})

    violations = schema.violations([0] * (MOST_VIOLATIONS + 2))

    assert len(violations) == MOST_VIOLATIONS + 1


@pytest.mark.parametrize("schema", [True, {}, {"format": "email"}, {"$comment": "", "type": ["string", "null"]}])
def test_a_value_that_fits_has_no_violation(folder: Folder, schema: object) -> None:
    assert folder.load(schema).violations("no e-mail address") == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"$ref": "#"}, 1, id="no-end"),
        pytest.param({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#"}}}, 1, id="no-end-in-two-steps"),
        pytest.param({"multipleOf": 0.5}, 10**400, id="overflow"),
    ],
)
def test_a_value_on_which_a_schema_gives_no_verdict(folder: Folder, schema: object, value: object) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        folder.load(schema).violations(value)

    assert "schema" in str(caught.value)


def test_a_document_of_the_greatest_depth_can_be_judged(folder: Folder) -> None:
    deep: list[Any] = []
    for _ in range(JSON_DEPTH - 1):
        deep = [deep]

    assert folder.load({"type": "array", "items": {"$ref": "#"}}).violations(deep) == []


def test_patterns_that_python_warns_of_are_tried_in_silence(folder: Folder) -> None:
    schema = folder.load({"patternProperties": {"[[a]": {}}, "additionalProperties": False})

    assert schema.violations({"a": 1, "b": 2}) == ["at /b: unknown member"]


# --- which schemas are valid


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_draft_is_spoken(folder: Folder, draft: str) -> None:
    schema = folder.load({"$schema": draft, "properties": {"a": {"type": "integer"}}})

    assert schema.violations({"a": 1}) == []
    assert schema.violations({"a": "x"}) == ['at /a: expected an integer, found the string "x"']


def test_without_a_dialect_it_is_the_latest(folder: Folder) -> None:
    schema = folder.load({"prefixItems": [{"type": "string"}]})

    assert schema.violations([1]) == ["at /0: expected a string, found the number 1"]


def test_a_byte_order_mark_is_no_part_of_a_schema(folder: Folder) -> None:
    assert folder.load(b'\xef\xbb\xbf{"type":"null"}').document == {"type": "null"}


@pytest.mark.parametrize(
    ("content", "pointer", "named"),
    [
        pytest.param(b"{", "", "not JSON", id="not-json"),
        pytest.param(b'{"a":1,"a":2}', "", '"a"', id="one-name-twice"),
        pytest.param(b"\xff", "", "0xff", id="not-utf-8"),
        pytest.param("{}".encode("utf-16"), "", "UTF-16", id="utf-16"),
        pytest.param("{}".encode("utf-16-be"), "", "UTF-16", id="utf-16-without-byte-order-mark"),
        pytest.param("{}".encode("utf-32"), "", "UTF-32", id="utf-32"),
        pytest.param([], "", "array", id="array"),
        pytest.param(None, "", "null", id="null"),
        pytest.param({"type": "nubmer"}, "/type", "'number'", id="unknown-type"),
        pytest.param({"minLength": -1}, "/minLength", "-1", id="negative-length"),
        pytest.param({"properties": {"a/b": {"enum": 1}}}, "/properties/a~1b/enum", "array", id="inner-schema"),
        pytest.param({"pattern": "("}, "/pattern", '"("', id="pattern"),
        pytest.param({"$defs": {"x": {"pattern": r"\p{L}"}}}, "/$defs/x/pattern", "p{L}", id="pattern-not-of-python"),
        pytest.param({"patternProperties": {"*": {}}}, "/patternProperties", '"*"', id="pattern-of-a-name"),
        pytest.param({"pattern": "a{99999999999}"}, "/pattern", "too large", id="pattern-too-large"),
        pytest.param({"$schema": 5}, "", "the number 5", id="dialect-is-a-number"),
        pytest.param({"$schema": "https://json-schema.org/draft-07/schema"}, "", f"'{DRAFTS[2][:-2]}", id="dialect"),
        pytest.param({"$id": "http://["}, "", "URL", id="identifier-that-is-no-uri"),
        pytest.param(json.loads('{"not":' * 150 + "{}" + "}" * 150), "", "deeply", id="nested-beyond-checking"),
    ],
)
def test_what_is_no_valid_schema_is_refused_with_its_place(
    folder: Folder, content: object, pointer: str, named: str
) -> None:
    ((file, where, reason),) = problems(folder, content)

    assert (file, where) == ("root.json", pointer)
    assert named.replace("draft-06", "draft-07") in reason


@pytest.mark.parametrize(
    ("content", "place"),
    [
        pytest.param(b'{\n "a": nil}', "2:7", id="not-json"),
        pytest.param(b'\xef\xbb\xbf{"a": nil}', "1:7", id="after-a-byte-order-mark"),
        pytest.param('{\n "é": "'.encode() + b'\xe9"}', "2:8", id="not-utf-8"),
        pytest.param(b'{"a": "\n"}', "1:8", id="line-end-in-a-string"),
    ],
)
def test_what_is_no_text_of_json_is_located(folder: Folder, content: bytes, place: str) -> None:
    with pytest.raises(SchemaError) as caught:
        folder.load({"$ref": "other.json"}, other=content)

    (problem,) = caught.value.problems
    where = problem.issue(folder.path / "root.json").where
    assert where.path == folder.path / "other.json"
    assert f"{where.line}:{where.column}" == place
    assert str(caught.value).startswith(f"{folder.path / 'other.json'}:{place}: ")


def test_all_problems_of_all_files_are_named(folder: Folder) -> None:
    found = problems(
        folder,
        {"properties": {"a": {"pattern": "("}, "b": {"$ref": "other.json"}, "c": {"$ref": "#/nowhere"}}},
        other={"type": "nubmer", "minimum": "0"},
    )

    assert sorted((file, pointer) for file, pointer, _ in found) == [
        ("other.json", "/minimum"),
        ("other.json", "/type"),
        ("root.json", "/properties/a/pattern"),
        ("root.json", "/properties/c/$ref"),
    ]


def test_what_the_reader_says_of_the_root_is_not_touched(folder: Folder) -> None:
    with pytest.raises(FileNotFoundError):
        load(folder.path / "none.json", folder.reader)


# --- where references lead


@pytest.mark.parametrize(
    ("reference", "named"),
    [
        pytest.param("#/$defs/tikcet", "'ticket'", id="misspelt-definition"),
        pytest.param("#/title", "the string", id="no-schema"),
        pytest.param("#/$defs/~2", "'~0'", id="no-pointer"),
        pytest.param("#ticket", '"ticket"', id="no-such-anchor"),
        pytest.param("none.json", "No such file", id="no-such-file"),
        pytest.param(".", "directory", id="a-folder"),
        pytest.param("https://example.com/a.json", "https://example.com/a.json", id="another-machine"),
        pytest.param("//example.com/a.json", "//example.com/a.json", id="another-machine-without-scheme"),
        pytest.param("file://example.com/a.json", "file://example.com/a.json", id="file-of-another-machine"),
        pytest.param("http://[", "http://[", id="no-uri"),
        pytest.param("urn:uuid:1", "urn:uuid:1", id="name-of-nothing"),
        pytest.param("a\0.json", "null byte", id="nul-in-a-path"),
    ],
)
def test_a_reference_that_leads_nowhere_or_elsewhere_makes_a_schema_invalid(
    folder: Folder, reference: str, named: str
) -> None:
    ((file, pointer, reason),) = problems(
        folder, {"title": "x", "$defs": {"ticket": {}}, "properties": {"a": {"$ref": reference}}}
    )

    assert (file, pointer) == ("root.json", "/properties/a/$ref")
    assert named in reason


def test_what_only_looks_like_a_reference_is_none(folder: Folder) -> None:
    schema = folder.load(
        {"properties": {"$ref": {"const": 1}}, "const": {"$ref": "nowhere"}, "x-note": {"$ref": "nowhere"}}
    )

    assert schema.violations({"$ref": "nowhere"})[-1] == 'at /$ref: expected 1, found the string "nowhere"'


def test_the_target_of_a_reference_is_a_schema_wherever_it_stands(folder: Folder) -> None:
    root = {"$ref": "#/components/a", "components": {"a": {"$ref": "#/components/b"}, "b": {"type": "nubmer"}}}

    assert [pointer for _, pointer, _ in problems(folder, root)] == ["/components/b/type"]


def test_references_are_followed_among_files(folder: Folder) -> None:
    folder.write("parts/item.json", {"$defs": {"n": {"type": "string"}}, "items": {"$ref": "#/$defs/n"}})
    folder.write("shared/n.json", {"properties": {"x": {"$ref": "../parts/item.json#/$defs/n"}}})
    schema = folder.load({"properties": {"list": {"$ref": "parts/item.json"}, "one": {"$ref": "./shared/n.json#"}}})

    assert schema.violations({"list": ["a", 1], "one": {"x": 2}}) == [
        "at /list/1: expected a string, found the number 1",
        "at /one/x: expected a string, found the number 2",
    ]
    assert folder.read == ["root.json", "parts/item.json", "shared/n.json"]


def test_files_may_refer_to_each_other(folder: Folder) -> None:
    schema = folder.load(
        {"type": "object", "properties": {"next": {"$ref": "other.json"}}},
        other={"type": "object", "properties": {"next": {"$ref": "root.json"}}},
    )

    assert schema.violations({"next": {"next": {"next": 1}}}) == [
        "at /next/next/next: expected an object, found the number 1"
    ]


def test_a_file_may_be_just_true_or_false(folder: Folder) -> None:
    schema = folder.load(
        {"properties": {"a": {"$ref": "anything.json"}, "b": {"$ref": "nothing.json"}}}, anything=True, nothing=False
    )

    assert schema.violations({"a": 1, "b": 2}) == ["at /b: nothing is accepted here, found the number 2"]


def test_a_file_name_with_white_space_is_written_as_a_uri(folder: Folder) -> None:
    folder.write("a b/c é.json", {"$ref": "d%20e.json"})
    folder.write("a b/d e.json", {"type": "null"})

    assert folder.load({"$ref": "a%20b/c%20%C3%A9.json"}).violations(1) != []


def test_a_file_is_known_by_its_identifier_even_when_it_is_read_late(folder: Folder) -> None:
    schema = folder.load(
        {
            "$id": "https://example.com/schemas/root.json",
            "properties": {
                "by_name": {"$ref": "ticket"},
                "own": {"$ref": "root.json#/$defs/n"},
                "file": {"$ref": (folder.path / "late.json").as_uri()},
            },
            "$defs": {"n": {"type": "integer"}},
        },
        late={"$id": "https://example.com/schemas/ticket", "$ref": "root.json#/$defs/n"},
    )

    assert schema.violations({"by_name": "a", "own": "b", "file": "c"}) == [
        f'at /{name}: expected an integer, found the string "{value}"'
        for name, value in (("by_name", "a"), ("file", "c"), ("own", "b"))
    ]


def test_an_identifier_moves_what_is_relative_to_it(folder: Folder) -> None:
    found = problems(folder, {"$id": "https://example.com/a", "$ref": "b.json"}, b={})

    assert "https://example.com/b.json" in found[0][2]


def test_identifiers_inside_of_a_file_are_found(folder: Folder) -> None:
    schema = folder.load(
        {
            "$defs": {
                "item": {"$id": "item", "$defs": {"n": {"$anchor": "n", "type": "null"}}, "$ref": "#/$defs/n"},
                "other": {"$ref": "item#n"},
            },
            "anyOf": [{"$ref": "#/$defs/item"}],
            "allOf": [{"$ref": "#/$defs/other"}],
        }
    )

    assert schema.violations(None) == []
    assert schema.violations(1) != []


def test_anchors_of_old_drafts_are_found_beside_mixed_dependencies(folder: Folder) -> None:
    schema = folder.load(
        {
            "$schema": DRAFTS[3],
            "definitions": {"a": {"$id": "#text", "type": "string"}},
            "properties": {"x": {"$ref": "#text"}},
            "dependencies": {"a": {"required": ["b"]}, "b": ["c"]},
        }
    )

    assert schema.violations({"x": 1, "a": 1}) == [
        "at the root: lacks the required member 'b'",
        "at /x: expected a string, found the number 1",
    ]


def test_each_file_speaks_its_own_dialect(folder: Folder) -> None:
    schema = folder.load(
        {"properties": {"old": {"$ref": "old.json"}, "new": {"prefixItems": [{"type": "null"}]}}},
        old={"$schema": DRAFTS[3], "items": [{"type": "null"}]},
    )

    assert [text.split(":")[0] for text in schema.violations({"old": [1], "new": [1]})] == ["at /new/0", "at /old/0"]


def test_a_dialects_own_schema_is_at_hand(folder: Folder) -> None:
    schema = folder.load({"$schema": DRAFTS[3], "$ref": DRAFTS[3] + "/definitions/nonNegativeInteger"})

    assert schema.violations(-1) == ["at the root: expected a number of at least 0, found the number -1"]


def test_dynamic_references_lead_through_files(folder: Folder) -> None:
    schema = folder.load(
        {"$id": "strict", "$dynamicAnchor": "node", "$ref": "tree.json", "unevaluatedProperties": False},
        tree={
            "$id": "https://example.com/tree",
            "$dynamicAnchor": "node",
            "properties": {"data": True, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
        },
    )

    assert schema.violations({"children": [{"data": 1}]}) == []
    assert schema.violations({"children": [{"daat": 1}]}) == [
        "at /children/0: Unevaluated properties are not allowed ('daat' was unexpected)"
    ]


# --- what is sent of it


def test_a_schema_of_one_file_is_sent_as_it_is(folder: Folder) -> None:
    schema = folder.load({"$id": "x", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}})

    assert bundle(schema) is schema.document


def test_a_bundle_holds_the_other_files_and_no_trace_of_where_they_were(folder: Folder) -> None:
    folder.write(
        "parts/item.json", {"$id": "https://example.com/i", "$defs": {"n": {}}, "items": {"$ref": "#/$defs/n"}}
    )
    schema = folder.load(
        {
            "$defs": {"item": {"type": "null"}, "own": {"$ref": "parts/item.json#/$defs/n"}},
            "properties": {"a": {"$ref": "parts/item.json"}, "b": {"$ref": "#/$defs/own"}},
        }
    )

    assert bundle(schema) == {
        "$defs": {
            "item": {"type": "null"},
            "own": {"$ref": "#/$defs/item-2/$defs/n"},
            "item-2": {"$defs": {"n": {}}, "items": {"$ref": "#/$defs/item-2/$defs/n"}},
        },
        "properties": {"a": {"$ref": "#/$defs/item-2"}, "b": {"$ref": "#/$defs/own"}},
    }
    assert schema.document != bundle(schema)


def test_a_bundle_of_an_old_draft_has_definitions(folder: Folder) -> None:
    schema = folder.load({"$schema": DRAFTS[3], "items": {"$ref": "a.json"}}, a={"type": "string"})

    assert bundle(schema) == {
        "$schema": DRAFTS[3],
        "items": {"$ref": "#/definitions/a"},
        "definitions": {"a": {"type": "string"}},
    }


def test_a_recursive_reference_becomes_a_pointer_to_its_own_file(folder: Folder) -> None:
    schema = folder.load({"$schema": DRAFTS[4], "items": {"$ref": "a.json"}}, a={"items": {"$recursiveRef": "#"}})

    assert bundle(schema) == {
        "$schema": DRAFTS[4],
        "items": {"$ref": "#/$defs/a"},
        "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}},
    }


def test_a_dynamic_reference_beside_a_static_one_is_kept(folder: Folder) -> None:
    schema = folder.load(
        {"items": {"$ref": "a.json"}}, a={"$dynamicAnchor": "n", "items": {"$ref": "#", "$dynamicRef": "#n"}}
    )

    assert bundle(schema)["$defs"]["a"]["items"] == {"$ref": "#/$defs/a", "allOf": [{"$ref": "#/$defs/a"}]}  # type: ignore[index]


@pytest.fixture(scope="module")
def files_and_bundle(tmp_path_factory: pytest.TempPathFactory) -> tuple[Schema, Schema]:
    folder = Folder(tmp_path_factory.mktemp("bundled"))
    leaf = {
        "$id": "https://example.com/leaf",
        "$anchor": "top",
        "anyOf": [{"$ref": "text"}, {"$ref": "#/$defs/n"}],
        "$defs": {"n": {"type": "number"}, "t": {"$id": "text", "type": "string"}},
    }
    root = {
        "type": ["array", "object", "string"],
        "items": {"$ref": "leaf.json#top"},
        "additionalProperties": {"$ref": "a%20b.json"},
        "$defs": {"x/y~z %": {"type": ["boolean", "null", "number"]}},
    }
    files = folder.load(root, **{"leaf": leaf, "a b": {"$ref": "root.json#/$defs/x~1y~0z%20%25"}})
    alone = load(folder.write("alone.json", bundle(files)), folder.reader)
    return files, alone


@given(value=VALUES)
def test_a_bundle_judges_as_the_files_do(files_and_bundle: tuple[Schema, Schema], value: object) -> None:
    files, alone = files_and_bundle

    assert not alone.files.others
    assert not alone.files.identified
    assert all(link.written.startswith("#/") for link in alone.files.links)
    assert alone.violations(value) == files.violations(value)


# --- values from TOML files


FORM = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"min": {"type": "number"}},
            "required": ["min"],
            "additionalProperties": False,
        },
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    ]
}


@pytest.mark.parametrize(
    ("fragment", "value", "complaints"),
    [
        ({"type": "number"}, 0.8, []),
        ({"type": "number"}, "0.8", [((), 'expected a number, found the string "0.8"')]),
        ({"type": "integer"}, True, [((), "expected an integer, found true")]),
        ({"enum": [0, 4]}, 4, []),
        ({"enum": [0, 4]}, False, [((), "expected 0 or 4, found false")]),
        ({"enum": [0, 4]}, 2, [((), "expected 0 or 4, found the number 2")]),
        ({"type": "object"}, 1, [((), "expected a table, found the number 1")]),
        (FORM, {"min": "x"}, [(("min",), 'expected a number, found the string "x"')]),
        (FORM, ["a", ""], [((1,), 'expected at least 1 character, found the string ""')]),
        (
            FORM["oneOf"][0],
            {"mni": 1},
            [((), "lacks the required key 'min'"), (("mni",), "unknown key; did you mean 'min'?")],
        ),
        ({"properties": {"a": False}}, {"a": 1}, [(("a",), "nothing is accepted here, found the number 1")]),
    ],
)
def test_a_fragment_says_where_a_value_is_wrong(
    fragment: dict[str, Any], value: object, complaints: list[tuple[tuple[str | int, ...], str]]
) -> None:
    assert sorted(fragment_validator(fragment)(value)) == complaints


@pytest.mark.parametrize(
    ("fragment", "pointer"),
    [({"type": "nubmer"}, "/type"), ({"properties": {"a": {"minItems": "1"}}}, "/properties/a/minItems")],
)
def test_a_fragment_that_is_no_schema_is_refused(fragment: dict[str, Any], pointer: str) -> None:
    with pytest.raises(SchemaError) as caught:
        fragment_validator(fragment)

    assert [problem.pointer for problem in caught.value.problems] == [pointer]


def test_a_fragment_fetches_nothing() -> None:
    validate = fragment_validator({"$ref": "http://127.0.0.1:9/schema"})

    with pytest.raises(CannotEvaluate):
        validate(1)


@given(st.one_of(VALUES, st.dates(), st.times(), st.just(float("nan"))))
def test_a_fragment_that_accepts_everything_accepts_whatever_toml_holds(value: object) -> None:
    assert fragment_validator({})(value) == []


def test_nothing_heavy_is_imported_before_a_schema_is_loaded() -> None:
    code = "import sys, gekko.jsonschemas; sys.exit(bool({'jsonschema', 'referencing'} & sys.modules.keys()))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
