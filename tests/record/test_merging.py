"""Records of shards as one report, or all that keeps them from being one."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gekko.errors import ConfigurationError
from gekko.record.entries import (
    CaseEntry,
    CheckerVersion,
    CommandParts,
    EndEntry,
    ErrorEntry,
    Invocation,
    RunEntry,
    SuiteEntry,
)
from gekko.record.merging import merge
from gekko.record.reading import Record
from gekko.sources.listing import Address

FINISHED = EndEntry(reason="finished", exit_code=0, ended_ms=2)


def case(address: str, model: str = "fast", **facts: Any) -> CaseEntry:
    command, _, name = address.rpartition("/")
    known = {"file": f"tests/{address}.toml", "definition": f"digest of {address}", "runs": 1}
    return CaseEntry(command=command, case=name, model=model, **{**known, **facts})


def run(entry: CaseEntry, **facts: Any) -> RunEntry:
    known: dict[str, Any] = {"run": 0, "result": "pass", "exit_code": 0, "duration_ms": 1.0}
    return RunEntry(
        command=entry.command,
        case=entry.case,
        model=entry.model,
        request="r",
        definition=entry.definition,
        timestamp_ms=1,
        **{**known, **facts},
    )


def record(name: str, cases: Iterable[CaseEntry], shard: str | None = None, **facts: Any) -> Record:
    """Return the record of a suite in which each case has passed; *facts* are those of its first line."""
    cases = tuple(cases)
    asked = Invocation(shard=shard, **facts.pop("asked", {}))
    known: dict[str, Any] = {"gko": "0.1.0", "project": "p", "started_ms": 1, "cases": len(cases)}
    suite = SuiteEntry(invocation=asked, **{**known, **facts})
    return Record(path=Path(name), suite=suite, cases=cases, runs=tuple(map(run, cases)), end=FINISHED)


def complaints(*records: Record) -> dict[str, list[str]]:
    """Return what is wrong with each file."""
    with pytest.raises(ConfigurationError) as caught:
        merge(records)
    found: dict[str, list[str]] = {}
    for issue in caught.value.issues:
        found.setdefault(str(issue.where), []).append(issue.problem)
    return found


def addresses(*records: Record) -> list[Address]:
    return [(result.command, result.case, result.model) for result in merge(records)]


def test_one_record_is_a_report_by_itself() -> None:
    assert addresses(record("a", [case("ask/b"), case("ask/a")])) == [("ask", "a", "fast"), ("ask", "b", "fast")]


def test_rows_are_in_the_order_of_words_names_and_models_as_they_were_asked_for() -> None:
    asked = {"models": ("small", "big")}
    first = record("a", [case("git-x/a", "small"), case("git-x/a", "big")], "1/2", asked=asked)
    second = record("b", [case("git/y/a", "small"), case("git/y/a", "big"), case("ask/c", "big")], "2/2", asked=asked)

    assert addresses(second, first) == [
        ("ask", "c", "big"),
        ("git/y", "a", "small"),
        ("git/y", "a", "big"),
        ("git-x", "a", "small"),
        ("git-x", "a", "big"),
    ]


def test_a_case_has_what_all_of_its_runs_come_to() -> None:
    ruled = case("ask/a", runs=3, needed=2)
    runs = (run(ruled), run(ruled, run=1, result="fail"), run(ruled, run=2, retries=2))
    flaky = evolve(record("a", [ruled], asked={"fail_on_flaky": True}), runs=runs)

    [result] = merge([flaky])

    assert (result.result, result.verdict, result.passes, result.runs, result.retries) == ("fail", "flaky", 2, 3, 2)


def test_a_shard_without_a_case_is_a_shard() -> None:
    assert addresses(record("a", [], "1/2"), record("b", [case("ask/a")], "2/2")) == [("ask", "a", "fast")]


class TestShards:
    def test_that_are_missing_are_named(self) -> None:
        [problem] = complaints(record("a", [], "2/4"), record("b", [], "3/4"))["a"]

        assert problem.endswith("1/4, 4/4")

    def test_that_are_missing_in_numbers_are_counted(self) -> None:
        [problem] = complaints(record("a", [], "7/999999999"))["a"]

        assert problem.endswith(" 1/999999999, 2/999999999, 3/999999999, 4/999999999, 5/999999999 and 999999993 more")

    def test_of_another_division_are_named_with_the_file_of_the_first(self) -> None:
        found = complaints(record("a", [], "1/2"), record("b", [], "2/2"), record("c", [], "2/3"))

        assert found == {"c": ["of shard 2/3, and a is of 1/2"]}

    def test_do_not_go_with_the_record_of_a_whole_suite(self) -> None:
        found = complaints(record("a", [], "1/1"), record("b", [case("ask/a")]))

        assert list(found) == ["b"]

    def test_that_several_whole_suites_are_not(self) -> None:
        found = complaints(record("a", [case("ask/a")]), record("b", [case("ask/b")]))

        assert list(found) == ["a", "b"]

    def test_of_other_cases_are_named_with_the_first_and_what_to_do(self) -> None:
        first, same = record("a", [], "1/3", selection="x"), record("b", [], "2/3", selection="x")

        for other in (record("c", [], "3/3", selection="y"), record("c", [], "3/3")):
            assert complaints(first, same, other) == {"c": ["not a shard of the same cases as a"]}

    def test_of_another_request_are_told_by_that(self) -> None:
        first = record("a", [], "1/2", selection="x")

        [problem] = complaints(first, record("b", [], "2/2", selection="y", asked={"cases": ("c*",)}))["b"]

        assert "--case" in problem


class TestOverlap:
    def test_names_the_cases_and_both_files(self) -> None:
        shared = [case("ask/a"), case("ask/b", "big")]

        found = complaints(record("a", shared, "1/2"), record("b", [*shared, case("ask/c")], "2/2"))

        assert found == {"b": ["2 of 3 cases in a as well: ask a (model fast), ask b (model big)"]}

    def test_counts_what_is_too_much_to_name(self) -> None:
        shared = [case(f"ask/{number}") for number in range(9)]

        [problem] = complaints(record("a", shared, "1/2"), record("b", shared, "2/2"))["b"]

        assert problem.startswith("9 of 9 cases in a ")
        assert problem.endswith("ask 4 (model fast) and 4 more")

    def test_of_a_file_with_itself_is_told_in_other_words(self) -> None:
        once = record("a", [case("ask/a")], "1/1")

        assert complaints(once, evolve(once)) == {"a": ["given twice"]}

    def test_is_none_where_the_model_is_another(self) -> None:
        asked = {"models": ("fast", "big")}
        first = record("a", [case("ask/a")], "1/2", asked=asked)
        second = record("b", [case("ask/a", "big")], "2/2", asked=asked)

        assert addresses(first, second) == [("ask", "a", "fast"), ("ask", "a", "big")]


class TestCasesThatWereNotJudged:
    @pytest.mark.parametrize(
        ("end", "told"),
        [
            (None, "killed"),
            (EndEntry(reason="interrupted", exit_code=130, ended_ms=2), "interrupted"),
            (EndEntry(reason="stopped", exit_code=3, ended_ms=2), "stopped"),
        ],
    )
    def test_are_named_with_the_end_of_their_suite(self, end: EndEntry | None, told: str) -> None:
        whole = record("a", [case("ask/a"), case("ask/b"), case("ask/c")])

        [problem] = complaints(evolve(whole, runs=whole.runs[:1], end=end))["a"]

        assert told in problem
        assert problem.endswith("2 of 3 cases not judged: ask b (model fast), ask c (model fast)")

    def test_are_those_whose_verdict_still_was_open(self) -> None:
        half = case("ask/a", runs=2)

        [problem] = complaints(evolve(record("a", [half, case("ask/b")]), runs=(run(half),), end=None))["a"]

        assert "2 of 2 cases" in problem

    def test_are_told_after_those_that_got_no_answer(self) -> None:
        whole = record("a", [case("ask/a"), case("ask/b"), case("ask/c")])
        error = ErrorEntry(command="ask", case="b", model="fast", run=0, message="no", timestamp_ms=1, duration_ms=1.0)

        [problem] = complaints(evolve(whole, runs=(error,), end=None))["a"]

        assert problem.endswith(
            "3 of 3 cases not judged: ask b (model fast, got no answer), ask a (model fast), ask c (model fast)"
        )

    def test_are_none_where_a_rule_was_certain_or_no_answer_came(self) -> None:
        certain, silent = case("ask/a", runs=3, needed=3), case("ask/b", runs=2)
        error = ErrorEntry(command="ask", case="b", model="fast", run=0, message="no", timestamp_ms=1, duration_ms=1.0)
        runs = (run(certain, result="fail"), error)

        results = merge([evolve(record("a", [certain, silent]), runs=runs)])

        assert [result.result for result in results] == ["fail", "error"]

    def test_are_none_where_only_the_end_is_missing(self) -> None:
        assert addresses(evolve(record("a", [case("ask/a")]), end=None)) == [("ask", "a", "fast")]


PARTS = CommandParts(command="ask", model="fast", parts={"prompt": "1", "partials": "1"})

LINES = CheckerVersion(key="lines", distribution="gko", version="0.1.0")


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        pytest.param({}, {"gko": "0.2.0"}, ["gko (0.2.0, there 0.1.0)"], id="gko"),
        pytest.param(
            {"checkers": (LINES,)},
            {"checkers": (evolve(LINES, version="0.2.0"),)},
            ["'lines' (gko 0.2.0, there gko 0.1.0)"],
            id="checker",
        ),
        pytest.param(
            {"commands": (PARTS,)},
            {"commands": (evolve(PARTS, parts={"prompt": "2", "partials": "2"}),)},
            ["the prompt of ask (model fast)", "the partials of ask (model fast)"],
            id="parts",
        ),
        pytest.param(
            {"commands": (PARTS,)},
            {"commands": (evolve(PARTS, parts={**PARTS.parts, "fallback": "1"}),)},
            ["the fallback of ask (model fast)"],
            id="a-part-that-the-other-has-not",
        ),
        pytest.param({}, {"asked": {"repeat": 3}}, ["--repeat (3, there none)"], id="repeat"),
        pytest.param(
            {"asked": {"models": ("fast", "big")}},
            {"asked": {"models": ("big", "fast")}},
            ['--model (["big", "fast"], there ["fast", "big"])'],
            id="models",
        ),
        pytest.param(
            {"asked": {"files": ("/a/.gekko/tests/ask/a.toml",)}},
            {"asked": {"files": ("/b/.gekko/tests/ask/b.toml",)}},
            ['(["ask/b.toml"], there ["ask/a.toml"])'],
            id="files",
        ),
    ],
)
def test_what_differs_is_named_with_both_files(one: dict[str, Any], other: dict[str, Any], told: list[str]) -> None:
    records = [record("a", [case("ask/a")], "1/3", **one), record("b", [case("ask/b")], "2/3", **other)]

    [problem] = complaints(*records, record("c", [case("ask/c")], "3/3", **one))["b"]

    assert problem.startswith("differs from a in ")
    assert [each in problem for each in told] == [True] * len(told)


def test_a_case_that_is_another_in_the_other_record_is_named() -> None:
    asked = {"models": ("fast", "big")}
    first = record("a", [case("ask/a")], "1/2", asked=asked)
    second = record("b", [case("ask/a", "big", definition="edited")], "2/2", asked=asked)

    assert complaints(first, second) == {"b": ["differs from a in the file of ask a"]}


def test_what_only_one_record_knows_and_where_the_project_is_differs_from_nothing() -> None:
    first = record(
        "a",
        [case("ask/a")],
        "1/2",
        asked={"files": ("/a/tests/ask/a.toml", "/a/tests/say/b.toml")},
        project="p",
        checkers=(LINES,),
        commands=(PARTS,),
    )
    second = record(
        "b",
        [case("say/b")],
        "2/2",
        asked={"files": ("/b/tests/ask/a.toml", "/b/tests/say/b.toml")},
        project="q",
        commands=(evolve(PARTS, command="say", parts={"prompt": "9"}),),
    )

    assert addresses(first, second) == [("ask", "a", "fast"), ("say", "b", "fast")]


def test_whatever_a_record_says_is_told_so_that_it_can_be_printed() -> None:
    [problem] = complaints(evolve(record("a", [case("ask/\x1b[2J")]), runs=()))["a"]

    assert "ask \\u001b[2J" in problem
