"""What an editor accepts and refuses: Taplo, with the fragments of the built-in expectations put together."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from gekko import Place
from gekko.checks.registry import POINTERS, discover

TAPLO: Final = Path(sys.executable).with_name("taplo")


def expect_schema() -> dict[str, object]:
    registry = discover()
    loaded = {claim.key: registry.load(claim) for claim in registry.claims if claim.distribution == "gko"}
    comparisons = {key: checker.fragment for key, checker in loaded.items() if Place.VALUE in checker.places}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "expect": {
                "additionalProperties": False,
                "properties": {key: each.fragment for key, each in loaded.items() if Place.EXPECT in each.places},
                "patternProperties": {"^/": loaded[POINTERS].fragment},
            }
        },
        "definitions": {
            "comparisons": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": False,
                "properties": comparisons,
            }
        },
    }


def checked(folder: Path, expect: str) -> subprocess.CompletedProcess[str]:
    (folder / "schema.json").write_text(json.dumps(expect_schema()))
    (folder / "case.toml").write_text(f"#:schema ./schema.json\n[expect]\n{expect}\n")
    command = [str(TAPLO), "check", "--no-auto-config", "case.toml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_what_is_well_formed_is_accepted(tmp_path: Path) -> None:
    expect = """
        exit_code = 0
        lines = 1
        contains = ["feat:"]
        "/" = 1
        "/string" = "hardware"
        "/array" = [1, "x", { min = "x" }]
        "/table" = { a = { is = 1 } }
        "/empty" = {}
        "/range-as-a-value" = { min = 0.8, max = 0.9 }
        "/both-words" = { min = "x", is = 1 }
        "/min" = { min = 0.8 }
        "/is" = { is = { min = 1, equals = { is = 1 }, lines = 0, contains = ["a"] } }
        """

    run = checked(tmp_path, expect)

    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize(
    "expect",
    [
        "exit_code = 3",
        "exit_code = true",
        "exit_cod = 0",
        "lines = -1",
        "lines = true",
        "contains = []",
        'contains = [""]',
        'contains = "feat:"',
        '"/a" = { min = "x" }',
        '"/a" = { min = true }',
        '"/a" = { is = 1 }',
        '"/a" = { is = {} }',
        '"/a" = { is = { mim = 1 } }',
        '"/a" = { is = { exit_code = 0 } }',
        '"/a" = { is = { lines = -1 } }',
    ],
)
def test_what_is_malformed_is_refused(tmp_path: Path, expect: str) -> None:
    run = checked(tmp_path, expect)

    assert run.returncode == 1
    assert "case.toml:3:" in run.stderr


def test_a_wrong_bound_is_pointed_at(tmp_path: Path) -> None:
    run = checked(tmp_path, '"/a" = { min = "x" }')

    assert '"x" is not of type "number"' in run.stderr
    assert "case.toml:3:16" in run.stderr
