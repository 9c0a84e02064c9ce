"""The checks of the documentation find what is not true."""

from pathlib import Path

import pytest

from tests.docs.markdown import Block, anchor, blocks, tables
from tests.docs.stable import stable
from tests.docs.test_blocks import faults


def test_a_stale_output_is_shown_as_a_diff(tmp_path: Path) -> None:
    page = "```console\n$ echo new; echo same\nold\nsame\n```\n"

    assert list(faults("page.md", page, tmp_path)) == [
        "--- page.md:1, as written\n+++ page.md:1, as run\n@@ -1,3 +1,3 @@\n $ echo new; echo same\n-old\n+new\n same"
    ]


def test_commands_of_a_block_share_a_shell_and_an_exit_code_reaches_the_next(tmp_path: Path) -> None:
    page = "```console\n$ cd /; false\n$ echo $?\n1\n$ pwd\n/\n```\n"

    assert list(faults("page.md", page, tmp_path)) == []


def test_both_streams_are_compared(tmp_path: Path) -> None:
    page = "```console\n$ gko config tst\n```\n"

    (fault,) = faults("page.md", page, tmp_path)
    assert "+error: 'gko config' has no command 'tst'; did you mean 'test'?" in fault


def test_a_named_file_is_there_for_the_blocks_after_it(tmp_path: Path) -> None:
    page = "`notes/mail.txt` says:\n\n```text\nhello\n```\n\n```console\n$ cat notes/mail.txt\nhello\n```\n"

    assert list(faults("page.md", page, tmp_path)) == []


def test_a_file_that_is_wrong_at_the_end_of_a_page_is_a_fault_unless_its_error_was_shown(tmp_path: Path) -> None:
    wrong = '`.gekko/models/small.toml` is:\n\n```toml\nid = "small"\n```\n'
    shown = "$ gko config test 2>&1 | sed 's/\\(toml:\\).*/\\1/' | uniq\nerror: .gekko/models/small.toml:\n"

    silent = list(faults("page.md", wrong, tmp_path / "silent"))
    honest = list(faults("page.md", f"{wrong}\n```console\n{shown}```\n", tmp_path / "honest"))

    assert len(silent) == 1
    assert ".gekko/models/small.toml" in silent[0]
    assert honest == []


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        pytest.param("```toml case\n[expect]\nexit_cod = 0\n```", "exit_cod", id="wrong"),
        pytest.param("```toml case refused\n[expect]\nexit_code = 0\n```", "accepts", id="wrongly-refused"),
        pytest.param("```toml\n[expect]\nexit_code = 0\n```", "of what", id="of-nothing"),
        pytest.param("```toml case\n[expect]\nlines = 1\n```", "json", id="of-the-other-format"),
        pytest.param("```rust\n```", "rust", id="unknown-language"),
        pytest.param("```json\n{\n```", "Expecting", id="no-json"),
        pytest.param("- x\n\n  ```toml case\n  ```", "indented", id="indented"),
    ],
)
def test_an_untrue_excerpt_is_a_fault(tmp_path: Path, block: str, fault: str) -> None:
    (found,) = faults("page.md", f"{block}\n", tmp_path)

    assert fault in found
    assert found.startswith("page.md:")


@pytest.mark.parametrize(
    "block",
    [
        "```toml case\n[expect]\nexit_code = 0\n```",
        "```toml case text\n[expect]\nlines = 1\n```",
        '```toml case binary\ninput = { file = "memo.wav" }\n```',
        "```toml case refused\n[expect]\nlines = 1\n```",
        "```toml model\n[generation]\nseed = 1\n```",
        '```toml backend\n[headers]\nX-Key = "{{ env.API_KEY }}"\n```',
        "```toml engine\n[engine]\nthreads = 2\n```",
        '```toml command\ndescription = "x"\n```',
    ],
)
def test_a_true_excerpt_is_none(tmp_path: Path, block: str) -> None:
    assert list(faults("page.md", f"{block}\n", tmp_path)) == []


def test_a_page_knows_the_expectations_that_its_own_package_registers(tmp_path: Path) -> None:
    page = (
        '```toml\n[project.entry-points."gekko.expectations"]\nmax_words = "a:B"\n```\n\n'
        "```toml\n[expect]\nmax_words = 3\n```\n"
    )

    assert list(faults("page.md", page, tmp_path)) == []


def test_durations_and_versions_may_differ() -> None:
    assert stable("order  pass      1.52 s\n") == stable("order  pass       85 ms\n")
    assert stable('{"duration_ms": 85}') == stable('{"duration_ms": 1}')
    assert stable("gko 0.1.0") == stable("gko 1.2.0")
    assert stable("order  pass") != stable("order  fail")


def test_blocks_know_their_line_and_their_file() -> None:
    page = "# T\n\n`a/b.toml` is:\n\n```toml case\nx = 1\n```\n\nProse.\n\n```console\n$ true\n```\n"

    first, second = blocks(page)

    assert first == Block("toml", frozenset({"case"}), "x = 1\n", 5, "a/b.toml")
    assert second == Block("console", frozenset(), "$ true\n", 11, None)


def test_titles_become_fragments() -> None:
    assert anchor("`exit_code`: how a run ends") == "exit_code-how-a-run-ends"


def test_the_first_table_of_a_section_is_found() -> None:
    page = "# A\n\ntext\n\n| key | is |\n| --- | --- |\n| `a` | 1 |\n\n## B\n\nno table\n"

    assert tables(page) == {"A": (("`a`", "1"),)}
