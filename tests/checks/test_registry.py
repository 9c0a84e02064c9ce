"""Who answers for an expectation key, and what is said where nobody does, or nobody can."""

import shutil
import sys
from itertools import permutations
from pathlib import Path

import pytest

from gekko import Checker, Judging, Outcome, Place
from gekko.checks.registry import CheckerError, discover, registry_of, summary, unusable
from tests.checks.installed import entries_in, install, module, registry_in

CHECKER = '''
from gekko import Checker, Place

class Shouts(Checker):
    """The text is in capitals.

    More is said here.
    """

    places = frozenset({Place.EXPECT})

    def judge(self, value, outcome):
        yield from ()
'''


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def reason_for(site: Path, source: str, key: str = "shouts", target: str = "candidate:Shouts") -> str:
    """Return why the class in *source* cannot answer for *key*."""
    module(site, "candidate", source)
    install(site, "gko-loud", {key: target})
    registry = registry_in(site)
    claim = registry.find("/x" if key.startswith("/") else key)
    assert claim is not None
    with pytest.raises(CheckerError) as caught:
        registry.load(claim)
    return str(caught.value)


def test_a_registered_class_is_found_by_its_key_with_its_distribution_and_version(site: Path) -> None:
    module(site, "loud", CHECKER)
    install(site, "gko-loud", {"shouts": "loud:Shouts"}, version="2.5")
    registry = registry_in(site)

    claim = registry.find("shouts")

    assert claim is not None
    assert (claim.key, claim.distribution, claim.version) == ("shouts", "gko-loud", "2.5")
    assert summary(registry.load(claim)) == "The text is in capitals."
    assert registry.load(claim) is registry.load(claim)


def test_nothing_is_imported_before_a_class_is_asked_for(site: Path) -> None:
    module(site, "loud_and_lazy", CHECKER)
    install(site, "gko-loud", {"shouts": "loud_and_lazy:Shouts"})

    registry = registry_in(site)
    claim = registry.find("shouts")

    assert "loud_and_lazy" not in sys.modules
    assert claim is not None
    registry.load(claim)
    assert "loud_and_lazy" in sys.modules


def test_a_key_is_unknown_once_its_distribution_is_gone(site: Path) -> None:
    folder = install(site, "gko-loud", {"shouts": "loud:Shouts"})
    shutil.rmtree(folder)

    assert registry_in(site).find("shouts") is None


def test_every_key_that_begins_with_a_slash_belongs_to_one_entry(site: Path) -> None:
    install(site, "gko-places", {"/pointer": "places:Pointer"})
    registry = registry_in(site)

    assert registry.find("/category") is registry.find("/") is registry.find("/pointer") is not None
    assert registry.find("pointer") is None
    assert registry.find("") is None


def test_a_name_is_registered_whoever_claims_it_and_whatever_becomes_of_its_class(site: Path) -> None:
    install(site, "gko-loud", {"shouts": "loud_and_gone:Shouts", "/pointer": "loud_and_gone:Pointer"})
    install(site, "gko-noisy", {"shouts": "loud_and_gone:Shouts"})
    registry = registry_in(site)

    assert [registry.has(name) for name in ("shouts", "whispers", "/pointer", "/category")] == [True, *[False] * 3]


def test_two_distributions_with_one_key_are_both_named_and_only_where_it_is_used(site: Path) -> None:
    module(site, "loud", CHECKER)
    install(site, "gko-loud", {"shouts": "loud:Shouts", "whispers": "loud:Shouts"})
    install(site, "gko-noisy", {"shouts": "loud:Shouts"}, version="3.0")
    registry = registry_in(site)
    contested, alone = registry.find("shouts"), registry.find("whispers")

    assert contested is not None
    assert alone is not None
    assert (contested.distribution, contested.version) == ("gko-loud, gko-noisy", "1.0, 3.0")
    with pytest.raises(CheckerError, match=r"'shouts'.*gko-loud.*gko-noisy"):
        registry.load(contested)
    registry.load(alone)


