"""What of a reply is an answer, and what of an answer gets to stdout."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.errors import OutputError
from gekko.jsonschemas import Schema, load
from gekko.jsontext import compact
from gekko.limits import JSON_DEPTH
from gekko.run.contract import Format, OutputRules, accept, printed
from gekko.run.exchange import Reply
from tests.json_values import VALUES

TEXT = OutputRules()
JSON = OutputRules(format="json")


def reasons(reply: Reply | str, rules: OutputRules) -> tuple[str, ...]:
    with pytest.raises(OutputError) as caught:
        accept(reply if isinstance(reply, Reply) else Reply(reply), rules)
    return caught.value.reasons


def schema(folder: Path, content: object) -> Schema:
    path = folder / "schema.json"
    path.write_text(json.dumps(content))
    return load(path, Path.read_bytes)


# --- text


@pytest.mark.parametrize(
    ("content", "output"),
    [
        pytest.param("yes", "yes", id="plain"),
        pytest.param(" \r\n\tyes \u2003\n", "yes", id="white-space-around"),
        pytest.param("a \r\n\n  b", "a \r\n\n  b", id="white-space-inside"),
        pytest.param("", "", id="empty"),
        pytest.param("\ufeffyes", "\ufeffyes", id="byte-order-mark-is-content"),
        pytest.param("a\0b", "a\0b", id="nul"),
        pytest.param("```\nyes\n```", "```\nyes\n```", id="fence-is-content"),
        pytest.param("<think>a</think>yes", "<think>a</think>yes", id="reasoning-is-content-unless-stripped"),
        pytest.param("😀", "😀", id="beyond-the-basic-plane"),
    ],
)
def test_text_is_trimmed_and_else_untouched(content: str, output: str) -> None:
    accepted = accept(Reply(content), TEXT)

    assert (accepted.output, accepted.canonical, printed(accepted.output, TEXT)) == (output, output, output)


def test_text_that_cannot_be_written_is_no_answer() -> None:
    (reason,) = reasons("a\ud800", TEXT)

    assert "U+D800" in reason
    reason.encode()


@pytest.mark.parametrize("content", ["", "\n \n", "a", "a\n\n \t\r\nb", "a\r\nb\r\n", "a\rb"])
def test_at_most_two_lines(content: str) -> None:
    accept(Reply(content), OutputRules(max_lines=2))


def test_a_line_too_many_is_counted() -> None:
    (reason,) = reasons("a\n\nb\r\nc", OutputRules(max_lines=2))

    assert "2 non-empty lines" in reason
    assert "3" in reason


def test_every_reason_is_given() -> None:
    assert len(reasons("a\nb\udfff", OutputRules(max_lines=1))) == 2


# --- what comes first


@pytest.mark.parametrize("format_", ["text", "json"])
@pytest.mark.parametrize("content", ["", "{}", "half an ans"])
def test_a_truncated_answer_is_none_whatever_it_says(content: str, format_: Format) -> None:
    (reason,) = reasons(Reply(content, finish_reason="length"), OutputRules(format=format_))

    assert "allow_truncated" in reason


def test_a_truncated_answer_may_be_allowed_and_keeps_to_the_other_rules() -> None:
    rules = OutputRules(format="json", allow_truncated=True)

    assert accept(Reply("{}", finish_reason="length"), rules).output == {}
    assert "not one JSON text" in reasons(Reply('{"a":', finish_reason="length"), rules)[0]


@pytest.mark.parametrize("finish_reason", [None, "stop", "content_filter", "Length"])
def test_no_other_finish_reason_matters(finish_reason: str | None) -> None:
    assert accept(Reply("yes", finish_reason=finish_reason), TEXT).output == "yes"


@pytest.mark.parametrize(
    ("content", "output"),
    [
        pytest.param("<think>\nhm\n</think>\n\nyes", "yes", id="block"),
        pytest.param("\n <think></think>yes", "yes", id="white-space-before"),
        pytest.param("<think>a</think><think>b</think>yes", "<think>b</think>yes", id="only-one"),
        pytest.param("<think>a <think>b</think> yes", "yes", id="opened-twice"),
        pytest.param("<think>hm yes", "<think>hm yes", id="unclosed"),
        pytest.param("yes <think>a</think>", "yes <think>a</think>", id="not-leading"),
        pytest.param("<Think>a</Think>yes", "<Think>a</Think>yes", id="another-tag"),
        pytest.param("<thinking>a</think>yes", "<thinking>a</think>yes", id="longer-tag"),
        pytest.param("<think>a</think>", "", id="nothing-else"),
    ],
)
def test_one_leading_block_of_reasoning_is_stripped(content: str, output: str) -> None:
    assert accept(Reply(content), OutputRules(strip_reasoning=True)).output == output


def test_reasoning_goes_before_the_fence_is_looked_for() -> None:
    rules = OutputRules(format="json", strip_reasoning=True)

    assert accept(Reply("<think>{}</think>\n```json\n[1]\n```"), rules).output == [1]


# --- JSON


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('{"a":1}', id="bare"),
        pytest.param(' \r\n{ "a" : 1 }\n', id="white-space"),
        pytest.param('```json\n{"a":1}\n```', id="fence"),
        pytest.param('```\n{"a":1}\n```', id="without-language"),
        pytest.param('``` JSON title="x"\r\n{"a":1}\r\n```', id="crlf"),
        pytest.param('\n\n```json\n\n{"a":1}\n\n```  \n', id="white-space-around"),
        pytest.param('````json\n{"a":1}\n````', id="longer-fence"),
        pytest.param('```json\n{"a":1}\n`````', id="closed-more-than-needed"),
        pytest.param('~~~json\n{"a":1}\n~~~', id="tildes"),
        pytest.param('```json\n{"a":1}\n  ```', id="indented-end"),
    ],
)
def test_one_fence_around_the_answer_is_removed(content: str) -> None:
    accepted = accept(Reply(content), JSON)

    assert (accepted.output, accepted.canonical, printed(accepted.output, JSON)) == ({"a": 1}, '{"a":1}', '{"a":1}')


@pytest.mark.parametrize(
    ("content", "named"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("```json\n```", "", id="empty-fence"),
        pytest.param("Here it is: {}", "Here it is: {}", id="words-before"),
        pytest.param("{}\nHope that helps!", "line 2", id="words-after"),
        pytest.param("Sure:\n```json\n{}\n```", "Sure", id="words-before-the-fence"),
        pytest.param("```json\n{}\n```\nDone.", "Done", id="words-after-the-fence"),
        pytest.param("```json\n{}\n```\n```json\n{}\n```", "line 2", id="two-fences"),
        pytest.param("```json\n```json\n{}\n```\n```", "```", id="fence-in-a-fence"),
        pytest.param("```json\n{}", "```json", id="unclosed-fence"),
        pytest.param("```json\n{}\n~~~", "```json", id="closed-by-another"),
        pytest.param("```json {} ```", "```json", id="fence-on-one-line"),
        pytest.param("````\n{}\n```", "````", id="closed-less-than-needed"),
        pytest.param("\xa0{}", "line 1, column 1", id="white-space-that-json-lacks"),
        pytest.param("\ufeff{}", "line 1, column 1", id="byte-order-mark"),
        pytest.param("{'a':1}", "line 1, column 2", id="single-quotes"),
        pytest.param("[NaN]", "NaN", id="nan"),
        pytest.param('{"a":1,"a":1}', '"a" twice', id="one-name-twice"),
        pytest.param(r'"\ud800"', "U+D800", id="lone-surrogate"),
        pytest.param("[1e400]", "1e400", id="outside-every-float"),
        pytest.param("9" * 5000, "digits", id="too-many-digits"),
        pytest.param("[" * (JSON_DEPTH + 1) + "]" * (JSON_DEPTH + 1), "deeper", id="too-deep"),
        pytest.param("{\x1b[31m}", "\\u001b", id="terminal-escape"),
    ],
)
def test_anything_but_one_json_text_is_no_answer(content: str, named: str) -> None:
    (reason,) = reasons(content, JSON)

    assert named in reason
    assert reason.isprintable()
    assert len(reason) < 400


@given(VALUES, st.sampled_from(["{}", "\n {}\n", "```json\n{}\n```", "~~~\r\n{}\r\n~~~\n"]))
def test_what_is_printed_is_the_document_written_compactly(document: object, around: str) -> None:
    content = around.replace("{}", json.dumps(document, indent=1))

    accepted = accept(Reply(content), JSON)

    assert printed(accepted.output, JSON) == accepted.canonical == compact(document)


@pytest.mark.parametrize("content", ["9007199254740993", "1.0", '"\\u0000é😀"', "-0.0", "1" * 1000])
def test_a_scalar_is_a_document(content: str) -> None:
    accepted = accept(Reply(content), JSON)

    assert json.loads(accepted.canonical) == json.loads(content)


# --- schema and extract


def test_every_violation_is_a_reason(tmp_path: Path) -> None:
    rules = OutputRules(format="json", schema=schema(tmp_path, {"items": {"type": "string"}, "maxItems": 1}))

    assert reasons("[1,2]", rules) == (
        "at the root: expected at most 1 item, found the array [1, 2]",
        "at /0: expected a string, found the number 1",
        "at /1: expected a string, found the number 2",
    )


def test_a_document_that_satisfies_the_schema_is_accepted(tmp_path: Path) -> None:
    rules = OutputRules(format="json", schema=schema(tmp_path, {"type": "array"}))

    assert accept(Reply("[]"), rules).output == []


def test_a_schema_without_verdict_is_a_reason(tmp_path: Path) -> None:
    rules = OutputRules(format="json", schema=schema(tmp_path, {"$ref": "#"}))

    (reason,) = reasons("1", rules)

    assert "schema" in reason


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (("text",), "a\n b "),
        (("list",), '[1,{"b":null}]'),
        (("list", "0"), "1"),
        (("list", "1", "b"), "null"),
        ((), '{"text":"a\\n b ","list":[1,{"b":null}]}'),
    ],
)
def test_a_value_is_extracted_for_stdout_alone(tokens: tuple[str, ...], text: str) -> None:
    document = {"text": "a\n b ", "list": [1, {"b": None}]}
    rules = OutputRules(format="json", extract=tokens)

    accepted = accept(Reply(json.dumps(document)), rules)

    assert printed(accepted.output, rules) == text
    assert (accepted.output, accepted.canonical) == (document, compact(document))


def test_a_string_is_bare_only_where_it_was_extracted() -> None:
    assert printed("a", JSON) == '"a"'
    assert printed("a", OutputRules(format="json", extract=())) == "a"


def test_a_document_without_the_place_to_extract_is_no_answer() -> None:
    (reason,) = reasons('{"category":1}', OutputRules(format="json", extract=("categroy",)))

    assert "extract" in reason
    assert "'category'" in reason


def test_the_whole_document_is_judged_before_anything_is_extracted(tmp_path: Path) -> None:
    rules = OutputRules(format="json", schema=schema(tmp_path, {"required": ["b"]}), extract=("a",))

    assert reasons('{"a":1}', rules) == ("at the root: lacks the required member 'b'",)


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "content", ["`" * 3_000_000, "```\n" * 1_000_000, "<think>" * 1_000_000, "```\n" + "\n```x" * 500_000]
)
def test_hostile_answers_are_refused_quickly(content: str) -> None:
    reasons(content, OutputRules(format="json", strip_reasoning=True))
