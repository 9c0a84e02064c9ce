"""Placeholders found, checked and rendered."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.templates import FORMS, Placeholder, Template, first_placeholder, parse

INPUT = Placeholder("input")


def parts(text: str) -> tuple[str | Placeholder, ...]:
    template, problems = parse(text)
    assert problems == ()
    return template.parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("{{input}}", (INPUT,), id="no-white-space"),
        pytest.param("a {{ input }} b", ("a ", INPUT, " b"), id="between-texts"),
        pytest.param("{{ input }}{{ input }}", (INPUT, INPUT), id="twice"),
        pytest.param("{{ \t\n input \r\n }}", (INPUT,), id="white-space-is-free"),
        pytest.param("{{ args . kind }}", (Placeholder("args", "kind"),), id="white-space-beside-the-dot"),
        pytest.param("{{ args.a-1_B }}", (Placeholder("args", "a-1_B"),), id="argument"),
        pytest.param("{{ env._X1 }}", (Placeholder("env", "_X1"),), id="variable"),
        pytest.param("{{ schemas.1-a_ }}", (Placeholder("schemas", "1-a_"),), id="schema"),
        pytest.param("{{ partials.style }}", (Placeholder("partials", "style"),), id="partial"),
        pytest.param("{{ input", ("{{ input",), id="unclosed-is-text"),
        pytest.param("{{ input }", ("{{ input }",), id="half-closed-is-text"),
        pytest.param("{ input }}", ("{ input }}",), id="half-opened-is-text"),
        pytest.param("}} {{", ("}} {{",), id="wrong-way-round-is-text"),
        pytest.param('{"a": {"b": 1}}', ('{"a": {"b": 1}}',), id="json-is-text"),
        pytest.param("{{ {{ input }}", ("{{ ", INPUT), id="innermost"),
        pytest.param("{{ {{ input }} }}", ("{{ ", INPUT, " }}"), id="no-nesting"),
        pytest.param("{{{ input }}}", ("{", INPUT, "}"), id="three-braces"),
        pytest.param("{{{{ input }}}}", ("{{", INPUT, "}}"), id="four-braces"),
    ],
)
def test_placeholders_are_found(text: str, expected: tuple[str | Placeholder, ...]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("content", "named"),
    [
        pytest.param(" inputs ", "'input'", id="misspelt"),
        pytest.param(" arg.kind ", "'args'", id="misspelt-kind"),
        pytest.param(" INPUT ", "'input'", id="upper-case"),
        pytest.param("", "{{ input }}", id="nothing"),
        pytest.param(" kind ", "{{ args.NAME }}", id="bare-argument"),
        pytest.param(" args ", "{{ args.NAME }}", id="no-name"),
        pytest.param(" args. ", "{{ args.NAME }}", id="empty-name"),
        pytest.param(" args.1a ", "letter first", id="argument-begins-with-a-digit"),
        pytest.param(" args.é ", "letter first", id="argument-not-ascii"),
        pytest.param(" args.a b ", "letter first", id="argument-with-a-space"),
        pytest.param(" args.a.b ", "letter first", id="argument-with-a-dot"),
        pytest.param(" env.A-B ", "digits and '_'", id="variable-with-a-hyphen"),
        pytest.param(" schemas.a/b ", "letters", id="schema-with-a-slash"),
        pytest.param(" input.x ", "{{ input }}", id="input-with-a-name"),
        pytest.param(' "a": {"b": 1 ', "{{ input }}", id="json"),
    ],
)
def test_any_other_closed_placeholder_is_a_problem(content: str, named: str) -> None:
    _, (problem,) = parse(f"ab{{{{{content}}}}}")

    assert problem.offset == 2
    assert content.strip() in problem.problem
    assert named in problem.hint


def test_all_problems_are_found() -> None:
    template, problems = parse("{{ a }}{{ input }}{{ b }}")

    assert [problem.offset for problem in problems] == [0, 18]
    assert template.placeholders == (INPUT,)


@pytest.mark.parametrize("kind", FORMS)
def test_a_placeholder_may_be_out_of_place(kind: str) -> None:
    text = FORMS[kind]

    template, (problem,) = parse(text, FORMS.keys() - {kind})
    _, none = parse(text, {kind})

    assert template.placeholders == ()
    assert text in problem.problem
    assert text not in problem.hint
    assert none == ()


def test_a_suggestion_is_acceptable_where_it_is_made() -> None:
    _, (problem,) = parse("{{ inputs }}", {"env"})

    assert "{{ env.NAME }}" in problem.hint
    assert "input" not in problem.hint


def test_a_long_or_unprintable_content_is_shown_in_one_short_line() -> None:
    _, (problem,) = parse("{{" + "\n\x1b" + "x" * 1_000_000 + "}}")

    assert problem.problem.isprintable()
    assert len(problem.problem) < 120


@pytest.mark.parametrize("written", FORMS.values())
def test_a_placeholder_is_shown_as_it_is_written(written: str) -> None:
    (placeholder,) = parse(written)[0].placeholders

    assert str(placeholder) == written


def test_a_placeholder_equals_any_other_for_the_same_value() -> None:
    first, second = parse("{{ env.A }}{{ env.A }}")[0].placeholders

    assert (first, hash(first)) == (second, hash(second))
    assert (first.offset, second.offset) == (0, 11)


def test_rendering_puts_a_value_in_every_place() -> None:
    template, _ = parse("{{ args.a }}-{{ input }}-{{ args.a }}")

    assert template.render({Placeholder("args", "a"): "1", INPUT: "2"}) == "1-2-1"


def test_rendering_without_a_value_fails() -> None:
    with pytest.raises(KeyError):
        Template((INPUT,)).render({})


@given(st.text(), st.text(), st.text())
def test_a_value_comes_out_verbatim(before: str, value: str, after: str) -> None:
    before, after = before.replace("{", ""), after.replace("}", "")
    template, _ = parse(f"{before}{{{{ input }}}}{after}")
    value = f"{{{{ {value} {{{{ input }}}} \\1 \\g<0> {{0}}"

    assert template.render({INPUT: value}) == before + value + after


@given(st.text(alphabet="{} \ninput.args"))
def test_what_is_no_placeholder_is_kept(text: str) -> None:
    template, problems = parse(text)
    itself = {placeholder: str(placeholder) for placeholder in template.placeholders}

    assert "".join(template.render(itself).split()) == "".join(text.split())
    assert (first_placeholder(text) is None) == (not problems and not template.placeholders)


@given(st.text().filter(lambda text: "{{" not in text))
def test_a_text_without_braces_renders_as_itself(text: str) -> None:
    assert parse(text)[0].render({}) == text


@pytest.mark.parametrize(
    ("text", "offset"),
    [("a {{ b }}", 2), ("{{}}", 0), ("{{\n}}", 0), ("{{ a", None), ("a }} {{", None), ("{ {a} }", None)],
)
def test_the_first_closed_pair_of_braces_is_found_whatever_it_holds(text: str, offset: int | None) -> None:
    assert first_placeholder(text) == offset


@pytest.mark.parametrize("text", ["{{" + "x" * 4_000_000, "{{ {" * 1_000_000, "{" * 4_000_000, "{{}" * 1_000_000])
def test_megabytes_of_braces_take_no_time(text: str) -> None:
    start = time.perf_counter()

    parse(text)

    assert time.perf_counter() - start < 5