def test_a_distribution_that_registers_a_key_twice_is_named(site: Path) -> None:
    install(site, "gko-loud", "shouts = loud:Shouts\nshouts = louder:Shouts")
    registry = registry_in(site)
    claim = registry.find("shouts")

    assert claim is not None
    with pytest.raises(CheckerError, match="gko-loud registers it twice"):
        registry.load(claim)


def test_the_order_of_the_environment_decides_nothing(tmp_path: Path) -> None:
    install(tmp_path / "a", "gko-a", {"one": "x:A", "two": "x:A"})
    install(tmp_path / "b", "gko-b", {"two": "x:B", "three": "x:B"})
    install(tmp_path / "c", "gko-c", {"two": "x:C", "/pointer": "x:C"})
    entries = entries_in(tmp_path / "a", tmp_path / "b", tmp_path / "c")

    seen = {
        tuple((claim.key, claim.distribution, *claim.entries) for claim in registry_of(order).claims)
        for order in permutations(entries)
    }

    assert len(seen) == 1
    [claims] = seen
    assert [(key, distribution) for key, distribution, *_ in claims] == [
        ("/pointer", "gko-c"),
        ("one", "gko-a"),
        ("three", "gko-b"),
        ("two", "gko-a, gko-b, gko-c"),
    ]


@pytest.mark.parametrize(
    ("source", "target", "culprit"),
    [
        pytest.param("", "nowhere_at_all:Shouts", "ModuleNotFoundError", id="no-such-module"),
        pytest.param("", "candidate:Shouts", "AttributeError", id="no-such-name"),
        pytest.param(
            "import nothing_of_the_kind", "candidate:Shouts", "nothing_of_the_kind", id="a-missing-dependency"
        ),
        pytest.param("raise RuntimeError('not on a Tuesday')", "candidate:Shouts", "not on a Tuesday", id="it-raises"),
        pytest.param("class Shouts(:", "candidate:Shouts", "SyntaxError", id="a-syntax-error"),
        pytest.param("raise SystemExit(0)", "candidate:Shouts", "sys.exit(0)", id="it-ends-the-program"),
        pytest.param("raise KeyboardInterrupt", "candidate:Shouts", "KeyboardInterrupt", id="it-interrupts"),
        pytest.param("raise GeneratorExit", "candidate:Shouts", "GeneratorExit", id="it-closes"),
        pytest.param(
            "import asyncio\nraise asyncio.CancelledError", "candidate:Shouts", "CancelledError", id="it-cancels"
        ),
        pytest.param("raise StopIteration", "candidate:Shouts", "StopIteration", id="it-stops"),
        pytest.param("raise BaseException('odd')", "candidate:Shouts", "BaseException: odd", id="it-is-odd"),
    ],
)
def test_what_cannot_be_imported_is_named_with_key_distribution_and_reason(
    site: Path, source: str, target: str, culprit: str
) -> None:
    reason = reason_for(site, source, target=target)

    assert "'shouts' of gko-loud 1.0" in reason
    assert culprit in reason


