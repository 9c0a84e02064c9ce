"""Sentences 1 to 10: what a case is, where it stands, and what it is given."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from jsonschema import Draft7Validator

from gekko import limits
from tests.project import Project
from tests.seed.page import EXAMPLE, GIVEN, contents, results, rows
from tests.stub_server import StubServer

TAPLO: Final = Path(sys.executable).with_name("taplo")


def test_config_test_runs_the_cases_of_configured_commands(page: Project, server: StubServer) -> None:
    page.case("git/review/fire", '"/category" = "hardware"', GIVEN)
    page.case("git/message/fix", "lines = 1", 'input = "- a\\n+ b"')

    run = page.gko("config", "test", "--json")

    assert (run.exit_code, run.stderr) == (0, "")
    assert [(row["command"], row["case"], row["result"]) for row in rows(run)] == [
        ("git/message", "fix", "pass"),
        ("git/review", "fire", "pass"),
    ]
    assert [contents(request) for request in server.requests] == [
        ["Write a message: - a\n+ b"],
        ["Classify this ticket: The printer is on fire"],
    ]


def test_a_case_is_a_toml_file_below_the_path_of_its_command(page: Project) -> None:
    page.command("one", 'model = "fast"\n', "{{ input }}")
    page.command("one-more/two/three", 'model = "fast"\n', "{{ input }}")
    for path in ("one/a", "one-more/two/three/b.c"):
        page.write(f"tests/{path}.toml", 'input = ""\n[expect]\n')
    page.write("tests/one/notes.txt", "not a case")

    run = page.gko("config", "test", "--json")

    assert [(row["command"], row["case"]) for row in rows(run)] == [("one", "a"), ("one-more/two/three", "b.c")]


def test_tests_git_review_hardware_tests_gko_git_review(page: Project, server: StubServer) -> None:
    page.case("git/review/hardware", "", GIVEN)

    tested = page.gko("config", "test")
    run = page.gko("git", "review", "--kind", "ticket", input=b"The printer is on fire")

    assert (tested.exit_code, run.exit_code) == (0, 0)
    by_case, by_hand = server.requests
    assert (by_case.path, by_case.body) == (by_hand.path, by_hand.body)


def case_from(scope: str) -> str:
    return f'args = {{ kind = "ticket" }}\ninput = "from the {scope}"\n[expect]\n'


def scopes_of(page: Project) -> dict[str, Path]:
    home = page.folder / "home" / ".config"
    return {"system": page.folder / "system", "user": home / "gekko", "project": page.root}


def write_into(root: Path, case: str, text: str) -> None:
    path = root / "tests" / f"{case}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_cases_of_all_scopes_are_combined_and_the_most_local_of_one_name_is_run(
    page: Project, server: StubServer
) -> None:
    scopes = scopes_of(page)
    written = {
        "everywhere": ["system", "user", "project"],
        "of-the-project": ["project"],
        "of-the-system": ["system"],
        "of-the-user": ["user"],
        "system-and-project": ["system", "project"],
        "system-and-user": ["system", "user"],
        "user-and-project": ["user", "project"],
    }
    for case, names in written.items():
        for scope in names:
            write_into(scopes[scope], f"git/review/{case}", case_from(scope))

    run = page.gko("config", "test", "--json")

    assert run.exit_code == 0
    assert [row["case"] for row in rows(run)] == sorted(written)
    assert [contents(request) for request in server.requests] == [
        [f"Classify this ticket: from the {names[-1]}"] for _, names in sorted(written.items())
    ]


def test_a_replaced_case_is_gone_whole_and_not_even_read(page: Project, server: StubServer) -> None:
    scopes = scopes_of(page)
    write_into(scopes["system"], "git/review/a", 'args = { kind = "x" }\ninput = 1\n[expect]\n"/missing" = 1\n')
    write_into(scopes["user"], "git/review/a", "this is not TOML")
    write_into(scopes["project"], "git/review/a", case_from("project"))

    run = page.gko("config", "test", "--json")

    assert (run.exit_code, results(run)) == (0, {"a": "pass"})
    assert [contents(request) for request in server.requests] == [["Classify this ticket: from the project"]]


def test_a_case_of_the_same_name_but_another_command_replaces_nothing(page: Project) -> None:
    page.command("review", 'model = "fast"\n', "{{ input }}")
    scopes = scopes_of(page)
    write_into(scopes["user"], "git/review/a", case_from("user"))
    write_into(scopes["project"], "review/a", 'input = ""\n[expect]\n')

    run = page.gko("config", "test", "--json")

    assert [(row["command"], row["case"]) for row in rows(run)] == [("git/review", "a"), ("review", "a")]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("git", "message"), id="a-command-without-cases"),
        pytest.param(("mail",), id="a-group-without-cases"),
        pytest.param(("git", "reviwe"), id="no-such-command"),
        pytest.param(("git", "review", "--dry-run"), id="in-a-dry-run"),
        pytest.param((), id="nothing-at-all"),
    ],
)
def test_a_selection_with_no_cases_is_an_error(page: Project, server: StubServer, words: tuple[str, ...]) -> None:
    page.command("mail/sort", 'model = "fast"\n', "{{ input }}")
    if words and "--dry-run" not in words:
        page.case("git/review/of-another-selection", "", GIVEN)

    run = page.gko("config", "test", *words)

    assert (run.exit_code, run.stdout) == (2, b"")
    assert " ".join(word for word in words if word != "--dry-run") in run.stderr
    assert server.connections_accepted == 0


def test_config_schema_test_prints_the_json_schema_of_a_case_file(page: Project) -> None:
    run = page.gko("config", "schema", "test")

    assert (run.exit_code, run.stderr) == (0, "")
    schema = json.loads(run.stdout)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    expect = {"exit_code": 0, "/category": "hardware", "/confidence": {"min": 0.8}}
    assert validator.is_valid({"args": {"kind": "ticket"}, "input": {"file": "hardware.txt"}, "expect": expect})
    assert validator.is_valid({"input": "inline text", "expect": {"lines": 1, "contains": ["feat:"]}})
    assert not validator.is_valid({"input": "inline text", "expect": {"exit_cod": 0}})
    assert not validator.is_valid({"expect": expect})


@pytest.mark.parametrize(
    ("written", "line"),
    [
        pytest.param(EXAMPLE, None, id="the-example-of-the-page"),
        pytest.param('input = ""\n[expect]\nlines = 1\ncontains = ["feat:"]\n', None, id="of-a-text-command"),
        pytest.param("[expect]\nexit_code = 0\n", 1, id="without-an-input"),
        pytest.param('input = ""\nargz = {}\n[expect]\n', 3, id="unknown-key"),
        pytest.param("input = { file = 1 }\n[expect]\n", 2, id="a-file-without-a-name"),
        pytest.param('input = ""\n[expect]\nexit_cod = 0\n', 4, id="unknown-expectation"),
        pytest.param('input = ""\n[expect]\n"/a" = { min = "0.8" }\n', 4, id="no-minimum"),
    ],
)
def test_an_editor_checks_case_files_against_that_schema(page: Project, written: str, line: int | None) -> None:
    (page.folder / "case.json").write_bytes(page.gko("config", "schema", "test").stdout)
    (page.folder / "case.toml").write_text(f"#:schema ./case.json\n{written}")

    command = [str(TAPLO), "check", "--no-auto-config", "case.toml"]
    check = subprocess.run(command, cwd=page.folder, capture_output=True, text=True, timeout=60, check=False)

    assert check.returncode == (0 if line is None else 1), check.stderr
    assert line is None or f"case.toml:{line}:" in check.stderr


def test_the_example_of_the_page_passes_as_it_is_printed(page: Project, server: StubServer) -> None:
    page.write("tests/git/review/hardware.toml", EXAMPLE)
    page.write("tests/git/review/hardware.txt", "The printer is on fire")

    run = page.gko("config", "test", "--json")

    assert (run.exit_code, results(run), run.stderr) == (0, {"hardware": "pass"}, "")
    assert [contents(request) for request in server.requests] == [["Classify this ticket: The printer is on fire"]]


def test_the_input_of_the_example_can_stand_inline(page: Project, server: StubServer) -> None:
    page.write("tests/git/review/a.toml", EXAMPLE)
    page.write("tests/git/review/hardware.txt", "inline text")
    page.write("tests/git/review/b.toml", EXAMPLE.replace('{ file = "hardware.txt" }', '"inline text"'))

    run = page.gko("config", "test", "--json")

    assert (run.exit_code, results(run)) == (0, {"a": "pass", "b": "pass"})
    in_file, inline = server.requests
    assert in_file.body == inline.body


def test_args_are_what_the_placeholders_of_the_command_stand_for(page: Project, server: StubServer) -> None:
    front = 'model = "fast"\n[args.word]\nrequired = true\n[args.many]\ntype = "integer"\ndefault = 3\n'
    page.command("say", front, "{{ args.word }} {{ args.many }} {{ input }}")
    page.case("say/a", given='args = { word = "hi" }\ninput = "there"')
    page.case("say/b", given='args = { word = "{{ input }}", many = 5 }\ninput = "there"')

    run = page.gko("config", "test")

    assert run.exit_code == 0
    assert [contents(request) for request in server.requests] == [["hi 3 there"], ["{{ input }} 5 there"]]


@pytest.mark.parametrize("args", ['{ kind = "ticket", knd = "x" }', '{ kind = "ticket", FILE = "x" }'])
def test_args_that_are_not_declared_are_malformed(page: Project, server: StubServer, args: str) -> None:
    page.case("git/review/a", given=f'args = {args}\ninput = ""')

    run = page.gko("config", "test")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "a.toml:1:" in run.stderr


@pytest.mark.parametrize("args", ["", "args = {}"])
def test_a_required_argument_must_be_supplied(page: Project, server: StubServer, args: str) -> None:
    page.case("git/review/a", given=f'{args}\ninput = ""')

    run = page.gko("config", "test")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "'kind'" in run.stderr


def test_input_is_required(page: Project, server: StubServer) -> None:
    page.case("git/review/a", given='args = { kind = "ticket" }')

    run = page.gko("config", "test")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "a.toml" in run.stderr
    assert "'input'" in run.stderr


def test_a_file_input_is_read_as_utf_8(page: Project, server: StubServer) -> None:
    page.case("git/message/a", given='input = { file = "a.txt" }')
    page.write("tests/git/message/a.txt", "Größe 日本 😀\r\n\ttab ".encode())

    run = page.gko("config", "test")

    assert run.exit_code == 0
    assert [contents(request) for request in server.requests] == [["Write a message: Größe 日本 😀\r\n\ttab "]]


def test_a_file_input_that_is_not_utf_8_is_malformed(page: Project, server: StubServer) -> None:
    page.case("git/message/a", given='input = { file = "a.txt" }')
    page.write("tests/git/message/a.txt", "fine\nGröße".encode("latin-1"))

    run = page.gko("config", "test")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "a.toml:1:" in run.stderr
    assert "UTF-8" in run.stderr
    assert "line 2" in run.stderr


def test_a_file_input_has_the_size_limit_of_every_input(page: Project, server: StubServer) -> None:
    page.command("read", 'model = "fast"\n[input]\nmode = "file"\n', "{{ input }}")
    page.case("read/a", given='input = { file = "a.txt" }')
    too_long = page.write("tests/read/a.txt", b"")
    with too_long.open("wb") as file:
        file.truncate(limits.INPUT_BYTES + 1)

    by_case = page.gko("config", "test")
    by_hand = page.gko("read", str(too_long))

    assert (by_case.exit_code, by_case.stdout) == (2, b"")
    assert (by_hand.exit_code, by_hand.stdout) == (1, b"")
    assert "a.toml:1:" in by_case.stderr
    assert "64 MiB" in by_case.stderr
    assert "64 MiB" in by_hand.stderr
    assert server.requests == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("missing.txt", id="not-there"),
        pytest.param("below/a.txt", id="in-a-folder"),
        pytest.param("../a.txt", id="in-the-folder-above"),
        pytest.param("..", id="the-folder-above"),
        pytest.param("below", id="a-folder"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param("link.txt", id="a-link-out-of-the-scope"),
        pytest.param("", id="no-name"),
    ],
)
def test_a_file_input_must_name_a_file_next_to_the_case(page: Project, server: StubServer, name: str) -> None:
    page.case("git/message/a", given=f'input = {{ file = "{name}" }}')
    page.write("tests/git/message/below/a.txt", "below")
    page.write("tests/git/a.txt", "above")
    outside = page.folder / "outside.txt"
    outside.write_text("outside")
    (page.root / "tests/git/message/link.txt").symlink_to(outside)

    run = page.gko("config", "test", "git", "message")

    assert (run.exit_code, run.stdout, server.requests) == (2, b"", [])
    assert "a.toml:1:" in run.stderr
