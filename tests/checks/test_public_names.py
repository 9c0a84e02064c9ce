"""What `gekko` offers to those who write checkers."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import gekko


def test_every_public_name_is_there() -> None:
    assert [name for name in gekko.__all__ if not hasattr(gekko, name)] == []
    assert dir(gekko) == sorted(gekko.__all__)
    assert not hasattr(gekko, "discover")


def test_every_public_name_is_type_checked_as_a_third_party_uses_it() -> None:
    source = (Path(__file__).parents[1] / "typing" / "api.py").read_text()
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]

    used = {alias.name for node in imports if node.module == "gekko" for alias in node.names}

    assert used == set(gekko.__all__)


def test_every_public_name_is_documented() -> None:
    reference = (Path(__file__).parents[2] / "docs" / "plugin-api.md").read_text()

    assert [name for name in gekko.__all__ if f"`{name}" not in reference] == []


def test_a_checker_costs_no_more_than_it_uses() -> None:
    # Each of these takes longer to import than everything else that a verdict needs.
    heavy = ["aiohttp", "hypothesis", "jsonschema", "tomlkit", "click"]
    script = f"import sys, expectations.pointer; print([name for name in {heavy} if name in sys.modules])"

    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert printed.stdout.strip() == "[]"


def test_the_engine_imports_no_built_in_expectation() -> None:
    imports = re.compile(r"^\s*(from|import) +expectations\b", re.MULTILINE)
    modules = list(Path(gekko.__file__).parent.rglob("*.py"))

    assert modules
    assert [module for module in modules if imports.search(module.read_text())] == []
