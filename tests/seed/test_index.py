"""The list of sentences in this package's docstring is whole: every number, and every test, once."""

import importlib
import pkgutil
import re

import tests.seed

SENTENCES = 30

ENTRY = re.compile(r"^ ?(\d+)\. .+\n((?:    \[\w+\] test_\w+\n)+)", re.MULTILINE)
NAMED = re.compile(r"\[(\w+)\] (test_\w+)")

LISTED = [(int(number), NAMED.findall(tests_named)) for number, tests_named in ENTRY.findall(tests.seed.__doc__ or "")]


def test_every_sentence_has_its_number_and_a_test() -> None:
    assert [number for number, _ in LISTED] == list(range(1, SENTENCES + 1))


def test_every_line_of_the_list_is_understood() -> None:
    lines = [line for line in (tests.seed.__doc__ or "").splitlines() if "] test_" in line]

    assert len(lines) == sum(len(named) for _, named in LISTED)


def test_every_test_of_this_folder_stands_in_the_list_once() -> None:
    named = [(module, test) for _, tests_named in LISTED for module, test in tests_named]

    written = [
        (info.name.removeprefix("test_"), name)
        for info in pkgutil.iter_modules(tests.seed.__path__)
        if info.name.startswith("test_") and info.name != "test_index"
        for name in vars(importlib.import_module(f"tests.seed.{info.name}"))
        if name.startswith("test_")
    ]
    assert sorted(named) == sorted(written)