@pytest.mark.parametrize(
    ("before", "after", "culprits"),
    [
        pytest.param("class Shouts(Checker):", "class Shouts:", ["Shouts", "gekko.Checker"], id="no-checker"),
        pytest.param("places =", "api = 2\n    places =", ["version 2", "version 1"], id="another-api"),
        pytest.param("def judge", "def judges", ["judge()"], id="no-judge"),
        pytest.param("frozenset({Place.EXPECT})", "{Place.EXPECT}", ["places"], id="places-that-can-change"),
        pytest.param("frozenset({Place.EXPECT})", "frozenset()", ["places"], id="no-place"),
        pytest.param("frozenset({Place.EXPECT})", 'frozenset({"expect"})', ["places", "'expect'"], id="no-such-place"),
        pytest.param("places =", 'formats = frozenset({"xml"})\n    places =', ["'xml'"], id="no-such-format"),
        pytest.param("places =", "formats = frozenset()\n    places =", ["formats"], id="no-format"),
        pytest.param(
            "places =", "fragment = True\n    places =", ["fragment", "True"], id="a-fragment-that-is-no-dict"
        ),
        pytest.param("places =", "fragment = {'type': 'float'}\n    places =", ["fragment", "/type"], id="no-schema"),
        pytest.param(
            "places =", "fragment = {'definitions': {}}\n    places =", ["definitions"], id="definitions-of-its-own"
        ),
        pytest.param(
            "places =", "fragment = {'items': {'$ref': '#'}}\n    places =", ['"#"'], id="a-reference-elsewhere"
        ),
        pytest.param(
            "places =",
            "fragment = {'enum': [b'x']}\n    places =",
            ["fragment", "enum[0]"],
            id="a-fragment-beyond-json",
        ),
        pytest.param('"""The text is in capitals.', '"""', ["docstring"], id="nothing-said"),
        pytest.param("Place.EXPECT", "Place.POINTER", ["pointer"], id="a-literal-key-for-pointers"),
    ],
)
def test_a_class_that_breaks_the_contract_is_named_with_key_distribution_and_reason(
    site: Path, before: str, after: str, culprits: list[str]
) -> None:
    source = CHECKER.replace("\n\n    More is said here.\n    ", "" if before.startswith('"""') else "\n    ")

    reason = reason_for(site, source.replace(before, after))

    assert "'shouts' of gko-loud 1.0" in reason
    assert [culprit for culprit in culprits if culprit not in reason] == []


def test_what_cannot_be_imported_is_tried_once(site: Path) -> None:
    module(
        site,
        "counting",
        "from pathlib import Path\nwith Path(__file__).with_suffix('.log').open('a') as log:\n"
        "    log.write('tried ')\nraise RuntimeError\n",
    )
    install(site, "gko-loud", {"shouts": "counting:Shouts"})
    registry = registry_in(site)
    [claim] = registry.claims

    for _ in range(3):
        with pytest.raises(CheckerError, match="RuntimeError"):
            registry.load(claim)

    assert (site / "counting.log").read_text() == "tried "


def test_an_installation_that_was_cut_short_has_no_name_and_is_told_all_the_same(site: Path) -> None:
    module(site, "loud", CHECKER)
    for name in ("gko-loud", "gko-noisy"):
        (install(site, name, {"shouts": "loud:Shouts"}) / "METADATA").unlink()

    [claim] = registry_in(site).claims

    assert (claim.distribution, claim.version) == ("an unnamed distribution", "unknown")


def test_the_pointer_family_serves_no_other_place(site: Path) -> None:
    source = CHECKER.replace("{Place.EXPECT}", "{Place.EXPECT, Place.POINTER}")

    assert "/pointer" in reason_for(site, source, key="/pointer")


@pytest.mark.parametrize("key", ["two words", "/category", ".hidden", ""])
def test_a_key_that_nobody_can_write_is_refused(key: str) -> None:
    assert unusable(key, Silent) is not None


def test_an_instance_is_no_class() -> None:
    assert unusable("silent", Silent()) is not None


def test_a_slip_gets_the_nearest_key_and_anything_else_the_hint_that_a_plug_in_may_be_missing(site: Path) -> None:
    install(site, "gko-loud", {"shouts": "x:A", "/pointer": "x:B"})
    registry = registry_in(site)

    assert registry.suggestion("shout", Place.EXPECT) == "did you mean 'shouts'?"
    assert "plug-in" in registry.suggestion("temperature", Place.EXPECT)
    assert "plug-in" in registry.suggestion("pointer", Place.VALUE)


def test_the_built_in_expectations_are_discovered_like_any_other() -> None:
    registry = discover()
    built_in = [claim for claim in registry.claims if claim.distribution == "gko"]

    assert [claim.key for claim in built_in] == ["/pointer", "contains", "equals", "exit_code", "lines", "min"]
    assert [unusable(claim.key, registry.load(claim)) for claim in built_in] == [None] * 6


class Silent(Checker):
    """Nothing is asked."""

    places = frozenset({Place.EXPECT})

    def judge(self, value: object, outcome: Outcome) -> Judging:
        yield from ()
